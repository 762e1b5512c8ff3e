//! WebGPU's default limits are the contract: a device made with exactly these runs every preset, with the same bits as one with more.

mod support;

use std::process::Command;
use steerling::gpu::{Gpu, GpuError, Options, Simulation};
use steerling::model::{State, StateError};
use steerling::scene::{OwnBehavior, PRESETS, Scene};
use support::{gpu, small_gpu, small_gpus};

fn start(gpu: &Gpu, scene: &Scene) -> Result<Simulation, GpuError> {
    Simulation::new(gpu, scene, &State::initial(scene), Options::default())
}

/// Five steps on a device of each adapter with the default limits, against the same on one with more.
fn runs(scene: &Scene, small: &[Gpu], large: &Gpu) {
    let digest = |gpu: &Gpu| {
        let mut simulation = start(gpu, scene).unwrap_or_else(|e| panic!("{}: {e}", scene.name));
        simulation.step(5).unwrap();
        simulation.observe().unwrap().digest_hex()
    };
    let expected = digest(large);
    for gpu in small {
        Simulation::check(gpu, scene, &Options::default()).unwrap_or_else(|e| panic!("{}: {e}", scene.name));
        assert!(!(gpu.exact && large.exact) || digest(gpu) == expected, "{} on {}", scene.name, gpu.title());
    }
}

#[test]
fn every_preset_runs_within_the_default_limits() {
    let (small, large) = (small_gpus(), gpu());
    for preset in PRESETS {
        runs(&Scene::open(preset.name, &[]).unwrap().with_agents(1500).unwrap(), &small, &large);
    }
}

/// Behaviors of a user's own, alone and beside all that presets do. Mixtures drawn at random are in tests/random_scenes.rs.
#[test]
fn behaviors_of_ones_own_run_within_the_default_limits() {
    let (small, large) = (small_gpus(), gpu());
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/own_behaviors");
    runs(&Scene::open(&format!("{folder}/carousel.toml"), &[]).unwrap().with_agents(800).unwrap(), &small, &large);
    for preset in ["actions", "foraging_ants", "fish_tank", "hounds", "locomotion", "murmuration", "slime"] {
        let scene = Scene::open(preset, &[]).unwrap().with_agents(800).unwrap();
        let scene = scene.edit(|draft| {
            for name in ["swirl", "shyness", "breath"] {
                let text = std::fs::read_to_string(format!("{folder}/{name}.wgsl")).unwrap();
                draft.add_behavior(OwnBehavior::from_text(name, &text, &format!("{name}.wgsl"))?);
                draft.species.iter_mut().try_for_each(|species| species.enable(name).map(drop))?;
            }
            Ok(())
        });
        runs(&scene.unwrap_or_else(|e| panic!("{preset}: {e}")), &small, &large);
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
