//! Stopping a run and going on with it: the same digests as without stopping, and nothing broken is taken for whole.

use super::messages::embedded;
use super::place::{Outcome, Place, wind};
use super::root;
use serde_json::Value;
use std::fs;
use steerling::output::{Computed, Recipe, read_checkpoint, write_checkpoint};
use steerling::scene::{Draft, Scene};

fn end(place: &Place, name: &str) -> (Value, Value) {
    (place.manifest(name)["steps"].clone(), place.digest(name))
}

/// A run of 11 steps with a checkpoint after every second one; returns the checkpoints.
fn checkpoints(place: &Place, name: &str, arguments: &str) -> Vec<String> {
    place.run(&format!("--quiet {arguments} --steps 11 --checkpoint-every 2"), name);
    let file = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let files = fs::read_dir(place.at(name).join("checkpoints")).unwrap().map(|entry| file(entry.unwrap()));
    let mut paths: Vec<_> = files.map(|file| format!("{name}/checkpoints/{file}")).collect();
    paths.sort();
    assert_eq!(paths.len(), 5);
    paths
}

fn resume(place: &Place, path: &str, with: &str, name: &str) -> Outcome {
    let seen = place.call(&format!("run --resume {path} --steps 11 {with} --out {name}"));
    assert!(seen.code == 0 || !place.at(name).exists(), "{}", seen.err);
    seen
}

/// The same, which is refused with these words.
fn stays(place: &Place, path: &str, with: &str, words: &str) {
    resume(place, path, with, "no").ended(5, &[words]);
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
    for scene in scenes {
        let place = Place::new();
        let paths = checkpoints(&place, "whole", scene);
        for (path, device) in [(&paths[0], "cpu"), (&paths[3], "gpu")] {
            resume(&place, path, &format!("--device {device}"), device).ended(0, &[]);
            assert_eq!(end(&place, device), end(&place, "whole"), "{scene} from {path} on {device}");
        }
    }
}

/// A recipe makes the scene again also where a program changed it, or wrote it; else there is none.
#[test]
fn a_recipe_makes_the_scene_of_a_program() {
    let flock = Scene::open("flock", &[]).unwrap().with_agents(90).unwrap();
    let changed = flock.with(|draft| (draft.seed, draft.species[0].max_speed) = (99, 15.0)).unwrap();
    let mut draft = Draft::new("own", [30.0, 20.0]);
    draft.species.push(flock.species[0].clone());
    for scene in [changed, draft.validate().unwrap()] {
        let made = Recipe::new(&scene, None, None).unwrap().scene().unwrap();
        assert_eq!(made.changed_since(&scene), []);
    }
}

#[test]
fn what_is_broken_is_refused_with_a_reason() {
    let place = Place::new();
    let path = checkpoints(&place, "whole", "flock --agents 60 --device cpu").remove(2);
    let whole = fs::read(place.at(&path)).unwrap();
    let refused = |bytes: &[u8], more: &str, words: &str| {
        place.write("broken.steering", bytes);
        stays(&place, "broken.steering", &format!("--device cpu {more}"), words);
    };
    for part in 0..25 {
        refused(&whole[..whole.len() * part / 25], "", "broken.steering");
        let mut flipped = whole.clone();
        flipped[whole.len() * part / 25 + part % 7] ^= 1 << (part % 8);
        refused(&flipped, "", "");
    }
    let mut newer = whole.clone();
    newer[8] += 1;
    refused(&newer, "", "version");
    // The contents are vouched for by the hash only; what they say is checked too.
    let mut hostile = whole[..whole.len() - 4].to_vec();
    let hash = blake3::hash(&hostile[44..]);
    hostile[12..44].copy_from_slice(hash.as_bytes());
    refused(&hostile, "", "");
    for other in ["wander", "--seed 77", "--agents 61", "--set species.0.max_speed=33"] {
        refused(&whole, other, "another scene");
    }
    // Nothing was overwritten, and the unbroken file is taken.
    assert_eq!(fs::read(place.at(&path)).unwrap(), whole);
    resume(&place, &path, "--device cpu flock --agents 60", "out").ended(0, &[]);
}

