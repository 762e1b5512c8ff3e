//! What surrounds a run breaks: readers go, disks are full, folders vanish, signals come, ffmpeg stalls, inputs are no files,
//! memory is short. The program ends with the exit code that `--help` documents and a reason, leaves what is whole as it is,
//! and says nothing that is not so.
#![cfg(unix)]

mod allocation;
mod faults;
mod interrupt;
#[path = "../cli/place.rs"]
mod place;

use place::{Outcome, Place, STEERLING, end, names, signal, until};
use serde_json::Value;
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Child, Command};
use std::time::Duration;
use support::npy;

/// The program with the words of a line. Drivers compile all shaders, as if it were called for the first time.
fn command(place: &Place, line: &str) -> Command {
    let mut command = place.command(line);
    command.env("MESA_SHADER_CACHE_DISABLE", "true");
    command
}

fn start(place: &Place, line: &str) -> Child {
    command(place, line).spawn().unwrap()
}

fn call(place: &Place, line: &str) -> Outcome {
    end(start(place, line))
}

/// The program under limits of the shell, such as `ulimit -f 8`. A write past such a limit fails, as on a full disk.
fn limited(place: &Place, limits: &str, line: &str) -> Child {
    let mut command = place.program("sh");
    command.args(["-c", &format!("{limits}; exec {STEERLING} {line}")]).env("MESA_SHADER_CACHE_DISABLE", "true");
    command.spawn().unwrap()
}

/// Words of a run that goes on until it is ended.
const ENDLESS: &str = "run flock --agents 80 --steps 900000000";

/// Start a run that goes on until it is ended, and wait until it has written a file.
fn endless(place: &Place, out: &str, more: &str, file: &str) -> Child {
    let mut child = start(place, &format!("{ENDLESS} {more} --out {out}"));
    until(&mut child, || place.at(out).join(file).exists());
    child
}

/// Call it with a stream that is full, or that has lost its reader.
fn unheard(place: &Place, line: &str, stream: &str, full: bool) -> Outcome {
    let mut command = command(place, line);
    let device = File::options().write(true).open("/dev/full").unwrap();
    match stream {
        _ if !full => &mut command,
        "stdout" => command.stdout(device),
        _ => command.stderr(device),
    };
    let mut child = command.spawn().unwrap();
    // The reader goes at once.
    match stream {
        "stdout" => drop(child.stdout.take()),
        _ => drop(child.stderr.take()),
    }
    end(child)
}

/// Messages that cannot be written are dropped, and nothing else changes.
#[test]
fn a_full_or_broken_stderr_changes_nothing() {
    for full in [true, false] {
        let place = Place::new();
        // An agent that is not finite, of which a run makes a note.
        let data = [0.5, 0.5, 1.0, 1.0, f32::NAN, 0.0, 0.0, 0.0].map(f32::to_le_bytes);
        place.write("bad.npy", npy::npy("'<f4'", false, "(2, 4)", data.as_flattened()));
        for (line, code) in [
            ("run flock --steps 2 --from bad.npy -v --device cpu", 0),
            ("run flock --agents 80 --steps 2 -vv", 0),
            ("run flock --agents 80 --steps 2 --device cpu --set dt=0.9", 0),
            ("run flok", 5),
            ("render flock --agents 80 --size 8x8 --after 1", 0),
            ("profile flock --agents 80 --steps 1 --chrome-trace trace.json", 0),
            ("conform --only tpu", 2),
        ] {
            assert_eq!(unheard(&place, line, "stderr", full).code, code, "{line}, full: {full}");
        }
    }
}

#[test]
fn a_full_stdout_is_an_error_and_a_broken_one_is_none() {
    let place = Place::new();
    let run = "run flock --agents 80 --steps 2 --device cpu";
    for line in [run, "scenes", "behaviors", "schema", "shaders flock --dump", "help", "run --help", "--version"] {
        for full in [true, false] {
            let seen = unheard(&place, line, "stdout", full);
            assert_eq!(seen.code, i32::from(full), "{line}: {}", seen.err);
            assert_eq!(seen.err.contains("standard output"), full, "{line}: {}", seen.err);
        }
    }
    // What the runs wrote is whole all the same.
    for run in names(&place.at("out")) {
        assert_eq!(place.manifest(&format!("out/{run}"))["steps"], 2);
    }
}

