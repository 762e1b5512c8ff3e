//! What surrounds a run breaks: readers go, disks are full, folders vanish, signals come, ffmpeg stalls, inputs are no files,
//! memory is short. The program ends with the exit code that `--help` documents and a reason, leaves what is whole as it is,
//! and says nothing that is not so.
#![cfg(unix)]

mod allocation;
mod child;
mod faults;
mod interrupt;
#[path = "../cli/place.rs"]
mod place;

use child::{end, limited, manifest, names, outcome, signal, steerling, until};
use serde_json::Value;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;
use support::npy;
use tempfile::TempDir;

/// A run that goes on until it is ended, in a folder of its own.
fn endless(out: &Path, every: u32, more: &str) -> Command {
    endless_on("cpu", out, every, more)
}

fn endless_on(device: &str, out: &Path, every: u32, more: &str) -> Command {
    let run = format!("run flock --agents 80 --device {device} --steps 900000000 --every {every}");
    steerling(&format!("{run} {more} --out {}", out.display()))
}

/// A state with an agent that is not finite, of which a run makes a note.
fn bad_state(folder: &Path) -> PathBuf {
    let data = [0.5, 0.5, 1.0, 1.0, f32::NAN, 0.0, 0.0, 0.0].map(f32::to_le_bytes);
    let path = folder.join("bad.npy");
    fs::write(&path, npy::npy("'<f4'", false, "(2, 4)", data.as_flattened())).unwrap();
    path
}

/// Messages that cannot be written are dropped, and nothing else changes.
#[test]
fn a_full_or_broken_stderr_changes_nothing() {
    let temp = TempDir::new().unwrap();
    let state = bad_state(temp.path());
    let lines = [
        (format!("run flock --steps 2 --from {} -v --device cpu", state.display()), 0),
        ("run flock --agents 80 --steps 2 -vv".to_owned(), 0),
        ("run flock --agents 80 --steps 2 --device cpu --set dt=0.9".to_owned(), 0),
        ("run flok".to_owned(), 5),
        ("render flock --agents 80 --size 8x8 --after 1".to_owned(), 0),
        ("profile flock --agents 80 --steps 1 --chrome-trace trace.json".to_owned(), 0),
        ("conform --only tpu".to_owned(), 2),
    ];
    for full in [true, false] {
        let folder = temp.path().join(format!("{full}"));
        fs::create_dir(&folder).unwrap();
        for (line, code) in &lines {
            let mut command = steerling(line);
            command.current_dir(&folder);
            if full {
                command.stderr(File::options().write(true).open("/dev/full").unwrap());
            }
            let mut child = command.spawn().unwrap();
            // The reader goes at once.
            drop(child.stderr.take());
            assert_eq!(end(child).code, *code, "{line}, full: {full}");
        }
    }
}

#[test]
fn a_full_stdout_is_an_error_and_a_broken_one_is_none() {
    let temp = TempDir::new().unwrap();
    let run = "run flock --agents 80 --steps 2 --device cpu";
    for line in [run, "scenes", "behaviors", "schema", "shaders flock --dump", "help", "run --help", "--version"] {
        for full in [true, false] {
            let mut command = steerling(line);
            command.current_dir(&temp);
            if full {
                command.stdout(File::options().write(true).open("/dev/full").unwrap());
            }
            let mut child = command.spawn().unwrap();
            drop(child.stdout.take());
            let seen = end(child);
            assert_eq!(seen.code, i32::from(full), "{line}: {}", seen.err);
            assert_eq!(seen.err.contains("standard output"), full, "{line}: {}", seen.err);
        }
    }
    // What the runs wrote is whole all the same.
    for run in names(&temp.path().join("out")) {
        assert_eq!(manifest(&temp.path().join("out").join(run))["steps"], 2);
    }
}

