//! A folder in which the program is called as a user calls it.
#![allow(dead_code)] // each test uses its part

use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// What the program said, and its exit code.
pub struct Outcome {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Outcome {
    /// What it printed, after an end in order.
    pub fn json(&self) -> Value {
        assert_eq!(self.code, 0, "{}", self.err);
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

pub fn steerling<Word: AsRef<OsStr>>(arguments: &[Word]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_steerling"));
    command.args(arguments).env_remove("RUST_LOG");
    command
}

pub fn outcome(mut command: Command) -> Outcome {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Outcome { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
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

    /// Write a file, in a folder that is made where there is none.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        fs::write(self.at(name), bytes).unwrap();
    }

    pub fn command<Word: AsRef<OsStr>>(&self, arguments: &[Word]) -> Command {
        let mut command = steerling(arguments);
        command.current_dir(self.path()).env("XDG_CACHE_HOME", self.at("caches")).env("NO_COLOR", "1");
        // Mesa's are for all.
        command.env("MESA_SHADER_CACHE_DIR", env!("CARGO_TARGET_TMPDIR"));
        command
    }

    pub fn call_with<Word: AsRef<OsStr>>(&self, arguments: &[Word]) -> Outcome {
        outcome(self.command(arguments))
    }

    /// Call it with a line; words between single quotes are one.
    pub fn call(&self, line: &str) -> Outcome {
        let words = line.split('\'').enumerate().flat_map(|(index, part)| match index % 2 {
            0 => part.split_whitespace().collect::<Vec<_>>(),
            _ => vec![part],
        });
        self.call_with(&words.collect::<Vec<_>>())
    }

    /// The same with an end in order.
    pub fn good(&self, line: &str) -> Outcome {
        let seen = self.call(line);
        assert_eq!(seen.code, 0, "{line}: {}", seen.err);
        seen
    }

    /// The same with this exit code, and words in the message.
    pub fn refused(&self, line: &str, code: i32, words: &str) -> Outcome {
        let seen = self.call(line);
        assert!(seen.code == code && seen.err.contains(words), "{line}: {} {}", seen.code, seen.err);
        seen
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