/// Ctrl-C ends `tee`, too, and then nobody reads what the program says of its end.
#[test]
fn an_interrupt_without_a_reader_is_an_interrupt() {
    let place = Place::new();
    let mut child = endless(&place, "out", "--device cpu --every 50", "states/000050.npy");
    drop((child.stdout.take(), child.stderr.take()));
    signal(&child, "INT");
    assert_eq!(end(child).code, 130);
    assert_eq!(place.manifest("out")["ended"], "signal");
}

#[test]
fn a_run_whose_folder_goes_is_an_error() {
    let place = Place::new();
    for how in ["deleted", "moved", "replaced"] {
        // With and without states, which would make the folder anew.
        for every in [50, 9000] {
            let name = format!("{how}-{every}");
            let (out, away) = (place.at(&name), place.at(&format!("{name}-away")));
            let child = endless(&place, &name, &format!("--device cpu --every {every}"), "states/000000.npy");
            fs::rename(&out, &away).unwrap();
            match how {
                "deleted" => fs::remove_dir_all(&away).unwrap(),
                "replaced" => fs::create_dir(&out).unwrap(),
                _ => {}
            }
            let seen = end(child);
            seen.ended(1, &[&name, "moved or removed"]);
            assert_eq!(seen.out, "", "{how}");
            match how {
                "replaced" => assert_eq!(names(&out), [""; 0]),
                _ => assert!(!out.exists(), "{how}: it was made anew"),
            }
        }
    }
}

#[test]
fn files_of_others_in_the_folder_of_a_run_are_left_alone() {
    let place = Place::new();
    for name in ["run.json", "states/015000.npy", "checkpoints/015000.steering"] {
        let out = name.replace('/', "-");
        let more = "--device cpu --every 50 --checkpoint-every 5000";
        let child = endless(&place, &out, more, "checkpoints/005000.steering");
        let of_others = format!("{out}/{name}");
        place.write(&of_others, "years of work");
        if name == "run.json" {
            signal(&child, "TERM");
        }
        end(child).ended(1, &[name, "exists already"]);
        assert_eq!(place.text(&of_others), "years of work");
        if name != "run.json" {
            let error = place.manifest(&out)["error"].to_string();
            assert!(error.contains(name), "{error}");
        }
    }
}

#[test]
fn runs_that_start_together_get_a_folder_each() {
    let place = Place::new();
    let children = [(); 8].map(|()| start(&place, "run flock --agents 80 --steps 2 --device gpu"));
    children.into_iter().for_each(|child| end(child).ended(0, &[]));
    let runs = names(&place.at("out"));
    assert_eq!(runs.len(), 8, "{runs:?}");
    for run in runs {
        assert_eq!(names(&place.at("out").join(run)), ["metrics.csv", "run.json", "states"]);
    }
}