/// Ctrl-C ends `tee`, too, and then nobody reads what the program says of its end.
#[test]
fn an_interrupt_without_a_reader_is_an_interrupt() {
    let temp = TempDir::new().unwrap();
    let out = temp.path().join("out");
    let mut child = endless(&out, 50, "").spawn().unwrap();
    until(&mut child, &out.join("states/000050.npy"));
    drop((child.stdout.take(), child.stderr.take()));
    signal(&child, "INT");
    assert_eq!(end(child).code, 130);
    assert_eq!(manifest(&out)["ended"], "signal");
}

#[test]
fn a_run_whose_folder_goes_is_an_error() {
    let temp = TempDir::new().unwrap();
    for how in ["deleted", "moved", "replaced"] {
        // With and without states, which would make the folder anew.
        for every in [50, 9000] {
            let out = temp.path().join(format!("{how}-{every}"));
            let away = temp.path().join(format!("{how}-{every}-away"));
            let mut child = endless(&out, every, "").spawn().unwrap();
            until(&mut child, &out.join("states/000000.npy"));
            fs::rename(&out, &away).unwrap();
            match how {
                "deleted" => fs::remove_dir_all(&away).unwrap(),
                "replaced" => fs::create_dir(&out).unwrap(),
                _ => {}
            }
            let seen = end(child);
            assert_eq!(seen.code, 1, "{how}: {}", seen.err);
            assert!(seen.err.contains(out.to_str().unwrap()) && seen.err.contains("moved or removed"), "{}", seen.err);
            assert!(seen.out.is_empty(), "{how}: {}", seen.out);
            match how {
                "replaced" => assert_eq!(names(&out), [""; 0]),
                _ => assert!(!out.exists(), "{how}: it was made anew"),
            }
        }
    }
}

#[test]
fn files_of_others_in_the_folder_of_a_run_are_left_alone() {
    let temp = TempDir::new().unwrap();
    for name in ["run.json", "states/030000.npy", "checkpoints/030000.steering"] {
        let out = temp.path().join(name.replace('/', "-"));
        let mut child = endless(&out, 50, "--checkpoint-every 10000").spawn().unwrap();
        until(&mut child, &out.join("checkpoints/010000.steering"));
        fs::write(out.join(name), "years of work").unwrap();
        if name == "run.json" {
            signal(&child, "TERM");
        }
        let seen = end(child);
        assert_eq!(seen.code, 1, "{name}: {}", seen.err);
        assert!(seen.err.contains(name) && seen.err.contains("exists already"), "{name}: {}", seen.err);
        assert_eq!(fs::read_to_string(out.join(name)).unwrap(), "years of work");
        if name != "run.json" {
            let error = manifest(&out)["error"].as_str().unwrap().to_owned();
            assert!(error.contains(name), "{error}");
        }
    }
}

#[test]
fn runs_that_start_together_get_a_folder_each() {
    let temp = TempDir::new().unwrap();
    let start = || steerling("run flock --agents 80 --steps 2 --device gpu").current_dir(&temp).spawn().unwrap();
    let children: Vec<Child> = (0..8).map(|_| start()).collect();
    for child in children {
        let seen = end(child);
        assert_eq!(seen.code, 0, "{}", seen.err);
    }
    let runs = names(&temp.path().join("out"));
    assert_eq!(runs.len(), 8, "{runs:?}");
    for run in runs {
        assert_eq!(names(&temp.path().join("out").join(run)), ["metrics.csv", "run.json", "states"]);
    }
}