/// What else changes a result is known too: other shaders are refused, and the order of threads is said.
#[test]
fn what_computes_otherwise_is_refused_or_said() {
    let place = Place::new();
    let own = "own/sim/integrate.wgsl";
    let text = embedded("sim/integrate.wgsl");
    place.write(own, format!("{text}// mine\n"));
    let shaders = "--shaders own";
    let made =
        |name: &str, with: &str| checkpoints(&place, name, &format!("flock --agents 60 --device gpu {with}")).remove(2);
    let (plain, mine, unordered) = (made("plain", ""), made("mine", shaders), made("unordered", "--unordered"));
    let refused = |path: &str, with: &str| stays(&place, path, with, "another sim/integrate.wgsl");
    assert_eq!(resume(&place, &mine, shaders, "same").code, 0);
    for (path, with) in [(&mine, ""), (&mine, "--device cpu"), (&plain, shaders)] {
        refused(path, with);
    }
    place.write(own, format!("{text}// mine again\n"));
    refused(&mine, shaders);
    // Of another build.
    let (recipe, computed, snapshot) = read_checkpoint(&place.at(&plain)).unwrap();
    let computed = Computed { built_in: [7; 32], ..computed };
    write_checkpoint(&place.at("older.steering"), false, &recipe, &computed, &snapshot).unwrap();
    let (order, build) = ("in the order of ids", "a program with other built-in shaders");
    for (name, path, with, said) in [
        ("again", plain.as_str(), "", [false, false]),
        ("unordered-now", &plain, "--unordered", [true, false]),
        ("ordered-now", &unordered, "--device cpu", [true, false]),
        ("built-now", "older.steering", "", [false, true]),
    ] {
        let seen = resume(&place, path, with, name);
        let found = [order, build].map(|words| seen.err.contains(words));
        assert!(seen.code == 0 && found == said, "{path} {with}: {}", seen.err);
    }
}

/// A behavior of one's own, in a scene.
const OWN: &str = "schema = 1\nworld.size = [40, 40]\nbehavior = [{ file = \"swirl.wgsl\" }]\n\
                   [[species]]\ncount = 20\nbehaviors.swirl = {}\n";

fn swirl() -> String {
    fs::read_to_string(root().join("examples/own_behaviors/swirl.wgsl")).unwrap()
}

/// `run.json` says from what a run went on; it goes on in any folder, and never back.
#[test]
fn a_run_goes_on_from_anywhere_and_only_forward() {
    let (place, other) = (Place::new(), Place::new());
    place.write("scenes/swirl.wgsl", swirl());
    place.write("scenes/mine.toml", OWN);
    let set = "scenes/mine.toml --set behavior";
    let in_a_list = format!("{set}=[{{file=\"scenes/swirl.wgsl\"}}]");
    for (name, file) in
        [("a", "scenes/mine.toml"), ("b", &format!("{set}.0.file=scenes/swirl.wgsl")), ("c", &in_a_list)]
    {
        place.run(&format!("{file} --steps 6 --checkpoint-every 4 --device cpu"), name);
        let path = place.at(name).join("checkpoints/000004.steering").display().to_string();
        other.run(&format!("--resume {path} --steps 6 --device cpu"), name);
        assert_eq!(end(&other, name), end(&place, name));
        let resumed = &other.manifest(name)["resumed"];
        assert!(resumed["file"].as_str().unwrap().ends_with(&path) && resumed["step"] == 4, "{resumed}");
        let back = format!("run --resume {path} --steps 3 --device cpu --out no");
        other.refused(&back, 2, "is a checkpoint of step 4");
    }
}

