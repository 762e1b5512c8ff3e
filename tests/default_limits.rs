//! WebGPU's default limits are the contract: a device made with exactly these runs every preset, with the same bits as one with more.

mod support;

use std::process::Command;
use steerling::gpu::{Gpu, GpuError, Options, Simulation};
use steerling::model::{State, StateError};
use steerling::scene::{PRESETS, Scene};
use support::{gpu, small_gpu};

fn start(gpu: &Gpu, scene: &Scene) -> Result<Simulation, GpuError> {
    Simulation::new(gpu, scene, &State::initial(scene), Options::default())
}

#[test]
fn every_preset_runs_within_the_default_limits() {
    let (small, large) = (small_gpu(), gpu());
    for preset in PRESETS {
        let scene = Scene::open(preset.name, &[]).unwrap().with_agents(1500).unwrap();
        Simulation::check(&small, &scene, &Options::default()).unwrap_or_else(|e| panic!("{}: {e}", preset.name));
        let digest = |gpu: &Gpu| {
            let mut simulation = start(gpu, &scene).unwrap_or_else(|e| panic!("{}: {e}", preset.name));
            simulation.step(5).unwrap();
            simulation.observe().unwrap().digest_hex()
        };
        assert_eq!(digest(&small), digest(&large), "{}", preset.name);
    }
}

/// Agents in buffers take more bindings than such a device has; `check` refuses that like `new`.
#[test]
fn check_refuses_what_new_refuses() {
    let mut small = small_gpu();
    assert!(small.texture_loads, "a device with few bindings loads agents from a texture");
    small.texture_loads = false;
    let scene = Scene::open("murmuration", &[]).unwrap().with_agents(200).unwrap();
    let refused = [Simulation::check(&small, &scene, &Options::default()).err(), start(&small, &scene).err()];
    for error in refused {
        let Some(GpuError::TooManyBuffers { needed, available: 8, .. }) = error else { panic!("{error:?}") };
        assert!(needed > 8);
    }
}

#[test]
fn a_state_with_columns_of_other_lengths_is_refused() {
    let scene = Scene::open("flock", &[]).unwrap().with_agents(200).unwrap();
    let whole = State::initial(&scene);
    let mut simulation = start(&gpu(), &scene).unwrap();
    let before = simulation.observe().unwrap();
    let without = [
        State { velocities: whole.velocities[..100].to_vec(), ..whole.clone() },
        State { frozen: vec![false; 199], ..whole.clone() },
        State { frozen: Vec::new(), ..whole.clone() },
    ];
    for state in without {
        assert!(matches!(state.check(&scene), Err(StateError::Column { .. })));
        assert!(simulation.set_state(&state).is_err());
        assert!(steerling::cpu::Simulation::new(&scene, &state, steerling::cpu::Execution::Parallel).is_err());
    }
    assert_eq!(simulation.observe().unwrap(), before, "a refused state changes nothing");
}

#[test]
fn workgroups_have_64_128_or_256_invocations() {
    let (gpu, scene) = (gpu(), Scene::open("flock", &[]).unwrap().with_agents(200).unwrap());
    for workgroup_size in [0, 1, 100, 512] {
        let options = Options { workgroup_size, ..Options::default() };
        let refused = [
            Simulation::check(&gpu, &scene, &options).err(),
            Simulation::new(&gpu, &scene, &State::initial(&scene), options).err(),
        ];
        assert!(refused.iter().all(|error| matches!(error, Some(GpuError::WorkgroupSize { .. }))), "{workgroup_size}");
    }
}

/// The examples as they stand in the repository; `minimal` makes its own device, with default limits. `cargo test` has built them.
#[test]
fn every_example_runs() {
    let (folder, tests) = (tempfile::tempdir().unwrap(), std::env::current_exe().unwrap());
    let examples = tests.parent().unwrap().parent().unwrap().join("examples");
    for name in ["minimal", "draw", "live_changes", "many_worlds", "own_force", "own_pass"] {
        let mut run = Command::new(examples.join(name));
        if name == "draw" {
            run.arg(folder.path().join("agents.png"));
        }
        let run = run.output().unwrap_or_else(|error| panic!("{name}, built by `cargo build --examples`: {error}"));
        assert!(run.status.success(), "{name}: {}", String::from_utf8_lossy(&run.stderr));
    }
}
