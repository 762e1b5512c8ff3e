//! Stopping a run and going on with it: the same digests as without stopping, and nothing broken is taken for whole.

use super::{call, line_in};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use steerling::output::{Computed, read_checkpoint, write_checkpoint};
use tempfile::TempDir;

/// Run `steerling run` and return its exit code and what it said.
fn run(arguments: &str) -> (i32, String) {
    let line: Vec<&str> = ["run", "--quiet"].into_iter().chain(arguments.split_whitespace()).collect();
    let seen = call(&line);
    (seen.code, seen.err)
}

fn digest(folder: &Path) -> (u64, String) {
    let manifest: Value = serde_json::from_str(&fs::read_to_string(folder.join("run.json")).unwrap()).unwrap();
    (manifest["steps"].as_u64().unwrap(), manifest["digest"].as_str().unwrap().to_owned())
}

/// A run of ten steps with a checkpoint after every second one; returns the checkpoints.
fn checkpoints(folder: &Path, arguments: &str) -> Vec<PathBuf> {
    let out = folder.display();
    let (code, said) = run(&format!("{arguments} --steps 11 --checkpoint-every 2 --out {out}"));
    assert_eq!(code, 0, "{arguments}: {said}");
    let mut paths: Vec<_> = fs::read_dir(folder.join("checkpoints")).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    assert_eq!(paths.len(), 5);
    paths
}

#[test]
fn going_on_equals_not_stopping() {
    let scenes = [
        "flock --agents 500",
        "murmuration --agents 500 --seed 9",
        "wind --agents 400",
        "foraging_ants",
        "predator_and_prey --agents 2000",
        "leader_following",
        "wander --set species.0.update_every=3",
        "flock --agents 300 --set species.0.smoothing_time=0.3 --device cpu",
        "foraging_ants --device cpu",
        "fish_tank",
        "slime --agents 2000",
        "evacuation --set species.0.enters=320 --set species.0.spawn.goal=outside",
    ];
    let folder = TempDir::new().unwrap();
    for (index, scene) in scenes.into_iter().enumerate() {
        let whole = folder.path().join(format!("{index}"));
        for (part, path) in checkpoints(&whole, scene).iter().enumerate() {
            let out = folder.path().join(format!("{index}-{part}"));
            // In turn on both backends.
            let device = if part % 2 == 0 { "cpu" } else { "gpu" };
            let (path, shown) = (path.display(), out.display());
            let (code, said) = run(&format!("--resume {path} --steps 11 --device {device} --out {shown}"));
            assert_eq!(code, 0, "{scene}: {said}");
            assert_eq!(digest(&out), digest(&whole), "{scene} from {path} on {device}");
        }
    }
}

#[test]
fn what_is_broken_is_refused_with_a_reason() {
    let folder = TempDir::new().unwrap();
    let paths = checkpoints(&folder.path().join("whole"), "flock --agents 60 --device cpu");
    let whole = fs::read(&paths[2]).unwrap();
    let broken = folder.path().join("broken.steering");
    let out = folder.path().join("out");
    let resume = |bytes: &[u8], more: &str| {
        fs::write(&broken, bytes).unwrap();
        run(&format!("--resume {} --steps 11 --device cpu {more} --out {}", broken.display(), out.display()))
    };
    for part in 0..25 {
        let (code, said) = resume(&whole[..whole.len() * part / 25], "");
        assert_eq!(code, 5, "cut to {part} of 25: {said}");
        assert!(said.contains("broken.steering") && !out.exists(), "{said}");
    }
    for part in 0..25 {
        let mut flipped = whole.clone();
        flipped[whole.len() * part / 25 + part % 7] ^= 1 << (part % 8);
        let (code, said) = resume(&flipped, "");
        assert_eq!(code, 5, "a flipped bit in part {part} of 25: {said}");
        assert!(!out.exists());
    }
    let mut newer = whole.clone();
    newer[8] += 1;
    assert!(resume(&newer, "").1.contains("version"));
    // The contents are vouched for by the hash only; what they say is checked too.
    let mut hostile = whole.clone();
    let end = hostile.len();
    hostile.truncate(end - 4);
    let hash = blake3::hash(&hostile[44..]);
    hostile[12..44].copy_from_slice(hash.as_bytes());
    assert_eq!(resume(&hostile, "").0, 5);
    for other in ["wander", "--seed 77", "--agents 61", "--set species.0.max_speed=33"] {
        let (code, said) = resume(&whole, other);
        assert!(code == 5 && said.contains("another scene"), "{other}: {code} {said}");
    }
    // Nothing was overwritten, and the unbroken file is taken.
    assert_eq!(fs::read(&paths[2]).unwrap(), whole);
    let (code, said) = resume(&whole, "flock --agents 60");
    assert_eq!(code, 0, "{said}");
}

