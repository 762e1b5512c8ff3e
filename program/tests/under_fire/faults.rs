//! Every operation on files and on the device that a command does fails once, then twice in a row: no panic, an exit code
//! that `--help` documents, no lie in what is left, and a run goes on from its last whole checkpoint to the same digest.
//!
//! Faults are asked for by `STEERLING_FAULT`, which the program's builds with assertions listen to (`src/fault.rs`).
#![cfg(debug_assertions)]

use crate::place::{Outcome, Place, Table, end};
use rayon::prelude::*;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Call it with faults. Drivers keep what they compiled: it is called very often.
fn call(place: &Place, fault: &str, line: &str) -> Outcome {
    end(place.command(line).env("STEERLING_FAULT", fault).spawn().unwrap())
}

/// Let the first operation of a kind fail, then the second and so on, each with the next one and alone, and judge each run. If the last
/// word of the line begins with `old`, that file exists before. Returns how many operations there were.
fn each_fails(kind: &str, line: &str, judge: impl Fn(&Place, &Outcome, &str)) -> usize {
    let old = line.split(' ').next_back().filter(|name| name.starts_with("old"));
    for number in 1.. {
        for fault in [format!("{kind}:{number}-{}", number + 1), format!("{kind}:{number}")] {
            let place = Place::new();
            old.inspect(|name| place.write(name, "old"));
            let seen = call(&place, &fault, line);
            let faults = seen.err.lines().filter(|line| line.starts_with("fault ")).count();
            if faults == 0 {
                assert_eq!(seen.code, 0, "{line}: {}", seen.err);
                return number - 1;
            }
            judge(&place, &seen, &fault);
            if faults == 1 {
                // There was no next one, so alone it is this very run.
                break;
            }
        }
    }
    unreachable!()
}

/// Names of all files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

fn manifest(folder: &Path) -> Option<Value> {
    folder.join("run.json").exists().then(|| crate::place::manifest(folder))
}

/// Assert that all files that a run left are whole and true. Returns the last checkpoint.
fn judge_run(out: &Path, what: &str) -> Option<PathBuf> {
    if !out.exists() {
        return None;
    }
    for path in files(out) {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(!name.starts_with(".steerling-"), "{what}: {name} was left");
        if name.ends_with(".npy") {
            let file = npyz::NpyFile::new(fs::File::open(&path).unwrap()).unwrap();
            assert_eq!(file.into_vec::<f32>().unwrap().len(), 4 * 60, "{what}: {name}");
        }
        if name.ends_with(".steering") {
            steerling::output::read_checkpoint(&path).unwrap_or_else(|error| panic!("{what}: {error}"));
        }
    }
    if let Some(run) = manifest(out) {
        let (rows, steps) = (Table::read(&out.join("metrics.csv")), run["steps"].to_string());
        match rows.column("step").iter().position(|step| *step == steps) {
            Some(row) => assert_eq!(run["digest"], rows.column("digest")[row], "{what}: {rows:?}"),
            None => assert!(run["error"].is_string(), "{what}: {run:#}"),
        }
        for file in run["states"]["files"].as_array().unwrap() {
            assert!(out.join(file.as_str().unwrap()).is_file(), "{what}: run.json lists {file}, which is not there");
        }
        let whole = run["steps"] == run["steps_asked"] && run["error"].is_null();
        assert!(whole || run["error"].is_string() || run["ended"] == "signal", "{what}: {run:#}");
    }
    let mut checkpoints = files(out);
    checkpoints.retain(|path| path.extension().is_some_and(|ending| ending == "steering"));
    checkpoints.pop()
}

const RUN: &str = "run flock --agents 60 --steps 6 --every 3 --checkpoint-every 2 --out out";

/// Go on from a checkpoint that a run with faults left, and compare the end with that of a run without any.
fn goes_on(place: &Place, checkpoint: &Path, device: &str, digest: &Value, what: &str) {
    let line = format!("run --resume {} --steps 6 --device {device} --out on-{device}", checkpoint.display());
    let on = call(place, "", &line);
    on.ended(0, &[]);
    assert_eq!(place.digest(&format!("on-{device}")), *digest, "{what} on {device}");
}

/// The digest of a run without faults.
fn digest(line: &str) -> Value {
    let place = Place::new();
    assert_eq!(call(&place, "", line).code, 0);
    place.digest("out")
}