/// A folder of runs, scenes and data that was moved is as good as it was where it was.
#[test]
fn a_run_is_repeated_where_its_files_were_moved() {
    let place = Place::new();
    place.write("old/scenes/wind.json", wind(1.0, 1.0));
    place.write("old/scenes/own/swirl.wgsl", swirl());
    let scene = OWN.replace("swirl.wgsl", "own/swirl.wgsl");
    place.write("old/scenes/mine.toml", format!("field.source = \"wind.json\"\n{scene}behaviors.flow_field = {{}}\n"));
    let run = "run --quiet --device cpu old/scenes/mine.toml";
    place.good(&format!("{run} --steps 2 --out old/runs/first"));
    let from = "--from old/runs/first/states/000002.npy";
    place.good(&format!("{run} {from} --steps 6 --checkpoint-every 4 --out old/runs/a"));
    fs::rename(place.at("old"), place.at("new")).unwrap();
    let again = |said: &str| {
        let seen = place.good("rerun new/runs/a --check --device cpu");
        assert!(seen.out.contains(said), "{}", seen.out);
    };
    again("after 6 steps, on");
    place.good("run --resume new/runs/a --device cpu --steps 8");
    again("after 8 steps (4 of them computed, from the checkpoint of step 4 on), on");
    let from = place.manifest("new/runs/a")["from"].clone();
    assert!(from["path"].as_str().unwrap().ends_with("first/states/000002.npy"), "{from}");
    fs::create_dir(place.at("last")).unwrap();
    fs::rename(place.at("new"), place.at("last/new")).unwrap();
    place.good("rerun last/new/runs/a --check --device cpu");
    place.write("last/new/scenes/wind.json", wind(2.0, 1.0));
    for line in ["rerun last/new/runs/a --check", "run --resume last/new/runs/a"] {
        place.refused(
            &format!("{line} --device cpu"),
            5,
            "is not there, and the files of the run do not lie at the same places",
        );
    }
}

/// Who went on in place from an earlier checkpoint has later ones still, but no rows up to them.
#[test]
fn no_run_goes_on_behind_the_end_of_its_tables() {
    let place = Place::new();
    let resume = "run --quiet --device cpu --resume a";
    place.good("run --quiet --device cpu flock --agents 60 --steps 12 --metrics-every 1 --checkpoint-every 4 --out a");
    let table = place.text("a/metrics.csv");
    // Rows of later steps would be lost.
    let lost = "give at least --steps 12, or another folder with --out";
    place.refused(&format!("{resume}/checkpoints/000004.steering --steps 6"), 5, lost);
    assert_eq!(place.text("a/metrics.csv"), table);
    assert_eq!(place.manifest("a")["steps"], 12);
    // As a run leaves it that was resumed in place from step 4, and killed.
    place.write("a/metrics.csv", table.lines().take(8).map(|row| format!("{row}\n")).collect::<String>());
    fs::remove_file(place.at("a/run.json")).unwrap();
    let lacks = |after: u32| {
        let words = format!("has no row between step {after} and step 12, at which the checkpoint was written");
        place.refused(&format!("{resume} --steps 14"), 5, &words);
    };
    lacks(6);
    // Nor from rows that somebody has put in another order.
    let table = place.text("a/metrics.csv");
    let mut lines: Vec<&str> = table.lines().take(5).collect();
    lines.swap(3, 4);
    place.write("a/metrics.csv", lines.join("\n") + "\n");
    lacks(2);
    place.write("a/metrics.csv", table);
    place.good(&format!("{resume}/checkpoints/000004.steering --steps 14"));
    let steps: Vec<f64> = (0..=14).map(f64::from).collect();
    assert_eq!(place.table("a/metrics.csv").numbers("step"), steps);
    // One that ends sooner than it had.
    let seen = place.good(
        &format!("{resume}/checkpoints/000008.steering --steps 14 --until polarization>=0").replace("--quiet", ""),
    );
    assert!(seen.err.contains("had rows up to step 14, and now ends with step 8"), "{}", seen.err);
}

/// A checkpoint holds no behaviors of one's own, images or winds, but knows what they were.
#[test]
fn files_of_a_scene_that_have_changed_are_refused() {
    let place = Place::new();
    let wind = |east: f64| place.write("wind.json", wind(east, 1.0));
    wind(1.0);
    place.write("swirl.wgsl", swirl());
    place.write("mine.toml", format!("field.source = \"wind.json\"\n{OWN}behaviors.flow_field = {{}}\n"));
    let path = checkpoints(&place, "whole", "mine.toml --device cpu").remove(2);
    let goes_on = |name: &str| resume(&place, &path, "--device cpu", name);
    let refused = |file: &str| {
        let words = format!("{file}: has changed since the checkpoint was written");
        stays(&place, &path, "--device cpu", &words);
    };
    assert_eq!(goes_on("same").code, 0);
    assert_eq!(end(&place, "same"), end(&place, "whole"));
    wind(1.5);
    refused("wind.json");
    wind(1.0);
    place.write("swirl.wgsl", swirl() + "\n");
    refused("swirl.wgsl");
    place.write("swirl.wgsl", swirl());
    assert_eq!(goes_on("as_before").code, 0);
}
