//! The program: its subcommands, and the window.

// stderr may be full or gone, and then the macros panic; `cli::shared` has what does not.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]

mod cli;
mod pictures;
#[cfg(feature = "viewer")]
mod viewer;

fn main() -> std::process::ExitCode {
    #[cfg(all(unix, not(target_vendor = "apple")))]
    name_a_runtime_folder();
    // A file that is too large for `ulimit -f` is an error of writing, as a full disk is, and no end of the program.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, <std::sync::Arc<_>>::default());
    cli::main()
}

/// Where XDG_RUNTIME_DIR is not set, as in containers, Mesa looks for a Wayland compositor all the same, and libwayland
/// complains on stderr. With a folder that does not exist it finds none in silence. Only a new program can start with another
/// environment safely, so this one becomes itself again: with the same process id, arguments, streams and exit code.
#[cfg(all(unix, not(target_vendor = "apple")))]
fn name_a_runtime_folder() {
    use std::os::unix::process::CommandExt;

    const VARIABLE: &str = "XDG_RUNTIME_DIR";
    let mut arguments = std::env::args_os();
    if std::env::var_os(VARIABLE).is_some_and(|folder| !folder.is_empty()) {
        return;
    }
    // A new program would be without what RenderDoc put into this one; so its Vulkan layer is turned on.
    if std::env::var_os("ENABLE_VULKAN_RENDERDOC_CAPTURE").is_some() {
        return;
    }
    if let (Ok(program), Some(name)) = (std::env::current_exe(), arguments.next()) {
        // It returns only where it fails, and then the complaint is all that is lost.
        let _ = std::process::Command::new(program).arg0(name).args(arguments).env(VARIABLE, "/nonexistent").exec();
    }
}