/// What else changes a result is known too: other shaders are refused, and the order of threads is said.
#[test]
fn what_computes_otherwise_is_refused_or_said() {
    let folder = TempDir::new().unwrap();
    let own = folder.path().join("own/sim/integrate.wgsl");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    let text = fs::read_to_string("../shaders/sim/integrate.wgsl").unwrap();
    fs::write(&own, format!("{text}// mine\n")).unwrap();
    let shaders = format!("--shaders {}", folder.path().join("own").display());
    let made = |name: &str, with: &str| {
        checkpoints(&folder.path().join(name), &format!("flock --agents 60 --device gpu {with}")).remove(2)
    };
    let (plain, mine, unordered) = (made("plain", ""), made("mine", &shaders), made("unordered", "--unordered"));
    let resume = |path: &Path, with: &str, name: &str| {
        let out = folder.path().join(name);
        let (code, said) = run(&format!("--resume {} --steps 11 {with} --out {}", path.display(), out.display()));
        assert!(code == 0 || !out.exists(), "{said}");
        (code, said)
    };
    let refused = |(code, said): (i32, String)| code == 5 && said.contains("another sim/integrate.wgsl");
    assert_eq!(resume(&mine, &shaders, "same").0, 0);
    for (path, with) in [(&mine, ""), (&mine, "--device cpu"), (&plain, shaders.as_str())] {
        assert!(refused(resume(path, with, "other")), "{} {with}", path.display());
    }
    fs::write(&own, format!("{text}// mine again\n")).unwrap();
    assert!(refused(resume(&mine, &shaders, "other")));
    let said = "in the order of ids";
    for (index, (path, with, differs)) in
        [(&plain, "", false), (&plain, "--unordered", true), (&unordered, "--device cpu", true)].into_iter().enumerate()
    {
        let seen = resume(path, with, &index.to_string());
        assert!(seen.0 == 0 && seen.1.contains(said) == differs, "{with}: {}", seen.1);
    }
    // Of another build.
    let (recipe, computed, snapshot) = read_checkpoint(&plain).unwrap();
    let older = folder.path().join("older.steering");
    write_checkpoint(&older, false, &recipe, &Computed { built_in: [7; 32], ..computed }, &snapshot).unwrap();
    for (path, differs) in [(&plain, false), (&older, true)] {
        let seen = resume(path, "", &format!("build-{differs}"));
        assert!(seen.0 == 0 && seen.1.contains("a program with other shaders") == differs, "{}", seen.1);
    }
}

