//! WebGPU's default limits are the contract: a device made with exactly these runs every preset, with the same bits as one with more.

mod support;

use std::process::Command;
use steerling::gpu::{Gpu, GpuError, Options, Simulation};
use steerling::model::{State, StateError};
use steerling::scene::{OwnBehavior, PRESETS, Scene};
use steerling::verify::known_digest;
use support::{gpu, small_gpu, small_gpus};

fn start(gpu: &Gpu, scene: &Scene) -> Result<Simulation, GpuError> {
    Simulation::new(gpu, scene, &State::initial(scene), Options::default())
}

/// Steps of the digests that are known of presets.
const STEPS: u32 = 20;

fn digest(gpu: &Gpu, scene: &Scene) -> String {
    let mut simulation = start(gpu, scene).unwrap_or_else(|e| panic!("{} on {}: {e}", scene.name, gpu.title()));
    simulation.step(STEPS).unwrap();
    simulation.observe().unwrap().digest_hex()
}

/// Some steps on a device of each adapter with the default limits come to this digest.
fn runs(scene: &Scene, small: &[Gpu], expected: &str) {
    for gpu in small {
        Simulation::check(gpu, scene, &Options::default()).unwrap_or_else(|e| panic!("{}: {e}", scene.name));
        let found = digest(gpu, scene);
        assert!(!gpu.exact || found == expected, "{} on {}: {found}", scene.name, gpu.title());
    }
}

#[test]
fn every_preset_runs_within_the_default_limits() {
    let small = small_gpus();
    for preset in PRESETS {
        let scene = Scene::open(preset.name, &[]).unwrap().with_agents(1500).unwrap();
        runs(&scene, &small, known_digest(&scene, STEPS).expect("scripts/verified writes it"));
    }
}

/// Behaviors of a user's own, alone and beside all that presets do. Mixtures drawn at random are in tests/random_scenes.rs.
#[test]
fn behaviors_of_ones_own_run_within_the_default_limits() {
    let (small, large) = (small_gpus(), gpu());
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/own_behaviors");
    let carousel = Scene::open(&format!("{folder}/carousel.toml"), &[]).unwrap().with_agents(800).unwrap();
    runs(&carousel, &small, &digest(&large, &carousel));
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
        let scene = scene.unwrap_or_else(|e| panic!("{preset}: {e}"));
        runs(&scene, &small, &digest(&large, &scene));
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
