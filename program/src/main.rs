//! The program: its subcommands, and the window.

// The print macros panic where stdout or stderr is full or closed. Print through `cli::shared`, which does not panic.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]

mod cli;
mod pictures;
#[cfg(feature = "viewer")]
mod viewer;

fn main() -> std::process::ExitCode {
    #[cfg(all(unix, not(target_vendor = "apple")))]
    name_a_runtime_folder();
    // With a handler for SIGXFSZ a write beyond `ulimit -f` is an error, as on a full disk. By default the signal ends the program.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, <std::sync::Arc<_>>::default());
    cli::main()
}

/// Set XDG_RUNTIME_DIR, if it is unset as in containers, to a folder that does not exist. Without it Mesa looks for a Wayland
/// compositor all the same, and libwayland complains on stderr; with it none is found in silence. Only a new program can start with
/// another environment safely, so this process executes itself again, with the same process id, arguments, streams and exit code.
#[cfg(all(unix, not(target_vendor = "apple")))]
fn name_a_runtime_folder() {
    use std::os::unix::process::CommandExt;

    const VARIABLE: &str = "XDG_RUNTIME_DIR";
    let mut arguments = std::env::args_os();
    if std::env::var_os(VARIABLE).is_some_and(|folder| !folder.is_empty()) {
        return;
    }
    // This variable turns on RenderDoc's Vulkan layer. RenderDoc has injected its library into this process, and `exec` would lose it.
    if std::env::var_os("ENABLE_VULKAN_RENDERDOC_CAPTURE").is_some() {
        return;
    }
    if let (Ok(program), Some(name)) = (std::env::current_exe(), arguments.next()) {
        // `exec` returns only if it fails. Then the only consequence is libwayland's complaint.
        let _ = std::process::Command::new(program).arg0(name).args(arguments).env(VARIABLE, "/nonexistent").exec();
    }
}