#[test]
fn a_missing_folder_is_noticed_at_once_and_a_trace_is_whole_or_not_there() {
    let place = Place::new();
    let profile = |limits: &str, more: &str| {
        end(limited(&place, limits, &format!("profile flock --agents 300 --steps 40 --chrome-trace {more}")))
    };
    let seen = profile("true", "none/trace.json");
    seen.ended(1, &["none/trace.json"]);
    assert_eq!(seen.out, "", "it was noticed at the end");

    for name in ["none/one.png", "none/film.gif"] {
        let seen = call(&place, &format!("render flock --agents 80 --after 100000000 --out {name}"));
        seen.ended(1, &[&format!("{name}: No such file")]);
    }

    place.write("trace.json", "old");
    profile("ulimit -f 4", "trace.json --force").ended(1, &["trace.json"]);
    assert_eq!(place.text("trace.json"), "old");
    profile("true", "trace.json").ended(1, &["--force"]);
    assert_eq!(names(place.path()), ["trace.json"]);

    profile("true", "trace.json --force").ended(0, &[]);
    let whole: Value = serde_json::from_str(&place.text("trace.json")).unwrap();
    assert!(whole["traceEvents"].as_array().unwrap().len() > 100);
    assert_eq!(names(place.path()), ["trace.json"]);
    // A link is replaced, and the file it leads to stays.
    place.write("kept", "mine");
    symlink("kept", place.at("link")).unwrap();
    profile("true", "link --force").ended(0, &[]);
    assert!(!place.at("link").is_symlink() && place.text("kept") == "mine");
    // A device is no file to be replaced.
    symlink("/dev/null", place.at("null")).unwrap();
    profile("true", "null --force").ended(1, &["no regular file"]);
    assert!(place.at("null").is_symlink());
}

/// The first file that did not fit is the one that is named, and pictures are whole or not there.
#[test]
fn a_full_disk_names_the_first_file() {
    let place = Place::new();
    // Two blocks of the shell are a kilobyte: less than a state, and less than run.json.
    let full = |line: &str| end(limited(&place, "ulimit -f 2", line));
    let seen = full("run flock --agents 300 --device cpu --steps 5 --every 1 --out out");
    seen.ended(1, &["run.json"]);
    let first = seen.err.lines().find(|line| line.starts_with("error:")).unwrap_or_default();
    assert!(first.contains("states/000000.npy") && !seen.err.contains(".steerling-"), "{}", seen.err);
    assert_eq!(names(&place.at("out/states")), [""; 0]);

    for name in ["one.png", "film.gif"] {
        let seen = full(&format!("render flock --agents 900 --after 1 --size 400x400 --out {name}"));
        // The system's sentence, and not the form of a programmer.
        seen.ended(1, &[name, "too large"]);
        assert!(!seen.err.contains('{'), "{name}: {}", seen.err);
    }
    assert_eq!(names(place.path()), ["out"]);
}

/// Begin a film with a stand-in for ffmpeg, so that the tests do not depend on what is installed.
fn film(place: &Place, ffmpeg: &str, size: &str, more: &str) -> Child {
    place.write("programs/ffmpeg", format!("#!/bin/sh\nfor file; do :; done\n{ffmpeg}\n"));
    fs::set_permissions(place.at("programs/ffmpeg"), fs::Permissions::from_mode(0o755)).unwrap();
    let line = format!("render flock --agents 300 --after 0 --size {size} --out film.mp4 {more}");
    let path = format!("{}:/usr/bin:/bin", place.at("programs").display());
    command(place, &line).env("PATH", path).spawn().unwrap()
}

#[test]
fn an_ffmpeg_that_says_much_is_no_deadlock() {
    let place = Place::new();
    let noise = "head -c 300000 /dev/zero | tr '\\0' x >&2; echo the last word >&2";
    end(film(&place, &format!("{noise}; wc -c > \"$file\""), "96x54", "--frames 20")).ended(0, &[]);
    let seen = end(film(&place, &format!("{noise}; cat > /dev/null; exit 1"), "96x54", "--frames 20 --force"));
    seen.ended(1, &["the last word"]);
    assert!(seen.err.len() < 10_000, "{} bytes", seen.err.len());
}

#[test]
fn an_ffmpeg_that_writes_nothing_is_an_error() {
    let place = Place::new();
    for program in ["cat > /dev/null", "exit 0", "cat > /dev/null; rm \"$file\""] {
        end(film(&place, program, "96x54", "--frames 20")).ended(1, &["film.mp4: ffmpeg"]);
        assert_eq!(names(place.path()), ["programs"], "{program}");
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
        let place = Place::new();
        let mut child = film(&place, program, size, frames);
        until(&mut child, || place.at("started").exists());
        std::thread::sleep(Duration::from_secs(1));
        signal(&child, "INT");
        end(child).ended(130, &[]);
        assert_eq!(names(place.path()), ["programs", "started"]);
    };
    // Side by side, because it is given ten seconds to end by itself.
    std::thread::scope(|scope| stalled.into_iter().for_each(|one| drop(scope.spawn(move || obeys(one)))));
}