#[test]
fn a_missing_folder_is_noticed_at_once_and_a_trace_is_whole_or_not_there() {
    let temp = TempDir::new().unwrap();
    let profile = |limits: &str, more: &str| {
        let mut command = limited(limits, &format!("profile flock --agents 300 --steps 40 --chrome-trace {more}"));
        outcome({
            command.current_dir(&temp);
            command
        })
    };
    let seen = profile("true", "none/trace.json");
    assert_eq!((seen.code, seen.out.as_str()), (1, ""), "it was noticed at the end: {}", seen.err);
    assert!(seen.err.contains("none/trace.json"), "{}", seen.err);

    for name in ["one.png", "film.gif"] {
        let mut command = steerling(&format!("render flock --agents 80 --after 100000000 --out none/{name}"));
        command.current_dir(&temp);
        let seen = outcome(command);
        assert!(seen.code == 1 && seen.err.contains(&format!("none/{name}: No such file")), "{}", seen.err);
    }

    let trace = temp.path().join("trace.json");
    fs::write(&trace, "old").unwrap();
    let seen = profile("ulimit -f 4", "trace.json --force");
    assert_eq!(seen.code, 1, "{}", seen.err);
    assert!(seen.err.contains("trace.json"), "{}", seen.err);
    assert_eq!(fs::read_to_string(&trace).unwrap(), "old");
    let seen = profile("true", "trace.json");
    assert!(seen.code == 1 && seen.err.contains("--force"), "{}", seen.err);
    assert_eq!(names(temp.path()), ["trace.json"]);

    assert_eq!(profile("true", "trace.json --force").code, 0);
    let whole: Value = serde_json::from_str(&fs::read_to_string(&trace).unwrap()).unwrap();
    assert!(whole["traceEvents"].as_array().unwrap().len() > 100);
    assert_eq!(names(temp.path()), ["trace.json"]);
    // A link is replaced, and the file it leads to stays.
    let link = temp.path().join("link");
    fs::write(temp.path().join("kept"), "mine").unwrap();
    std::os::unix::fs::symlink("kept", &link).unwrap();
    assert_eq!(profile("true", "link --force").code, 0);
    assert!(!link.is_symlink() && fs::read_to_string(temp.path().join("kept")).unwrap() == "mine");
    // A device is no file to be replaced.
    let link = temp.path().join("null");
    std::os::unix::fs::symlink("/dev/null", &link).unwrap();
    let seen = profile("true", "null --force");
    assert!(seen.code == 1 && seen.err.contains("no regular file"), "{}", seen.err);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
}

/// The first file that did not fit is the one that is named, and pictures are whole or not there.
#[test]
fn a_full_disk_names_the_first_file() {
    let temp = TempDir::new().unwrap();
    let out = temp.path().join("out");
    // Two blocks of the shell are a kilobyte: less than a state, and less than run.json.
    let line = format!("run flock --agents 300 --device cpu --steps 5 --every 1 --out {}", out.display());
    let seen = outcome(limited("ulimit -f 2", &line));
    assert_eq!(seen.code, 1, "{}", seen.err);
    let first = seen.err.lines().find(|line| line.starts_with("error:")).unwrap_or_default();
    assert!(first.contains("states/000000.npy") && !seen.err.contains(".steerling-"), "{}", seen.err);
    assert!(seen.err.contains("run.json"), "{}", seen.err);
    assert_eq!(names(&out.join("states")), [""; 0]);

    for name in ["one.png", "film.gif"] {
        let out = temp.path().join(name);
        let line = format!("render flock --agents 900 --after 1 --size 400x400 --out {}", out.display());
        let seen = outcome(limited("ulimit -f 2", &line));
        assert!(seen.code == 1 && seen.err.contains(name), "{name}: {}", seen.err);
        // The system's sentence, and not the form of a programmer.
        assert!(seen.err.contains("too large") && !seen.err.contains('{'), "{name}: {}", seen.err);
    }
    assert_eq!(names(temp.path()), ["out"]);
}

