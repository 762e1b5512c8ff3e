//! `steerling why`: what one agent's behaviors say in a step, as text and as JSON, and what it refuses.

use super::messages::changed;
use super::place::Place;
use serde_json::json;

const FLOCK: &str = "why flock --agents 300";

#[test]
fn both_devices_say_the_same_and_store_it() {
    let place = Place::new();
    let [cpu, gpu] = ["cpu", "gpu"].map(|device| {
        let mut said = place.json(&format!("{FLOCK} --agent 7 --agent 12 --step 30 --device {device} --json"));
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

/// An agent that has not entered yet, asked about before one that is there and after it.
#[test]
fn agents_that_are_away_are_answered_in_their_place() {
    let place = Place::new();
    let species = "[[species]]\ncount = 4\nenters = 1\n[species.behaviors.wander]\n";
    place.write("some.toml", format!("schema = 1\nworld = {{ size = [99, 99], boundary = \"open\" }}\n{species}"));
    for device in ["cpu", "gpu"] {
        let line = format!("why some.toml --agent 3 --agent 0 --agent 2 --step 30 --device {device} --json");
        let said = place.json(&line);
        let agents = said["agents"].as_array().expect("a list");
        let seen: Vec<_> = agents.iter().map(|agent| (agent["agent"].as_u64(), agent["equal"].as_bool())).collect();
        assert_eq!(seen, [3, 0, 2].map(|id| (Some(id), Some(true))), "{device}");
        assert_eq!(agents.iter().map(|agent| agent["terms"] == json!([])).collect::<Vec<_>>(), [true, false, true]);
    }
}

#[test]
fn the_text_has_a_row_for_each_behavior_and_says_whether_the_step_stored_it() {
    let place = Place::new();
    let line = format!("{FLOCK} --agent 7 --step 30");
    let text = place.good(&line).out;
    for part in [
        "agent 7 (birds) of flock, after 30 steps",
        "\nseparation ",
        "\nwander ",
        "the terms add up to it, to the bit",
        "stored the same acceleration, to the bit",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }

    // Shaders that compute something else are found out: cohesion to the sum of offsets in place of their mean.
    let (path, wrong) = changed("behaviors/cohesion.wgsl", "f32(sum.count)", "f32(sum.count + 1u)");
    place.write(&format!("own/{path}"), wrong);
    let text = place.refused(&format!("{line} --shaders own"), 3, "agent 7").out;
    assert!(text.contains("DIFFERS"), "{text}");
}

#[test]
fn it_goes_on_from_a_checkpoint() {
    let place = Place::new();
    place.good("run flock --agents 300 --steps 20 --checkpoint-every 10 --out a");
    let resumed = "why --resume a/checkpoints/000010.steering --agent 7";
    let from_start = place.json(&format!("{FLOCK} --agent 7 --step 15 --json"));
    assert_eq!(from_start, place.json(&format!("{resumed} --step 15 --json")));
    assert_eq!(place.json(&format!("{resumed} --json"))["agents"][0]["steps"], 10);
    assert!(place.refused(&format!("{resumed} --step 9"), 2, "step 10").err.contains("--step 9"));
}

#[test]
fn whoever_is_not_there_is_refused_with_those_who_are() {
    let place = Place::new();
    for (id, why) in [("300", "ids from 0 to 299"), ("-1", "invalid value"), ("bird", "invalid value")] {
        assert!(place.refused(&format!("{FLOCK} --agent {id}"), 2, why).out.is_empty());
    }
    place.refused(FLOCK, 2, "--agent <ID>");
}
