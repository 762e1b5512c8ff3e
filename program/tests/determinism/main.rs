//! Same build, adapter and driver: same bits, whatever the number of threads and the size of workgroups, in every
//! process. And the test can fail: without the order of ids the same runs part.

#[path = "../cli/place.rs"]
mod place;
mod through;

use place::{Place, outcome};
use std::collections::BTreeSet;
use steerling::cpu::{Execution, Simulation};
use steerling::model::State;
use support::{on_cpu, preset};

const AGENTS: u32 = 8192;
const STEPS: u32 = 60;

/// Call `steerling run` in a process of its own, on so many threads of the driver and of the host.
fn run(place: &Place, threads: &str, line: &str) {
    let mut command = place.command(&format!("run --device gpu {line}"));
    command.env("LP_NUM_THREADS", threads).env("RAYON_NUM_THREADS", threads);
    let seen = outcome(command);
    assert_eq!(seen.code, 0, "{}", seen.err);
}

/// The digest of a run.
fn digest(scene: &str, threads: &str, arguments: &str) -> String {
    let place = Place::new();
    run(&place, threads, &format!("{scene} --agents {AGENTS} --steps {STEPS} --out run {arguments}"));
    place.digest("run").as_str().expect("a digest").to_owned()
}

#[test]
fn one_digest_over_processes_threads_and_workgroup_sizes() {
    drop(support::gpu());
    // Some enter in each step, at an exit, and leave in the next.
    let passing = ["species.0.enters=64000", "species.0.spawn.goal=outside"];
    for (name, overrides) in [("flock", &[][..]), ("murmuration", &[]), ("evacuation", &passing)] {
        let set: String = overrides.iter().map(|set| format!(" --set {set}")).collect();
        let mut digests = BTreeSet::new();
        for threads in ["1", "2", "4", "4"] {
            digests.insert(digest(name, threads, &set));
        }
        for size in ["64", "128", "256"] {
            digests.insert(digest(name, "4", &format!("{set} --workgroup-size {size}")));
        }
        // And it is the reference's.
        let mut reference = on_cpu(&preset(name, AGENTS, overrides));
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
    let racy = || digest("flock", "4", "--unordered");
    let first = racy();
    let part = (0..5).any(|_| racy() != first);
    assert!(part, "six racy runs agree: this machine cannot show that the order matters");
}

#[test]
fn serial_and_parallel_references_are_equal() {
    for name in ["flock", "murmuration", "wind"] {
        let scene = preset(name, 3000, &[]);
        let state = State::initial(&scene);
        let [serial, parallel] = [Execution::Serial, Execution::Parallel].map(|execution| {
            let mut simulation = Simulation::new(&scene, &state, execution).unwrap();
            simulation.step(30);
            simulation.state()
        });
        assert_eq!(serial, parallel, "{name}");
    }
}
