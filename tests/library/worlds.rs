//! Worlds side by side do, each to the bit, what they do alone.

use steerling::cpu::{self, Execution};
use steerling::gpu::shaders::Sources;
use steerling::gpu::{GpuError, Options, Worlds};
use steerling::model::{BufferId, Observation, Snapshot, State};
use steerling::scene::Scene;
use steerling::wgpu;
use support::{device_of, gpu, gpu_adapter, gpus, preset};

/// A preset with few agents and some keys changed.
fn scene(name: &str, agents: u32, changes: &[&str]) -> (Scene, State) {
    let scene = preset(name, agents, changes);
    let state = State::initial(&scene);
    (scene, state)
}

/// The state and what is observed after so many steps, alone: by the reference, which takes no shaders.
fn alone((scene, state): &(Scene, State), steps: u32) -> (Snapshot, Observation) {
    let mut simulation = cpu::Simulation::new(scene, state, Execution::Parallel).unwrap();
    simulation.step(steps);
    (simulation.snapshot(), simulation.observe())
}

/// Planes, space, several species, queries, the ground, a trail, moving scenery, action states, poses, lines, and a step stage by stage.
/// Worlds vary in seeds, parameters, the time step, and the size of the world and with it that of the grid.
#[test]
fn each_world_equals_itself_alone() {
    let presets: [(&str, u32, &[&[&str]]); 13] = [
        (
            "flock",
            300,
            &[&["seed=1"], &["seed=2"], &["seed=1", "species.0.max_speed=18"], &["world.size=[5000, 2000]"]],
        ),
        // Crowded cells, in grids of which the first is the largest.
        ("flock", 2_500, &[&["world.crowd=4", "world.size=[5000, 2000]"], &["world.crowd=4"], &["world.crowd=3"]]),
        ("vicsek", 400, &[&["seed=3"], &["species.particles.behaviors.heading_noise.noise=90"], &["dt=0.5"]]),
        ("murmuration", 300, &[&["seed=1"], &["seed=2"]]),
        ("zones", 300, &[&["seed=1"], &["seed=2"]]),
        ("hawks", 2_500, &[&["seed=1"], &["seed=2"]]),
        ("foraging_ants", 300, &[&["seed=1"], &["seed=2"]]),
        ("slime", 300, &[&["seed=1"], &["seed=2"]]),
        ("windmills", 300, &[&["seed=1"], &["seed=2"]]),
        ("lure", 300, &[&["seed=1"], &["seed=2"]]),
        ("facing", 300, &[&["seed=1"], &["seed=2"]]),
        ("crossing", 300, &[&["seed=1"], &["seed=2"]]),
        ("pens", 300, &[&["seed=1"], &["seed=2"], &["seed=4"]]),
    ];
    let gpus = gpus();
    for (preset, agents, variants) in &presets {
        let starts: Vec<_> = variants.iter().map(|changes| scene(preset, *agents, changes)).collect();
        let expected: Vec<_> = starts.iter().map(|start| alone(start, 21)).collect();
        for gpu in &gpus {
            let mut worlds = Worlds::new(gpu, starts.clone(), &Options::default()).unwrap();
            assert_eq!(worlds.scenes().len(), starts.len());
            worlds.step(20).unwrap();
            worlds.step(1).unwrap();
            let (states, seen) = (worlds.snapshots().unwrap(), worlds.observe().unwrap());
            assert_eq!(worlds.steps(), 21);
            for (world, (state, observation)) in expected.iter().enumerate() {
                let what = format!("{preset} on {}, {:?}", gpu.title(), variants[world]);
                let same = states[world].column(BufferId::Position) == state.column(BufferId::Position);
                // Columns of the worlds are compared, not those of the reference, which always has a ground, if only of one cell.
                let mut columns = states[world].columns();
                assert!(same && columns.all(|(column, words)| state.column(column) == Some(words)), "{what}");
                assert_eq!(seen[world], *observation, "{what}");
                // The worlds differ from each other, so that mixing them up would show.
                assert!(seen[..world].iter().all(|other| other.digest_hex() != observation.digest_hex()), "{what}");
            }
        }
    }
}

#[test]
fn worlds_of_other_kinds_are_refused() {
    let gpu = gpu();
    let flock = scene("flock", 200, &[]);
    let wide = scene("flock", 200, &["species.0.count=200", "world.size=[4000, 4000]"]);
    for (others, wanted) in [
        (vec![flock.clone()], "fewer than two"),
        (vec![flock.clone(), scene("flock", 201, &[])], "different numbers of agents"),
        (vec![flock.clone(), scene("flock", 200, &["species.0.behaviors.separation.weight=0"])], "different behaviors"),
        (vec![flock.clone(), wide], "only some of them are small"),
        (vec![flock.clone(), scene("flock", 200, &["world.contact_rounds=2"])], "numbers of rounds"),
        (vec![scene("maze", 200, &[])], "have maps"),
        (vec![scene("flock", 200, &["species.0.update_every=2"])], "skip steps"),
    ] {
        match Worlds::new(&gpu, others, &Options::default()) {
            Err(GpuError::NotSideBySide { what }) => assert!(what.contains(wanted), "{what}"),
            other => panic!("{wanted}: {:?}", other.map(|_| ())),
        }
    }
    // A user's shaders are refused: reading beyond the end of a buffer, they would read another world's words.
    let options = Options { shaders: Sources::default().as_user_shaders(), ..Options::default() };
    let refused = Worlds::new(&gpu, [flock.clone(), flock.clone()], &options).err().map(|error| error.to_string());
    assert!(refused.as_ref().is_some_and(|error| error.contains("shaders that a user wrote")), "{refused:?}");
    // The list of obstacles that move takes so much of a uniform buffer that four worlds fit: docs/experiments.md.
    let mills = (1..=6).map(|seed| scene("windmills", 200, &[&format!("seed={seed}")]));
    let least = device_of(&gpu_adapter(), wgpu::Limits::default());
    assert_eq!(Worlds::new(&least, mills, &Options::default()).unwrap().scenes().len(), 4);
    // The worlds before the one with another number of agents run.
    let worlds = [flock.clone(), scene("flock", 200, &["seed=9"]), scene("flock", 201, &[]), flock];
    assert_eq!(Worlds::new(&gpu, worlds, &Options::default()).unwrap().scenes().len(), 2);
}