#[test]
fn every_signal_leaves_a_whole_record() {
    let place = Place::new();
    let cases: [(&str, &[&str], i32); 5] = [
        ("hup", &["HUP"], 129),
        ("int", &["INT"], 130),
        ("term", &["TERM"], 143),
        ("twice", &["INT", "INT"], 130),
        ("both", &["INT", "TERM"], 130),
    ];
    for (name, signals, code) in cases {
        for round in 0..5 {
            let out = format!("{name}-{round}");
            let device = if round == 0 { "gpu" } else { "cpu" };
            let child = endless(&place, &out, &format!("--device {device} --every 50"), "states/000050.npy");
            let kills: Vec<String> = signals.iter().map(|name| format!("kill -s {name} {}", child.id())).collect();
            assert!(Command::new("sh").args(["-c", &kills.join("; ")]).status().unwrap().success());
            end(child).ended(code, &[]);
            let (run, metrics) = (place.manifest(&out), place.table(&format!("{out}/metrics.csv")));
            assert_eq!((&run["ended"], &run["signal"]), (&"signal".into(), &format!("SIG{}", signals[0]).into()));
            let last = ["step", "digest"].map(|name| metrics.column(name).pop().unwrap());
            assert_eq!(last, [run["steps"].to_string().as_str(), run["digest"].as_str().unwrap()]);
            let files = run["states"]["files"].as_array().unwrap();
            assert!(files.iter().all(|file| place.at(&out).join(file.as_str().unwrap()).is_file()));
            assert_eq!(files.last().unwrap(), &format!("states/{:06}.npy", run["steps"].as_u64().unwrap()));
        }
    }
}

#[test]
fn a_signal_leaves_a_checkpoint_where_that_is_asked_for() {
    let place = Place::new();
    for (name, flag) in [("TERM", "--checkpoint-at-end"), ("INT", "--checkpoint-at-end"), ("TERM", "--quiet")] {
        let out = format!("{name}{flag}");
        let child = endless(&place, &out, &format!("--device cpu --every 50 {flag}"), "states/000100.npy");
        signal(&child, name);
        end(child);
        let (run, kept) = (place.manifest(&out), place.at(&out).join("checkpoints").exists());
        assert_eq!((&run["ended"], kept), (&"signal".into(), flag == "--checkpoint-at-end"));
        if kept {
            let steps = run["steps"].as_u64().unwrap() + 10;
            place.good(&format!("run --resume {out} --device cpu --steps {steps}"));
            let run = place.manifest(&out);
            assert_eq!((&run["ended"], &run["steps"]), (&"steps".into(), &steps.into()));
        }
    }
}

/// As under nohup: the run is to outlive its terminal.
#[test]
fn a_hangup_that_is_ignored_stays_ignored() {
    let place = Place::new();
    let mut child = limited(&place, "trap '' HUP", &format!("{ENDLESS} --device cpu --every 50 --out out"));
    let states = || names(&place.at("out/states")).len();
    until(&mut child, || place.at("out/states/000050.npy").exists());
    signal(&child, "HUP");
    let rows = states();
    until(&mut child, || states() >= rows + 50);
    signal(&child, "TERM");
    assert_eq!(end(child).code, 143);
}

/// Whatever is quoted writes nowhere else on a terminal, and is short.
#[test]
fn what_is_quoted_is_printed_as_text_and_shortened() {
    let place = Place::new();
    for line in [
        "conform FILTER",
        "bench FILTER",
        "behaviors FILTER",
        "run FILTER",
        "run flock --steps FILTER",
        "run flock --until FILTER>1",
        "FILTER",
    ] {
        let filter = format!("\u{1b}[31m{}", "x".repeat(10_000));
        let seen = call(&place, &line.replace("FILTER", &filter));
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
        let place = Place::new();
        let mut command = command(&place, "run flock --agents 80 --steps 2 --device cpu");
        let seen = end(command.env(variable, value).spawn().unwrap());
        match code {
            0 => seen.ended(0, &[]),
            _ => seen.ended(code, &[variable, value]),
        }
    }
}

