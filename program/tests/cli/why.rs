//! `steerling why`: what one agent's behaviors say in a step, as text and as JSON, and what it refuses.

use super::call_in;
use serde_json::Value;
use std::fs;
use std::path::Path;
use steerling::gpu::shaders::EMBEDDED;

/// Run the program; its exit code, what it printed and what it said.
fn steerling(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let seen = call_in(folder, arguments);
    (seen.code, seen.out, seen.err)
}

const FLOCK: [&str; 4] = ["why", "flock", "--agents", "300"];

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let (code, printed, said) = steerling(folder, &[arguments, &["--json"]].concat());
    assert_eq!(code, 0, "{said}");
    serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"))
}

#[test]
fn both_devices_say_the_same_and_store_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let asked = ["--agent", "7", "--agent", "12", "--step", "30"];
    let [cpu, gpu] = ["cpu", "gpu"].map(|device| {
        let mut said = json(folder.path(), &[&FLOCK[..], &asked, &["--device", device]].concat());
        said["device"].take();
        said
    });
    assert_eq!(cpu, gpu);
    let agents = cpu["agents"].as_array().expect("a list");
    assert_eq!(agents.iter().map(|agent| agent["agent"].as_u64()).collect::<Vec<_>>(), [Some(7), Some(12)]);
    for agent in agents {
        assert_eq!((&agent["equal"], &agent["steps"]), (&true.into(), &30.into()), "{agent}");
        let names: Vec<_> = agent["terms"].as_array().expect("terms").iter().map(|term| &term["behavior"]).collect();
        assert_eq!(names, ["separation", "alignment", "cohesion", "wander"]);
    }
    assert_ne!(agents[0]["terms"], agents[1]["terms"]);
}

#[test]
fn the_text_has_a_row_for_each_behavior_and_says_whether_the_step_stored_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, text, said) = steerling(folder.path(), &[&FLOCK[..], &["--agent", "7", "--step", "30"]].concat());
    assert_eq!(code, 0, "{said}");
    for part in
        ["agent 7 (birds) of flock, after 30 steps", "\nseparation ", "\nwander ", "the terms add up to it, to the bit"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("stored the same acceleration, to the bit"), "{text}");

    // Shaders that compute something else are found out: cohesion to the sum of offsets in place of their mean.
    let path = "behaviors/cohesion.wgsl";
    let cohesion = EMBEDDED.iter().find(|(known, _)| *known == path).expect("a shader").1;
    let wrong = cohesion.replace("f32(sum.count)", "f32(sum.count + 1u)");
    assert_ne!(wrong, cohesion, "{cohesion}");
    fs::create_dir_all(folder.path().join("own/behaviors")).expect("a folder");
    fs::write(folder.path().join("own").join(path), wrong).expect("a file");
    let own = [&FLOCK[..], &["--agent", "7", "--step", "30", "--shaders", "own"]].concat();
    let (code, text, said) = steerling(folder.path(), &own);
    assert!(code == 3 && text.contains("DIFFERS") && said.contains("agent 7"), "{code:?}: {text}{said}");
}

#[test]
fn it_goes_on_from_a_checkpoint() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = ["run", "flock", "--agents", "300", "--steps", "20", "--checkpoint-every", "10", "--out", "a"];
    let (code, _, said) = steerling(folder.path(), &run);
    assert_eq!(code, 0, "{said}");
    let file = "a/checkpoints/000010.steering";
    let from_start = json(folder.path(), &[&FLOCK[..], &["--agent", "7", "--step", "15"]].concat());
    let resumed = json(folder.path(), &["why", "--resume", file, "--agent", "7", "--step", "15"]);
    assert_eq!(from_start, resumed);
    assert_eq!(json(folder.path(), &["why", "--resume", file, "--agent", "7"])["agents"][0]["steps"], 10);
    let (code, _, said) = steerling(folder.path(), &["why", "--resume", file, "--agent", "7", "--step", "9"]);
    assert!(code == 2 && said.contains("step 10") && said.contains("--step 9"), "{code:?}: {said}");
}

#[test]
fn whoever_is_not_there_is_refused_with_those_who_are() {
    let folder = tempfile::tempdir().expect("a folder");
    for (id, why) in [("300", "ids from 0 to 299"), ("-1", "invalid value"), ("bird", "invalid value")] {
        let (code, printed, said) = steerling(folder.path(), &[&FLOCK[..], &["--agent", id]].concat());
        assert!(code == 2 && printed.is_empty() && said.contains(why), "{code:?}: {said}");
    }
    let (code, _, said) = steerling(folder.path(), &FLOCK);
    assert!(code == 2 && said.contains("--agent <ID>"), "{code:?}: {said}");
}
