//! Whatever a driver takes long for, such as to compile what first runs: the first signal ends a command all the same.

use crate::child::{end, manifest, names, outcome, signal, steerling, until};
use std::fs;
use std::process::Child;
use std::time::Duration;
use tempfile::TempDir;

#[test]
fn a_long_step_obeys_the_first_interrupt() {
    let temp = TempDir::new().unwrap();
    let out = temp.path().join("out");
    // Everybody sees everybody: a step takes minutes.
    let line = format!(
        "run flock --device cpu --agents 300000 --set world.size=[30,30] --steps 5 --every 1 --out {}",
        out.display()
    );
    let mut child = steerling(&line).spawn().unwrap();
    until(&mut child, &out.join("states/000000.npy"));
    std::thread::sleep(Duration::from_millis(500));
    signal(&child, "INT");
    let seen = end(child);
    assert_eq!(seen.code, 130, "{}", seen.err);
    let run = manifest(&out);
    assert_eq!((&run["steps"], &run["signal"]), (&0.into(), &"SIGINT".into()));
    assert_eq!(run["states"]["files"], serde_json::json!(["states/000000.npy"]));
    assert!(!run["digest"].as_str().unwrap().is_empty());
}

/// The record of a run tells of an end that is none any more, once the run goes on.
#[test]
fn a_run_that_is_killed_on_its_way_has_no_end() {
    let temp = TempDir::new().unwrap();
    let out = temp.path().join("out");
    let line = format!("run flock --device cpu --agents 60 --steps 20 --checkpoint-at-end --out {}", out.display());
    assert_eq!(outcome(steerling(&line)).code, 0);
    assert_eq!(manifest(&out)["ended"], "steps");
    let line = format!("run --device cpu --steps 2000000 --checkpoint-every 10 --resume {}", out.display());
    let mut child = steerling(&line).spawn().unwrap();
    until(&mut child, &out.join("checkpoints/000030.steering"));
    signal(&child, "KILL");
    assert_eq!(end(child).code, 137);
    assert!(!out.join("run.json").exists());
}

/// What a driver does may take minutes, such as to compile what first runs.
#[test]
fn a_long_step_of_a_picture_obeys_the_first_interrupt() {
    let temp = TempDir::new().unwrap();
    let out = temp.path().join("film.gif");
    // Everybody sees everybody: a step takes minutes. The film is begun as soon as signals are heard.
    let size = "--agents 300000 --set world.size=[30,30] --size 64x64";
    let mut child = steerling(&format!("render flock {size} --after 5 --out {}", out.display())).spawn().unwrap();
    while names(temp.path()).is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(500));
    signal(&child, "INT");
    let seen = end(child);
    assert_eq!((seen.code, seen.out.as_str()), (130, "nothing written\n"), "{}", seen.err);
    assert_eq!(names(temp.path()), [""; 0]);
}

/// A behavior of one's own at the bounds of what may be compiled, with loops at theirs: a step takes a driver minutes.
#[test]
fn behaviors_at_their_bounds_obey_the_first_interrupt() {
    let temp = TempDir::new().unwrap();
    let write = |name: &str, text: &str| fs::write(temp.path().join(name), text).unwrap();
    let calls: String = (0..5)
        .map(|n| format!("fn loopy_{n}(x: f32) -> f32 {{ return loopy_{0}(x) + loopy_{0}(-x); }}\n", n + 1))
        .collect();
    write(
        "loopy.wgsl",
        &format!(
            "/// a test\nstruct Loopy {{\n    rule: Rule,\n}}\nfn loopy_steer(loopy: Loopy, agent: Agent) -> vec3f {{ return vec3f(loopy_0(agent.speed)); }}\n\
             {calls}fn loopy_5(x: f32) -> f32 {{\n    var s = x;\n    for (var i = 0u; i < 4000u; i += 1u) {{ s = sqrt(s * s + 1.0) / 1.5; }}\n    return s;\n}}\n"
        ),
    );
    write(
        "loopy.toml",
        "schema = 1\nworld.size = [600, 400]\nbehavior = [{ file = \"loopy.wgsl\" }]\n[[species]]\ncount = 100000\nbehaviors.loopy = {}\n",
    );
    write("loopy_sweep.toml", "scene = \"loopy.toml\"\nsteps = 90\n[vary]\nseed = [1, 2]\n");
    let lines = [
        "run loopy.toml --steps 90 --out run",
        "sweep loopy_sweep.toml --out sweep",
        "why loopy.toml --agent 7 --step 90",
        "verify loopy.toml",
    ];
    let mut children: Vec<Child> =
        lines.iter().map(|line| steerling(line).current_dir(&temp).spawn().unwrap()).collect();
    // Until they have something to lose they do not listen, and end at once.
    until(&mut children[1], &temp.path().join("sweep/table.csv"));
    std::thread::sleep(Duration::from_secs(1));
    for (line, mut child) in lines.iter().zip(children.drain(..)) {
        assert!(child.try_wait().unwrap().is_none(), "{line} ended by itself");
        signal(&child, "INT");
        let seen = end(child);
        assert_eq!(seen.code, 130, "{line}: {}", seen.err);
    }
    assert_eq!(names(&temp.path().join("sweep")), ["sweep.json", "table.csv"]);
}
