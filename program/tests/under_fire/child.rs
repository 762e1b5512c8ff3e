//! The program as a child process: its output and its exit code.

pub use crate::place::{Outcome, manifest};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A process that takes longer counts as hanging.
pub const HANGS: Duration = Duration::from_secs(120);

pub fn steerling(line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_steerling"));
    command.args(line.split_whitespace()).env_remove("RUST_LOG").env("MESA_SHADER_CACHE_DISABLE", "true");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The program under limits of the shell, such as `ulimit -f 8`. A write past such a limit fails, as on a full disk.
pub fn limited(limits: &str, line: &str) -> Command {
    let mut command = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_steerling");
    command.args(["-c", &format!("{limits}; exec {program} {line}")]);
    // With XDG_RUNTIME_DIR set, the program need not execute itself again.
    command.env_remove("RUST_LOG").env("MESA_SHADER_CACHE_DISABLE", "true");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Wait for the process to end; kill it if it hangs. The code is that of a shell: 128 plus the signal if one ended the program.
pub fn end(mut child: Child) -> Outcome {
    use std::io::Read;
    fn drain(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
            String::from_utf8_lossy(&bytes).into_owned()
        })
    }
    let (out, err) = (drain(child.stdout.take()), drain(child.stderr.take()));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > HANGS {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("it hangs: {}", err.join().unwrap());
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    let seen = Outcome { code, out: out.join().unwrap(), err: err.join().unwrap() };
    assert!(code != 101 && code != 134 && !seen.err.contains("panicked"), "{code}: {}", seen.err);
    seen
}

pub fn outcome(mut command: Command) -> Outcome {
    end(command.spawn().unwrap())
}

pub fn signal(child: &Child, name: &str) {
    let line = format!("kill -s {name} {}", child.id());
    assert!(Command::new("sh").args(["-c", &line]).status().unwrap().success());
}

/// Wait until the file is there.
pub fn until(child: &mut Child, path: &Path) {
    while !path.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before {}", path.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Names of what lies in a folder.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
