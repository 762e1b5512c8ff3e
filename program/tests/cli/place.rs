//! A folder in which the program is called as a user calls it.
#![allow(dead_code)] // each test uses its part

use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub const STEERLING: &str = env!("CARGO_BIN_EXE_steerling");
/// A process that takes longer counts as hanging.
pub const HANGS: Duration = Duration::from_secs(120);

/// What the program said, and its exit code.
pub struct Outcome {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Outcome {
    /// Assert that it ended with this code, and said all these words.
    #[track_caller]
    pub fn ended(&self, code: i32, words: &[&str]) {
        let (said, all) = (&self.err, words.iter().all(|words| self.err.contains(words)));
        assert!(self.code == code && all, "{} in place of {code}, or without {words:?}: {said}", self.code);
    }

    /// What it printed, after an end in order.
    pub fn json(&self) -> Value {
        self.ended(0, &[]);
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

/// Wait for the process to end; kill it if it hangs. The code is that of a shell: 128 plus the signal if one ended the program.
#[cfg(unix)]
pub fn end(mut child: Child) -> Outcome {
    use std::io::Read;
    use std::os::unix::process::ExitStatusExt;
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

pub fn signal(child: &Child, name: &str) {
    let line = format!("kill -s {name} {}", child.id());
    assert!(Command::new("sh").args(["-c", &line]).status().unwrap().success());
}

/// Wait until something holds that a running program brings about.
#[track_caller]
pub fn until(child: &mut Child, holds: impl Fn() -> bool) {
    while !holds() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Names of what lies in a folder.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub fn outcome(mut command: Command) -> Outcome {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Outcome { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

/// A table that the program wrote.
#[derive(Debug, PartialEq)]
pub struct Table {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub fn read(path: &Path) -> Table {
        let mut reader = csv::Reader::from_path(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let fields = |row: &csv::StringRecord| row.iter().map(str::to_owned).collect();
        let columns = fields(reader.headers().unwrap());
        Table { columns, rows: reader.records().map(|row| fields(&row.unwrap())).collect() }
    }

    /// What stands in a column, from row to row.
    pub fn column(&self, name: &str) -> Vec<&str> {
        let index = self.columns.iter().position(|column| column == name);
        let index = index.unwrap_or_else(|| panic!("no {name} in {:?}", self.columns));
        self.rows.iter().map(|row| row[index].as_str()).collect()
    }

    pub fn numbers(&self, name: &str) -> Vec<f64> {
        self.column(name).iter().map(|number| number.parse().unwrap()).collect()
    }
}

pub fn manifest(folder: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join("run.json")).unwrap()).unwrap()
}

/// A wind file of 2 by 2 numbers, the first of which are these.
pub fn wind(east: f64, north: f64) -> String {
    let record = |number: u32, value: f64| {
        let header = format!(r#""parameterCategory": 2, "parameterNumber": {number}, "nx": 2, "ny": 2"#);
        format!(r#"{{"header": {{{header}}}, "data": [{value}, 0, 0, 1]}}"#)
    };
    format!("[{}, {}]", record(2, east), record(3, north))
}

/// A folder of its own, with the states that it keeps: no test reads or leaves any in a user's own.
pub struct Place(TempDir);

impl Place {
    pub fn new() -> Place {
        Place(TempDir::new().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn table(&self, name: &str) -> Table {
        Table::read(&self.at(name))
    }

    /// Write a file, in a folder that is made where there is none.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        fs::write(self.at(name), bytes).unwrap();
    }

    /// Any program, in this folder.
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(name);
        command.env_remove("RUST_LOG").current_dir(self.path());
        command.env("XDG_CACHE_HOME", self.at("caches")).env("NO_COLOR", "1");
        // Mesa's are for all.
        command.env("MESA_SHADER_CACHE_DIR", env!("CARGO_TARGET_TMPDIR"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn command_with<Word: AsRef<OsStr>>(&self, words: &[Word]) -> Command {
        let mut command = self.program(STEERLING);
        command.args(words);
        command
    }

    /// The program with the words of a line; words between single quotes are one.
    pub fn command(&self, line: &str) -> Command {
        let words = line.split('\'').enumerate().flat_map(|(index, part)| match index % 2 {
            0 => part.split_whitespace().collect::<Vec<_>>(),
            _ => vec![part],
        });
        self.command_with(&words.collect::<Vec<_>>())
    }

    pub fn call(&self, line: &str) -> Outcome {
        outcome(self.command(line))
    }

    /// The same with an end in order.
    pub fn good(&self, line: &str) -> Outcome {
        let seen = self.call(line);
        assert_eq!(seen.code, 0, "{line}: {}", seen.err);
        seen
    }

    /// The same with this exit code, and words in the message. What is called `no` is not written.
    pub fn refused(&self, line: &str, code: i32, words: &str) -> Outcome {
        let seen = self.call(line);
        assert!(seen.code == code && seen.err.contains(words), "{line}: {} {}", seen.code, seen.err);
        assert!(!seen.err.contains("panicked") && !self.at("no").exists(), "{line}: {}", seen.err);
        seen
    }

    /// The same with each of these ends of the line, which have messages of their own.
    pub fn refuses(&self, line: &str, code: i32, ends: &[(&str, &str)]) {
        ends.iter().for_each(|(end, words)| drop(self.refused(&format!("{line} {end}"), code, words)));
    }

    /// Run a scene into a folder here, and return the text of its metrics.
    pub fn run(&self, arguments: &str, out: &str) -> String {
        self.good(&format!("run {arguments} --out {out}"));
        self.text(&format!("{out}/metrics.csv"))
    }

    pub fn json(&self, line: &str) -> Value {
        self.call(line).json()
    }

    /// The record of a run here.
    pub fn manifest(&self, name: &str) -> Value {
        manifest(&self.at(name))
    }

    /// The digest that it ended with.
    pub fn digest(&self, name: &str) -> Value {
        self.manifest(name)["digest"].clone()
    }
}