/// `run.json` says from what a run went on; it goes on in any folder, and never back.
#[test]
fn a_run_goes_on_from_anywhere_and_only_forward() {
    let folder = TempDir::new().unwrap();
    let [scenes, other] = ["scenes", "other"].map(|name| folder.path().join(name));
    fs::create_dir_all(&scenes).unwrap();
    fs::create_dir_all(&other).unwrap();
    fs::copy("../examples/own_behaviors/swirl.wgsl", scenes.join("swirl.wgsl")).unwrap();
    let scene = "schema = 1\nworld.size = [40, 40]\n[[behavior]]\nfile = \"swirl.wgsl\"\n[[species]]\ncount = 20\nbehaviors.swirl = {}\n";
    fs::write(scenes.join("mine.toml"), scene).unwrap();
    let steerling = |place: &Path, line: &str| {
        let seen = line_in(place, &format!("{line} --device cpu --quiet"));
        (seen.code, seen.err)
    };
    for (name, file) in [("a", "scenes/mine.toml"), ("b", "scenes/mine.toml --set behavior.0.file=scenes/swirl.wgsl")] {
        let (code, said) = steerling(folder.path(), &format!("run {file} --steps 6 --checkpoint-every 4 --out {name}"));
        assert_eq!(code, 0, "{said}");
        let path = format!("../{name}/checkpoints/000004.steering");
        let (code, said) = steerling(&other, &format!("run --resume {path} --steps 6 --out {name}"));
        assert_eq!(code, 0, "{said}");
        assert_eq!(digest(&other.join(name)), digest(&folder.path().join(name)));
        let record = fs::read_to_string(other.join(name).join("run.json")).unwrap();
        let record: Value = serde_json::from_str(&record).unwrap();
        let resumed = &record["resumed"];
        assert!(resumed["file"].as_str().unwrap().ends_with(&path) && resumed["step"] == 4, "{resumed}");
        let (code, said) = steerling(&other, &format!("run --resume {path} --steps 3 --out back"));
        assert!(code == 2 && said.contains("is of step 4") && !other.join("back").exists(), "{code:?} {said}");
    }
}

/// A checkpoint holds no behaviors of one's own, images or winds, but knows what they were.
#[test]
fn files_of_a_scene_that_have_changed_are_refused() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str| folder.path().join(name);
    fs::copy("../examples/own_behaviors/swirl.wgsl", file("swirl.wgsl")).unwrap();
    let wind = |east: f64| {
        let record = |number: u32, value: f64| {
            format!(
                r#"{{"header": {{"parameterCategory": 2, "parameterNumber": {number}, "nx": 2, "ny": 2}}, "data": [{value}, 0, 0, 1]}}"#
            )
        };
        fs::write(file("wind.json"), format!("[{}, {}]", record(2, east), record(3, 1.0))).unwrap();
    };
    wind(1.0);
    let scene = "schema = 1\nworld.size = [40, 40]\nfield = { source = \"wind.json\" }\n[[behavior]]\nfile = \"swirl.wgsl\"\n[[species]]\n\
                 count = 20\nbehaviors.swirl = {}\nbehaviors.flow_field = {}\n";
    fs::write(file("mine.toml"), scene).unwrap();
    let whole = folder.path().join("whole");
    let path = checkpoints(&whole, &format!("{} --device cpu", file("mine.toml").display())).remove(2);
    let resume = |name: &str| {
        let out = folder.path().join(name);
        let (code, said) = run(&format!("--resume {} --steps 11 --device cpu --out {}", path.display(), out.display()));
        (code, said, out)
    };
    let (code, said, out) = resume("same");
    assert_eq!(code, 0, "{said}");
    assert_eq!(digest(&out), digest(&whole));
    wind(1.5);
    let (code, said, out) = resume("other_wind");
    assert!(code == 5 && said.contains("wind.json") && said.contains("is not as it was"), "{code} {said}");
    assert!(!out.exists());
    wind(1.0);
    let swirl = fs::read_to_string(file("swirl.wgsl")).unwrap();
    fs::write(file("swirl.wgsl"), format!("{swirl}\n")).unwrap();
    let (code, said, _) = resume("other_behavior");
    assert!(code == 5 && said.contains("swirl.wgsl") && said.contains("is not as it was"), "{code} {said}");
    fs::write(file("swirl.wgsl"), swirl).unwrap();
    assert_eq!(resume("as_before").0, 0);
}
