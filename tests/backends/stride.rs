//! Steps in a row steer, integrate and bin for the next step in one pass, and in a small world one workgroup does all that is between.
//! The bits are those of the stages one by one, whatever happens between two rows.

use glam::Vec3;
use steerling::gpu::{Gpu, Options, Simulation};
use steerling::model::{BufferId, Change, STAGES, Snapshot, State};
use steerling::scene::Scene;
use support::{gpu, notices, on_gpu, preset, ran_on_gpu};

/// Steps stage by stage.
fn stage_by_stage(simulation: &mut Simulation, steps: u32) {
    for _ in 0..steps {
        STAGES.iter().for_each(|stage| simulation.run_stage(stage.id).unwrap());
    }
}

fn in_a_row(gpu: &Gpu, scene: &Scene, options: Options) -> (bool, Snapshot) {
    let simulation = ran_on_gpu(gpu, scene, options, 9);
    (simulation.pipelines().strides(), simulation.snapshot().unwrap())
}

/// Planes, space, queries, the ground, a trail, moving scenery, action states; poses and skipped steps, which do not stride.
#[test]
fn a_row_of_steps_equals_its_stages() {
    let gpu = gpu();
    let presets = [
        ("flock", true),
        ("murmuration", false),
        ("hawks", true),
        ("foraging_ants", true),
        ("slime", true),
        ("windmills", true),
        ("lure", true),
        ("facing", false),
    ];
    let set = |change: &str| preset("flock", 500, &[change]);
    let others = [
        (set("species.0.vehicle.orientation=kept"), true),
        (set("world.crowd=4"), true),
        // Not so small that one workgroup arranges them.
        (preset("flock", 2_500, &[]), true),
        (preset("hawks", 2_500, &[]), true),
    ];
    let scenes = presets.map(|(name, strides)| (preset(name, 1_500, &[]), strides));
    for (scene, strides) in scenes.into_iter().chain(others) {
        let preset = &scene.name;
        let mut one_by_one = on_gpu(&gpu, &scene, Options::default());
        stage_by_stage(&mut one_by_one, 9);
        let (strode, row) = in_a_row(&gpu, &scene, Options::default());
        assert_eq!(strode, strides, "{preset}");
        assert!(row == one_by_one.snapshot().unwrap(), "{preset}");
    }
    let skips = in_a_row(&gpu, &set("species.0.update_every=2"), Options::default()).0;
    assert!(!skips, "the active list is steered by a dispatch of its own");
}

/// A pass that keeps the wrong state, or bins the wrong one, or sorts wrongly, is seen.
#[test]
fn a_mistake_in_the_stride_is_seen() {
    let gpu = gpu();
    let scene = preset("flock", 1_500, &["world.crowd=4"]);
    let (_, right) = in_a_row(&gpu, &scene, Options::default());
    let mistakes = [
        ("stride", "bin_agent(sorted_index, after)", "bin_agent(sorted_index, agent)"),
        ("stride", "keep(sorted_index, after)", "keep(sorted_index, agent)"),
        ("stride", "after_step(agent, steering, exists)", "after_step(agent, 0.5 * steering, exists)"),
        ("arrange", "thin(slot);", ""),
        ("arrange", "cell_start[home] = start;", "cell_start[home] = start + 1u;"),
        ("arrange", "atomicStore(&count_atomic[home], 0u);", ""),
        ("shown_in", "return atomicLoad(&visible_atomic[home]);", "return agents;"),
    ];
    notices(|options| in_a_row(&gpu, &scene, options) == (true, right.clone()), &mistakes);
}

#[test]
fn a_flock_takes_five_or_six_dispatches_and_a_small_one_two() {
    let gpu = gpu();
    let count = |agents, crowd: u32, options: &Options| {
        let scene = preset("flock", agents, &[&format!("world.crowd={crowd}")]);
        on_gpu(&gpu, &scene, options.clone()).of_step().count()
    };
    let apart = Options { stride: false, ..Options::default() };
    for (options, small, dispatches) in [(Options::default(), 2, 5), (apart, 7, 7), (Options::plain(), 7, 7)] {
        assert_eq!(count(1_900, 10_000, &options), small);
        assert_eq!(count(1_901, 10_000, &options), dispatches);
        // One more looks for crowded cells where there are more agents than a cell shows.
        assert_eq!(count(1_901, 1_000, &options), dispatches + 1);
    }
}

/// Whatever moves agents or cells between two rows of steps, the next row bins anew.
#[test]
fn what_happens_between_rows_is_seen() {
    let gpu = gpu();
    let scene = preset("flock", 1_500, &[]);
    let wider = preset("flock", 1_500, &["species.0.behaviors.cohesion.perception_radius=9"]);
    let bodies = preset("flock", 1_500, &["species.0.collide=true"]);
    let turned = State {
        positions: State::initial(&scene).positions.iter().map(|p| p.map(|x| -x)).collect(),
        ..State::initial(&scene)
    };
    let early = ran_on_gpu(&gpu, &scene, Options::default(), 2).snapshot().unwrap();
    let encoded = |simulation: &mut Simulation| {
        let mut encoder = simulation.gpu().device.create_command_encoder(&Default::default());
        simulation.encode_step(&mut encoder);
        simulation.gpu().queue.submit([encoder.finish()]);
        simulation.submitted(1);
    };
    let shifted = |simulation: &mut Simulation| {
        let mut words = simulation.words(BufferId::Position).unwrap();
        words.rotate_left(2);
        simulation.write_words(BufferId::Position, &words);
    };
    type Event<'a> = (&'a str, &'a dyn Fn(&mut Simulation));
    let events: [Event<'_>; 8] = [
        ("nothing", &|_| ()),
        ("a state", &|simulation| simulation.set_state(&turned).unwrap()),
        ("a snapshot", &|simulation| simulation.restore(&early).unwrap()),
        ("a change", &|simulation| assert_ne!(simulation.change(&wider).unwrap(), Change::Restart)),
        ("a change to steps without strides", &|simulation| {
            assert_ne!(simulation.change(&bodies).unwrap(), Change::Restart);
        }),
        ("words", &shifted),
        ("a step of the caller", &encoded),
        ("a point", &|simulation| simulation.set_mouse(Vec3::new(3.0, 4.0, 0.0))),
    ];
    for (name, event) in events {
        let run = |stride: bool| {
            let mut simulation = ran_on_gpu(&gpu, &scene, Options { stride, ..Options::default() }, 3);
            event(&mut simulation);
            simulation.step(3).unwrap();
            simulation.snapshot().unwrap()
        };
        assert!(run(true) == run(false), "after {name}");
    }
}