#[test]
fn a_run_survives_each_fault_of_the_disk() {
    let (line, resumed) = (format!("{RUN} --device cpu"), std::cell::Cell::new(0));
    let digest = digest(&line);
    let points = each_fails("file", &line, |place, seen, fault| {
        seen.ended(1, &["no storage space"]);
        assert_eq!(seen.out, "", "{fault}");
        assert_eq!(seen.err.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{fault}: {}", seen.err);
        if let Some(checkpoint) = judge_run(&place.at("out"), fault) {
            goes_on(place, &checkpoint, "cpu", &digest, fault);
            resumed.set(resumed.get() + 1);
        }
    });
    eprintln!("run: {points} operations on files, {} runs gone on with", resumed.get());
    assert!(points >= 30 && resumed.get() >= 20, "{points} points, {} resumed", resumed.get());
}

/// With a folder that it finds itself.
#[test]
fn a_run_without_a_name_survives_each_fault_of_the_disk() {
    let points = each_fails("file", "run flock --agents 60 --steps 2 --device cpu", |place, seen, fault| {
        seen.ended(1, &["no storage space"]);
        for run in fs::read_dir(place.at("out")).into_iter().flatten() {
            judge_run(&run.unwrap().path(), fault);
        }
    });
    assert!(points >= 8, "{points} points");
}

#[test]
fn pictures_and_traces_survive_each_fault_of_the_disk() {
    let lines = [
        ("render flock --agents 60 --size 40x30 --after 1 --force --out old.png", 3),
        ("render flock --agents 60 --size 40x30 --after 1 --frames 2 --out many/", 6),
        ("render flock --agents 60 --size 40x30 --after 1 --frames 2 --force --out old.gif", 3),
        ("profile flock --agents 60 --steps 2 --force --chrome-trace old.json", 3),
        ("bench fg_2d --agents 60 --samples 1 --steps 1 --no-drawing --state fresh --force --plot old.svg", 3),
    ];
    for (line, least) in lines {
        let points = each_fails("file", line, |place, seen, fault| {
            seen.ended(1, &["no storage space"]);
            for path in files(place.path()) {
                let name = path.file_name().unwrap().to_str().unwrap();
                assert!(!name.starts_with('.'), "{line}, {fault}: {name} was left");
                // A file that was there is whole after each fault.
                let whole = match name.starts_with("old") {
                    true => fs::read_to_string(&path).is_ok_and(|text| text == "old"),
                    false => name.ends_with(".png") && image::open(&path).is_ok(),
                };
                assert!(whole, "{line}, {fault}: {name}");
            }
            assert!(files(place.path()).len() == 1 || line.ends_with("many/"), "{line}, {fault}");
        });
        eprintln!("{line}: {points} operations on files");
        assert!(points >= least, "{line}: {points} points");
    }
}

#[test]
fn commands_survive_each_fault_of_the_device() {
    let lines = [
        (format!("{RUN} --device gpu"), 10),
        ("verify flock --agents 60 --steps 1 --free-steps 1".to_owned(), 10),
        ("profile flock --agents 60 --steps 1 --warmup 1".to_owned(), 4),
        ("bench fg_2d --agents 60 --samples 1 --steps 1 --state fresh --size 40x30".to_owned(), 4),
        ("render flock --agents 60 --size 40x30 --after 1 --out one.png".to_owned(), 4),
    ];
    // Side by side, because much of it is waiting for processes to begin and end.
    lines.par_iter().for_each(|(line, least)| {
        let points = each_fails("gpu", line, |place, seen, fault| {
            seen.ended(6, &["the GPU failed: a fault"]);
            judge_run(&place.at("out"), fault);
            // The figures of the picture come after it.
            let picture = place.at("one.png");
            assert!(!picture.exists() || image::open(&picture).is_ok(), "{line}, {fault}");
        });
        eprintln!("{line}: {points} operations on the device");
        assert!(points >= *least, "{line}: {points} points");
    });
}

#[test]
fn a_lost_device_loses_nothing_that_is_written() {
    let (line, resumed) = (format!("{RUN} --device gpu"), std::cell::Cell::new(0));
    let digest = digest(&line);
    let batches = each_fails("lost", &line, |place, seen, fault| {
        seen.ended(6, &["lost"]);
        let run = manifest(&place.at("out")).expect("the record is written all the same");
        assert!(run["error"].as_str().unwrap().contains("lost"), "{run:#}");
        if let Some(checkpoint) = judge_run(&place.at("out"), fault) {
            ["gpu", "cpu"].into_iter().for_each(|device| goes_on(place, &checkpoint, device, &digest, fault));
            resumed.set(resumed.get() + 1);
        }
    });
    assert!(batches >= 4 && resumed.get() >= 3, "{batches} batches, {} resumed", resumed.get());
}
