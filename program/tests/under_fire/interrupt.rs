//! Whatever a driver takes long for, such as to compile what first runs: the first signal ends a command all the same.

use crate::place::{Place, end, names, signal, until};
use crate::{call, start};
use std::time::Duration;

/// Everybody sees everybody: a step takes minutes.
const SLOW: &str = "flock --agents 300000 --set world.size=[30,30]";

#[test]
fn a_long_step_obeys_the_first_interrupt() {
    let place = Place::new();
    let mut child = start(&place, &format!("run {SLOW} --device cpu --steps 5 --every 1 --out out"));
    until(&mut child, || place.at("out/states/000000.npy").exists());
    std::thread::sleep(Duration::from_millis(500));
    signal(&child, "INT");
    end(child).ended(130, &[]);
    let run = place.manifest("out");
    assert_eq!((&run["steps"], &run["signal"]), (&0.into(), &"SIGINT".into()));
    assert_eq!(run["states"]["files"], serde_json::json!(["states/000000.npy"]));
    assert!(!run["digest"].as_str().unwrap().is_empty());
}

/// The record of a run tells of an end that is none any more, once the run goes on.
#[test]
fn a_run_that_is_killed_on_its_way_has_no_end() {
    let place = Place::new();
    let run = "run flock --device cpu --agents 60 --steps 20 --checkpoint-at-end --out out";
    assert_eq!(call(&place, run).code, 0);
    assert_eq!(place.manifest("out")["ended"], "steps");
    let mut child = start(&place, "run --device cpu --steps 2000000 --checkpoint-every 10 --resume out");
    until(&mut child, || place.at("out/checkpoints/000030.steering").exists());
    signal(&child, "KILL");
    assert_eq!(end(child).code, 137);
    assert!(!place.at("out/run.json").exists());
}

/// What a driver does may take minutes, such as to compile what first runs.
#[test]
fn a_long_step_of_a_picture_obeys_the_first_interrupt() {
    let place = Place::new();
    let mut child = start(&place, &format!("render {SLOW} --size 64x64 --after 5 --out film.gif"));
    // The film is begun as soon as signals are heard.
    until(&mut child, || !names(place.path()).is_empty());
    std::thread::sleep(Duration::from_millis(500));
    signal(&child, "INT");
    let seen = end(child);
    assert_eq!((seen.code, seen.out.as_str()), (130, "nothing written\n"), "{}", seen.err);
    assert_eq!(names(place.path()), [""; 0]);
}

/// A behavior of one's own at the bounds of what may be compiled, with loops at theirs: a step takes a driver minutes.
#[test]
fn behaviors_at_their_bounds_obey_the_first_interrupt() {
    let place = Place::new();
    let calls: String = (0..5)
        .map(|n| format!("fn loopy_{n}(x: f32) -> f32 {{ return loopy_{0}(x) + loopy_{0}(-x); }}\n", n + 1))
        .collect();
    let steer = "fn loopy_steer(loopy: Loopy, agent: Agent) -> vec3f { return vec3f(loopy_0(agent.speed)); }";
    let last = "fn loopy_5(x: f32) -> f32 {\n    var s = x;\n\
                for (var i = 0u; i < 4000u; i += 1u) { s = sqrt(s * s + 1.0) / 1.5; }\n    return s;\n}";
    place.write("loopy.wgsl", format!("/// a test\nstruct Loopy {{\n    rule: Rule,\n}}\n{steer}\n{calls}{last}\n"));
    place.write(
        "loopy.toml",
        "schema = 1\nworld.size = [600, 400]\nbehavior = [{ file = \"loopy.wgsl\" }]\n\
         [[species]]\ncount = 100000\nbehaviors.loopy = {}\n",
    );
    place.write("loopy_sweep.toml", "scene = \"loopy.toml\"\nsteps = 90\n[vary]\nseed = [1, 2]\n");
    let lines = [
        "run loopy.toml --steps 90 --out run",
        "sweep loopy_sweep.toml --out sweep",
        "why loopy.toml --agent 7 --step 90",
        "verify loopy.toml",
    ];
    let mut children = lines.map(|line| start(&place, line));
    // Until they have something to lose they do not listen, and end at once.
    until(&mut children[1], || place.at("sweep/table.csv").exists());
    std::thread::sleep(Duration::from_secs(1));
    for (line, mut child) in lines.into_iter().zip(children) {
        assert!(child.try_wait().unwrap().is_none(), "{line} ended by itself");
        signal(&child, "INT");
        let seen = end(child);
        assert_eq!(seen.code, 130, "{line}: {}", seen.err);
    }
    assert_eq!(names(&place.at("sweep")), ["sweep.json", "table.csv"]);
}
