//! Same build, adapter and driver: same bits, whatever the number of threads and the size of workgroups, in every
//! process. And the test can fail: without the order of ids the same runs part.

#[path = "../../../tests/support/mod.rs"]
mod support;
mod through;

use std::collections::BTreeSet;
use std::process::Command;
use steerling::cpu::{Execution, Simulation};
use steerling::model::State;
use steerling::scene::Scene;

const AGENTS: u32 = 8192;
const STEPS: u32 = 60;

/// The digest that `steerling run` reports from a process of its own with this many lavapipe threads.
fn run(scene: &str, threads: &str, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let output = Command::new(env!("CARGO_BIN_EXE_steerling"))
        .args([
            "run",
            scene,
            "--agents",
            &AGENTS.to_string(),
            "--steps",
            &STEPS.to_string(),
            "--device",
            "gpu",
            "--out",
        ])
        .arg(&out)
        .args(arguments)
        .env("LP_NUM_THREADS", threads)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let manifest = std::fs::read_to_string(out.join("run.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    manifest["digest"].as_str().expect("a digest").to_owned()
}

#[test]
fn one_digest_over_processes_threads_and_workgroup_sizes() {
    drop(support::gpu());
    // Some enter in each step, at an exit, and leave in the next.
    let passing = ["species.0.enters=64000", "species.0.spawn.goal=outside"];
    for (name, overrides) in [("flock", &[][..]), ("murmuration", &[]), ("evacuation", &passing)] {
        let set: Vec<&str> = overrides.iter().flat_map(|set| ["--set", *set]).collect();
        let mut digests = BTreeSet::new();
        for threads in ["1", "2", "4", "4"] {
            digests.insert(run(name, threads, &set));
        }
        for size in ["64", "128", "256"] {
            digests.insert(run(name, "4", &[&set[..], &["--workgroup-size", size]].concat()));
        }
        // And it is the reference's.
        let overrides: Vec<_> = overrides.iter().map(|set| set.parse().unwrap()).collect();
        let scene = Scene::open(name, &overrides).unwrap().with_agents(AGENTS).unwrap();
        let mut reference = Simulation::new(&scene, &State::initial(&scene), Execution::Parallel).unwrap();
        reference.step(STEPS);
        digests.insert(reference.observe().digest_hex());
        assert_eq!(digests.len(), 1, "{name}: {digests:?}");
    }
}

#[test]
fn without_the_order_of_ids_runs_part() {
    let gpu = support::gpu();
    if !gpu.software() {
        eprintln!("SKIPPED: on a GPU threads race too, but nobody promises that six runs differ");
        return;
    }
    let digests: BTreeSet<String> = (0..6).map(|_| run("flock", "4", &["--unordered"])).collect();
    assert!(digests.len() > 1, "six racy runs agree: this machine cannot show that the order matters");
}

#[test]
fn serial_and_parallel_references_are_equal() {
    for name in ["flock", "murmuration", "wind"] {
        let scene = Scene::open(name, &[]).unwrap().with_agents(3000).unwrap();
        let state = State::initial(&scene);
        let [serial, parallel] = [Execution::Serial, Execution::Parallel].map(|execution| {
            let mut simulation = Simulation::new(&scene, &state, execution).unwrap();
            simulation.step(30);
            simulation.state()
        });
        assert_eq!(serial, parallel, "{name}");
    }
}