/// Without a display a picture is drawn, and a note says so. The user gave no name for it, so if the name is taken the next one is used.
#[test]
fn pictures_in_place_of_windows_that_are_drawn_together_get_a_name_each() {
    let place = Place::new();
    let children = [(); 3].map(|()| {
        let mut command = command(&place, "view flock --agents 80 --set start.steps=1");
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        command.spawn().unwrap()
    });
    let mut said = String::new();
    for seen in children.map(end) {
        seen.ended(0, &["no window", "DISPLAY"]);
        said += &seen.out;
    }
    let drawn = names(place.path());
    assert_eq!(drawn, ["flock-000001-2.png", "flock-000001-3.png", "flock-000001.png"]);
    assert!(drawn.iter().all(|name| said.contains(name)), "{said}");
    assert_eq!(image::image_dimensions(place.at(&drawn[0])).unwrap(), (1280, 720));
}

fn fifo(place: &Place, name: &str) {
    assert!(place.program("mkfifo").arg(name).status().unwrap().success());
}

#[test]
fn a_pipe_that_nobody_writes_to_obeys_the_first_interrupt() {
    let place = Place::new();
    fifo(&place, "scene.toml");
    let child = start(&place, "run scene.toml --device cpu --out out");
    std::thread::sleep(Duration::from_millis(700));
    signal(&child, "INT");
    assert_eq!(end(child).code, 130);
    assert!(!place.at("out").exists());
}

/// Pipes, devices, and files that are too large for what they are, with numbers.
#[test]
fn inputs_that_are_no_files_or_too_large_are_refused() {
    for kind in ["fifo", "zero", "sparse"] {
        let place = Place::new();
        fs::create_dir_all(place.at("shaders/sim")).unwrap();
        for name in ["shaders/sim/steer.wgsl", "state.npy", "whole.steering", "field.png", "field.json", "swirl.wgsl"] {
            match kind {
                "fifo" => fifo(&place, name),
                "zero" => symlink("/dev/zero", place.at(name)).unwrap(),
                _ => File::create(place.at(name)).unwrap().set_len(1 << 40).unwrap(),
            }
        }
        for (name, text) in [
            ("image.toml", "field = { source = \"field.png\", speed = 1 }"),
            ("wind.toml", "field = { source = \"field.json\" }"),
            ("own.toml", "[[behavior]]\nfile = \"swirl.wgsl\""),
        ] {
            let field = if name == "own.toml" { "" } else { "behaviors.flow_field = {}\n" };
            let text = format!("schema = 1\nworld.size = [10, 10]\n{text}\n[[species]]\ncount = 3\n{field}");
            place.write(name, text);
        }
        for (line, file, bounded) in [
            ("run flock --device cpu --from state.npy", "state.npy", false),
            ("run --device cpu --resume whole.steering", "whole.steering", true),
            ("run image.toml --device cpu", "field.png", true),
            ("run wind.toml --device cpu", "field.json", true),
            ("run own.toml --device cpu", "swirl.wgsl", false),
            ("run flock --shaders shaders", "steer.wgsl", true),
        ] {
            let reasons = match kind {
                "sparse" if !bounded => continue,
                "sparse" => ["1099511627776"; 2],
                _ => ["no regular file", "this is no file"],
            };
            // The limit stops a program that reads without end before it takes all memory of the machine.
            let seen = end(limited(&place, "ulimit -v 6000000", &format!("{line} --out out")));
            seen.ended(5, &[file]);
            assert!(reasons.iter().any(|words| seen.err.contains(words)), "{kind}, {line}: {}", seen.err);
            assert!(!place.at("out").exists());
        }
    }
}