/// A stand-in for ffmpeg, so that the tests do not depend on what is installed.
fn ffmpeg(folder: &Path, text: &str) -> String {
    let program = folder.join("ffmpeg");
    fs::write(&program, format!("#!/bin/sh\nfor file; do :; done\n{text}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:/usr/bin:/bin", folder.display())
}

fn film(folder: &Path, program: &str, size: &str, more: &str) -> Child {
    let programs = folder.join("programs");
    fs::create_dir_all(&programs).unwrap();
    let mut command = steerling(&format!("render flock --agents 300 --after 0 --size {size} --out film.mp4 {more}"));
    command.current_dir(folder).env("PATH", ffmpeg(&programs, program)).spawn().unwrap()
}

#[test]
fn an_ffmpeg_that_says_much_is_no_deadlock() {
    let temp = TempDir::new().unwrap();
    let noise = "head -c 300000 /dev/zero | tr '\\0' x >&2; echo the last word >&2";
    let seen = end(film(temp.path(), &format!("{noise}; wc -c > \"$file\""), "96x54", "--frames 20"));
    assert_eq!(seen.code, 0, "{}", seen.err);
    let seen = end(film(temp.path(), &format!("{noise}; cat > /dev/null; exit 1"), "96x54", "--frames 20 --force"));
    assert_eq!(seen.code, 1);
    assert!(seen.err.contains("the last word") && seen.err.len() < 10_000, "{} bytes", seen.err.len());
}

#[test]
fn an_ffmpeg_that_writes_nothing_is_an_error() {
    let temp = TempDir::new().unwrap();
    for program in ["cat > /dev/null", "exit 0", "cat > /dev/null; rm \"$file\""] {
        let seen = end(film(temp.path(), program, "96x54", "--frames 20"));
        assert_eq!(seen.code, 1, "{program}: {} {}", seen.out, seen.err);
        assert!(seen.err.contains("film.mp4: ffmpeg"), "{program}: {}", seen.err);
        assert_eq!(names(temp.path()), ["programs"], "{program}");
    }
}

#[test]
fn a_stalled_ffmpeg_obeys_an_interrupt() {
    // It stalls before the first picture, in the middle of one that is larger than a pipe, or after the last. What it waits
    // for is a program of its own, which keeps the pipe open.
    let stalled = [
        ("echo $$ > started; sleep 1000", "96x54", "--frames 40"),
        ("head -c 1000 > /dev/null; echo $$ > started; sleep 1000", "320x180", "--frames 2"),
        ("cat > /dev/null; echo $$ > started; sleep 1000", "96x54", "--frames 3"),
    ];
    let obeys = |(program, size, frames): (&str, &str, &str)| {
        let temp = TempDir::new().unwrap();
        let mut child = film(temp.path(), program, size, frames);
        let started = temp.path().join("started");
        until(&mut child, &started);
        std::thread::sleep(Duration::from_secs(1));
        signal(&child, "INT");
        let seen = end(child);
        assert_eq!(seen.code, 130, "{}", seen.err);
        fs::remove_file(started).unwrap();
        assert_eq!(names(temp.path()), ["programs"]);
    };
    // Side by side, because it is given ten seconds to end by itself.
    std::thread::scope(|scope| stalled.into_iter().for_each(|one| drop(scope.spawn(move || obeys(one)))));
}

#[test]
fn every_signal_leaves_a_whole_record() {
    let temp = TempDir::new().unwrap();
    let cases: [(&str, &[&str], i32); 5] = [
        ("hup", &["HUP"], 129),
        ("int", &["INT"], 130),
        ("term", &["TERM"], 143),
        ("twice", &["INT", "INT"], 130),
        ("both", &["INT", "TERM"], 130),
    ];
    for (name, signals, code) in cases {
        for round in 0..5 {
            let out = temp.path().join(format!("{name}-{round}"));
            let device = if round == 0 { "gpu" } else { "cpu" };
            let mut child = endless_on(device, &out, 50, "").spawn().unwrap();
            until(&mut child, &out.join("states/000050.npy"));
            let kills: Vec<String> = signals.iter().map(|name| format!("kill -s {name} {}", child.id())).collect();
            assert!(Command::new("sh").args(["-c", &kills.join("; ")]).status().unwrap().success());
            let seen = end(child);
            assert_eq!(seen.code, code, "{name}: {}", seen.err);
            let run = manifest(&out);
            assert_eq!((&run["ended"], &run["signal"]), (&"signal".into(), &format!("SIG{}", signals[0]).into()));
            let rows = fs::read_to_string(out.join("metrics.csv")).unwrap();
            let last: Vec<&str> = rows.lines().last().unwrap().split(',').collect();
            assert_eq!((last[0], last[6]), (run["steps"].to_string().as_str(), run["digest"].as_str().unwrap()));
            let files = run["states"]["files"].as_array().unwrap();
            assert!(files.iter().all(|file| out.join(file.as_str().unwrap()).is_file()));
            assert_eq!(files.last().unwrap(), &format!("states/{:06}.npy", run["steps"].as_u64().unwrap()));
        }
    }
}

#[test]
fn a_signal_leaves_a_checkpoint_where_that_is_asked_for() {
    let temp = TempDir::new().unwrap();
    for (name, flag) in [("TERM", "--checkpoint-at-end"), ("INT", "--checkpoint-at-end"), ("TERM", "--quiet")] {
        let out = temp.path().join(format!("{name}{flag}"));
        let mut child = endless(&out, 50, flag).spawn().unwrap();
        until(&mut child, &out.join("states/000100.npy"));
        signal(&child, name);
        end(child);
        let (run, kept) = (manifest(&out), out.join("checkpoints").exists());
        assert_eq!((&run["ended"], kept), (&"signal".into(), flag == "--checkpoint-at-end"));
        if kept {
            let steps = run["steps"].as_u64().unwrap() + 10;
            let line = format!("run --resume {} --device cpu --steps {steps}", out.display());
            assert_eq!(outcome(steerling(&line)).code, 0);
            let run = manifest(&out);
            assert_eq!((&run["ended"], &run["steps"]), (&"steps".into(), &steps.into()));
        }
    }
}

/// As under nohup: the run is to outlive its terminal.
#[test]
fn a_hangup_that_is_ignored_stays_ignored() {
    let temp = TempDir::new().unwrap();
    let out = temp.path().join("out");
    let line = format!("run flock --agents 80 --device cpu --steps 900000000 --every 50 --out {}", out.display());
    let mut child = limited("trap '' HUP", &line).spawn().unwrap();
    until(&mut child, &out.join("states/000050.npy"));
    signal(&child, "HUP");
    let rows = names(&out.join("states")).len();
    while names(&out.join("states")).len() < rows + 50 {
        assert!(child.try_wait().unwrap().is_none(), "it ended");
        std::thread::sleep(Duration::from_millis(5));
    }
    signal(&child, "TERM");
    assert_eq!(end(child).code, 143);
}

/// Whatever is quoted writes nowhere else on a terminal, and is short.
#[test]
fn what_is_quoted_is_printed_as_text_and_shortened() {
    for line in [
        "conform FILTER",
        "bench FILTER",
        "behaviors FILTER",
        "run FILTER",
        "run flock --steps FILTER",
        "run flock --until FILTER>1",
        "FILTER",
    ] {
        let mut command = steerling("");
        let filter = format!("\u{1b}[31m{}", "x".repeat(10_000));
        command.args(line.split(' ').map(|word| word.replace("FILTER", &filter)));
        let seen = outcome(command);
        assert!([2, 5].contains(&seen.code), "{line}: {} {}", seen.code, seen.err);
        assert!(!seen.err.chars().any(|c| c.is_control() && c != '\n'), "{line}: {:?}", seen.err);
        assert!(seen.err.len() < 8_000 && seen.err.contains("xxx"), "{line}: {} bytes", seen.err.len());
    }
}

/// What other libraries read of the environment without a limit.
#[test]
fn extreme_stacks_and_threads_are_refused() {
    for (variable, value, code) in [
        ("RUST_MIN_STACK", "1", 2),
        ("RUST_MIN_STACK", "1000000000000000000", 2),
        ("RUST_MIN_STACK", "4000000", 0),
        ("RAYON_NUM_THREADS", "100000000", 2),
        ("RAYON_NUM_THREADS", "1", 0),
    ] {
        let temp = TempDir::new().unwrap();
        let mut command = steerling("run flock --agents 80 --steps 2 --device cpu");
        let seen = outcome({
            command.current_dir(&temp).env(variable, value);
            command
        });
        assert_eq!(seen.code, code, "{variable}={value}: {}", seen.err);
        assert!(code == 0 || seen.err.contains(variable) && seen.err.contains(value), "{}", seen.err);
    }
}

/// Without a display a picture is drawn, and a note says so. The user gave no name for it, so if the name is taken the next one is used.
#[test]
fn pictures_in_place_of_windows_that_are_drawn_together_get_a_name_each() {
    let temp = TempDir::new().unwrap();
    let start = || {
        let mut command = steerling("view flock --agents 80 --set start.steps=1");
        command.current_dir(&temp).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        command.spawn().unwrap()
    };
    let children: Vec<Child> = (0..3).map(|_| start()).collect();
    let mut said = String::new();
    for child in children {
        let seen = end(child);
        assert_eq!(seen.code, 0, "{}", seen.err);
        assert!(seen.err.contains("no window") && seen.err.contains("DISPLAY"), "it says what it did: {}", seen.err);
        said += &seen.out;
    }
    let drawn = names(temp.path());
    assert_eq!(drawn, ["flock-000001-2.png", "flock-000001-3.png", "flock-000001.png"]);
    assert!(drawn.iter().all(|name| said.contains(name)), "{said}");
    assert_eq!(image::image_dimensions(temp.path().join(&drawn[0])).unwrap(), (1280, 720));
}

#[test]
fn a_pipe_that_nobody_writes_to_obeys_the_first_interrupt() {
    let temp = TempDir::new().unwrap();
    let pipe = fifo(&temp.path().join("scene.toml"));
    let out = temp.path().join("out");
    let child = steerling(&format!("run {} --device cpu --out {}", pipe.display(), out.display())).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    signal(&child, "INT");
    assert_eq!(end(child).code, 130);
    assert!(!out.exists());
}

fn fifo(path: &Path) -> PathBuf {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    path.to_owned()
}

/// Pipes, devices, and files that are too large for what they are, with numbers.
#[test]
fn inputs_that_are_no_files_or_too_large_are_refused() {
    let temp = TempDir::new().unwrap();
    for kind in ["fifo", "zero", "sparse"] {
        let folder = temp.path().join(kind);
        fs::create_dir_all(folder.join("shaders/sim")).unwrap();
        for name in ["shaders/sim/steer.wgsl", "state.npy", "whole.steering", "field.png", "field.json", "swirl.wgsl"] {
            let path = folder.join(name);
            match kind {
                "fifo" => drop(fifo(&path)),
                "zero" => std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
                _ => File::create(&path).unwrap().set_len(1 << 40).unwrap(),
            }
        }
        for (name, text) in [
            ("image.toml", "field = { source = \"field.png\", speed = 1 }"),
            ("wind.toml", "field = { source = \"field.json\" }"),
            ("own.toml", "[[behavior]]\nfile = \"swirl.wgsl\""),
        ] {
            let field = if name == "own.toml" { "" } else { "behaviors.flow_field = {}\n" };
            let text = format!("schema = 1\nworld.size = [10, 10]\n{text}\n[[species]]\ncount = 3\n{field}");
            fs::write(folder.join(name), text).unwrap();
        }
        let out = folder.join("out");
        for (line, file, bounded) in [
            ("run flock --device cpu --from DIR/state.npy", "state.npy", false),
            ("run --device cpu --resume DIR/whole.steering", "whole.steering", true),
            ("run DIR/image.toml --device cpu", "field.png", true),
            ("run DIR/wind.toml --device cpu", "field.json", true),
            ("run DIR/own.toml --device cpu", "swirl.wgsl", false),
            ("run flock --shaders DIR/shaders", "steer.wgsl", true),
        ] {
            let reasons = match kind {
                "sparse" if !bounded => continue,
                "sparse" => ["1099511627776"; 2],
                _ => ["no regular file", "this is no file"],
            };
            let line = line.replace("DIR", folder.to_str().unwrap());
            // The limit stops a program that reads without end before it takes all memory of the machine.
            let seen = outcome(limited("ulimit -v 6000000", &format!("{line} --out {}", out.display())));
            assert_eq!(seen.code, 5, "{kind}, {line}: {}", seen.err);
            let why = reasons.iter().any(|words| seen.err.contains(words));
            assert!(seen.err.contains(file) && why, "{kind}, {line}: {}", seen.err);
            assert!(!out.exists());
        }
    }
}
