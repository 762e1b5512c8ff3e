//! Every agent that enters a step is in the world or counted as bad, whatever the state holds, and zeros that are kept have no
//! sign. `verify` asks the brute-force oracle, which also finds mistakes that the GPU and the reference share.

use steerling::cpu::{self, Execution};
use steerling::engine::Engine;
use steerling::gpu::{GpuError, Options, Simulation};
use steerling::model::{BUFFERS, BufferId, Change, Life, STAGES, StageId, State};
use steerling::scene::{MOST_TRAIL, Scene, TrailFile};
use steerling::verify::{OracleSample, Plan, Report, verify};
use steerling_conform::Draw;
use support::{assert_pass, backends, edited, gpu, gpus, mistaken, on_cpu, parsed, ran_on_cpu, ran_on_gpu, start};

fn parse(text: &str) -> Scene {
    parsed(&format!("schema = 1\nseed = 3\n{text}"), &[])
}

/// A flock on a surface in a wrapped world.
fn on(surface: &str) -> Scene {
    parse(&format!(
        "world = {{ size = [40, 20, 40], boundary = \"wrap\" }}\nsurface = {{ {surface} }}\n[[species]]\ncount = 1500\nmax_speed = 6\n\
         vehicle = {{ hugs_surface = true }}\nbehaviors.alignment = {{ perception_radius = 4, field_of_view = 360 }}\n\
         behaviors.cohesion = {{ perception_radius = 4, field_of_view = 300 }}\n"
    ))
}

const PLANE: &str = "shape = \"plane\", center = [0, 50, 0]";
const SLOPE: &str = "shape = \"plane\", center = [3, 2, 1], normal = [1, 3, 0.5]";
const HILL: &str = "shape = \"height_field\", level = 2, hills = [{ x = 0, z = 0, height = 500, width = 20 }, { x = 9, height = -40 }]";
const BALL: &str = "shape = \"sphere\", center = [15, 5, 0], radius = 18";
const FLAT: &str = "shape = \"height_field\", hills = [{ height = 0 }]";

fn verified(scene: &Scene, options: &Options) -> Result<Report, GpuError> {
    verified_from(scene, &State::initial(scene), options)
}

fn verified_from(scene: &Scene, state: &State, options: &Options) -> Result<Report, GpuError> {
    let plan = Plan { steps: 4, free_steps: 20 };
    verify(&gpu(), scene, state, options, plan, |_| ())
}

/// The built-in shaders with a mistake.
fn mutated(function: &'static str, from: &'static str, to: &'static str) -> Options {
    Options { shaders: mistaken(function, from, to), ..Options::default() }
}

#[test]
fn a_surface_beyond_the_world_leaves_nobody_outside() {
    let gpu = gpu();
    for surface in [PLANE, SLOPE, HILL, BALL] {
        let scene = on(surface);
        let report = verified(&scene, &Options::default()).unwrap();
        assert_pass(&report, surface);
        assert!(report.oracle.neighbors > 1000 && report.oracle.differing == 0, "{surface}: {:?}", report.oracle);
        assert_eq!(report.free_run.bad_agents, 0, "{surface}");
        let half = scene.world.size * 0.5;
        for position in ran_on_gpu(&gpu, &scene, Options::default(), 20).state().unwrap().positions {
            assert!((0..3).all(|axis| (-half[axis]..half[axis]).contains(&position[axis])), "{surface}: {position:?}");
        }
    }
    // Without the world check after the surface it is red.
    let mistaken = mutated("after_step", "wrapped(ground.point)", "ground.point");
    assert!(!verified(&on(PLANE), &mistaken).unwrap().pass, "nobody notices who is put outside");
}

/// States from outside of the wrapped world, and of words that are no state at all.
#[test]
fn whoever_is_not_in_the_world_is_counted_as_bad_alike() {
    let gpu = gpu();
    let scene = parse(
        "world = { size = [30, 20, 25], boundary = [\"wrap\", \"open\", \"wrap\"] }\nground = { resolution = 8, patches = 4 }\n\
         [[species]]\ncount = 900\nmax_speed = 6\nvehicle = { orientation = \"kept\" }\nbehaviors.wander = {}\nbehaviors.forage = {}\n\
         behaviors.separation = { perception_radius = 3 }\nbehaviors.pursuit = { target = { agent = 5 } }\nbehaviors.explore = {}\n",
    );
    let mut draw = Draw::new(5);
    let mut state = State::initial(&scene);
    let mut bad = 0;
    for (id, position) in state.positions.iter_mut().enumerate() {
        if id % 9 == 0 {
            position[id % 2 * 2] = [1e9, -16.0, 15.5, 1e3][id / 9 % 4];
            bad += 1;
        } else if id % 9 == 1 {
            // Along an axis that does not wrap everybody is found.
            position[1] = 1e4;
        }
    }
    let run = |options: &Options| {
        let mut simulation = Simulation::new(&gpu, &scene, &state, options.clone()).unwrap();
        simulation.step(5).unwrap();
        simulation.observe().unwrap()
    };
    let mut reference = cpu::Simulation::new(&scene, &state, Execution::Parallel).unwrap();
    reference.step(5);
    let (seen, expected) = (run(&Options::default()), reference.observe());
    assert_eq!((seen.digest_hex(), seen.bad_agents), (expected.digest_hex(), bad));
    // A user's shader without the check differs; with bounds checks, because it is a user's.
    let unchecked = run(&mutated("is_healthy", "is_in_world(agent.position)", "true"));
    assert_ne!(unchecked.bad_agents, bad);

    // Random words in all buffers that are kept from step to step do not crash the process; also with few or many agents that search
    // for the nearest of a species, whose results lie by id.
    let looking = |count: u32| {
        parse(&format!(
            "world = {{ size = [30, 20, 25] }}\n[[species]]\nname = \"mice\"\ncount = {}\nbehaviors.wander = {{}}\n[[species]]\n\
             name = \"hawks\"\ncount = {count}\nbehaviors.pursuit = {{ target = {{ nearest = \"mice\", perception_radius = 9 }} }}\n",
            900 - count
        ))
    };
    let scenes = [scene, looking(60), looking(600)];
    for (round, scene) in (0..16).map(|round| (round, &scenes[[0, 1, 0, 2][round / 2 % 4]])) {
        let mut simulation = ran_on_gpu(&gpu, scene, Options::default(), 2);
        for buffer in BUFFERS.iter().filter(|buffer| buffer.life == Life::Kept) {
            let Ok(mut words) = simulation.words(buffer.id) else { continue };
            for word in &mut words {
                *word = match (draw.word() % 3, round % 2) {
                    (0, _) => draw.word() as u32,
                    (1, 1) => {
                        [0x7fc0_0000, 0x7f80_0000, 0xffff_ffff, 0x4e6e_6b28, 0x8000_0000, 900][draw.word() as usize % 6]
                    }
                    _ => *word,
                };
            }
            simulation.write_words(buffer.id, &words);
        }
        simulation.step(3).unwrap();
        let found = simulation.state().unwrap();
        let finite = |vectors: &[[f32; 3]]| vectors.iter().flatten().filter(|x| !x.is_finite()).count();
        println!("round {round}: {} of 900 are frozen", found.frozen.iter().filter(|frozen| **frozen).count());
        // For an id that no agent has, nothing was written.
        let missing = found.positions.len()
            - simulation.words(BufferId::Id).unwrap().iter().filter(|id| (**id & !(1 << 31)) < 900).count();
        assert!(finite(&found.positions) + finite(&found.velocities) <= 6 * missing, "round {round}");
    }
}

#[test]
fn kept_zeros_have_no_sign() {
    let flat = verified(&on(FLAT), &Options::default()).unwrap();
    assert_pass(&flat, "a hill of height 0");
    let behaviors = [
        "flee = { target = { point = [1, 2] }, panic_distance = 5 }",
        "evasion = { target = { agent = 3 } }",
        "target_speed = { speed = 2 }",
        "unaligned_avoidance = {}",
        "close_neighbor_avoidance = {}",
    ];
    for behavior in behaviors {
        for held in ["update_every = 3", "smoothing_time = 0.2"] {
            let scene = parse(&format!(
                "world = {{ size = [40, 20] }}\n[[species]]\ncount = 300\nmax_speed = 3\nradius = 0.4\n{held}\nbehaviors.{behavior}\n"
            ));
            assert_pass(&verified(&scene, &Options::default()).unwrap(), &format!("{behavior}, {held}"));
        }
    }
}

/// A state with all agents near the origin along the long axes.
fn dense(scene: &Scene) -> State {
    let mut draw = Draw::new(2);
    let mut state = State::initial(scene);
    for position in &mut state.positions {
        for axis in (0..3).filter(|axis| scene.world.size[*axis] > 10.0) {
            position[axis] = draw.between(-3.0, 3.0) as f32;
        }
    }
    state
}

/// Searches in worlds where the margin of a search, a share of the longest axis, is longer than the shortest axis.
#[test]
fn an_axis_may_be_a_millionth_of_another() {
    for size in ["[1e6, 1]", "[1, 1e6]", "[1e6, 1, 1e6]", "[1e6, 1e6, 0.5]"] {
        let scene = parse(&format!(
            "world = {{ size = {size}, boundary = \"wrap\" }}\n[[species]]\ncount = 900\nmax_speed = 3\nspawn = {{ extent = 0.001 }}\n\
             behaviors.alignment = {{ perception_radius = 0.2, field_of_view = 360 }}\n\
             behaviors.seek = {{ target = {{ nearest = \"species 0\", perception_radius = 0.25 }} }}\n"
        ));
        let state = dense(&scene);
        let report = verified_from(&scene, &state, &Options::default()).unwrap();
        assert_pass(&report, size);
        assert_eq!(report.oracle.differing, 0, "{size}: {:?}", report.oracle);
        assert!(report.oracle.neighbors > 0, "{size}: {:?}", report.oracle);
    }
}

/// The oracle gets another scene than GPU and reference run, as if both had the same mistake.
#[test]
fn the_oracle_sees_what_both_twins_have_wrong() {
    let scene = |radius: f32, view: u32, more: &str| {
        parse(&format!(
            "world.size = [30, 20]\n[[species]]\ncount = 500\n{more}\n\
             behaviors.alignment = {{ perception_radius = {radius}, field_of_view = {view} }}\n"
        ))
    };
    let mut reference = on_cpu(&scene(3.0, 200, ""));
    STAGES.iter().take_while(|stage| stage.id != StageId::Integrate).for_each(|stage| reference.run_stage(stage.id));
    let sampled = |scene: &Scene| {
        let mut sample = OracleSample::default();
        sample.add(scene, &reference, 0, 2);
        sample
    };
    let right = sampled(&scene(3.0, 200, ""));
    assert!(right.pass() && right.compared > 400 && right.neighbors > 5000, "{right:?}");
    for (radius, view, more) in
        [(2.5, 200, ""), (3.0, 180, ""), (3.0, 200, "k_nearest = 7"), (3.0, 200, "perceives = []")]
    {
        let wrong = sampled(&scene(radius, view, more));
        assert!(!wrong.pass() && wrong.differing > 100 && wrong.first.is_some(), "{wrong:?}");
    }
}

/// A trail that lies there when a run begins, as full as a cell can be among others, on planes and in space: it is followed, fades and
/// spreads to the same bits on all devices. Another one later on is no part of a run that goes on, and of one that restarts.
#[test]
fn a_trail_lies_there_from_the_start() {
    let gpus = gpus();
    let rules = "trail_half_life = 0.3\ntrail_spread = 3\n[[species]]\ncount = 700\nmax_speed = 5\ndeposit = 300\n\
                 behaviors.follow_trail = {}\nbehaviors.explore = {}\nbehaviors.forage = {}\n";
    for (world, cells) in [
        ("size = [40, 25], boundary = \"contain\"", [16, 10, 1]),
        ("size = [24, 20, 16], boundary = \"wrap\"", [16, 13, 11]),
    ] {
        let without = parse(&format!("world = {{ {world} }}\n[ground]\nresolution = 16\npatches = 3\n{rules}"));
        let mut draw = Draw::new(9);
        let mut units: Vec<u32> = (0..cells.iter().product()).map(|_| draw.whole(0, 5000)).collect();
        (units[3], units[40]) = (MOST_TRAIL, 0);
        let with = |units: &[u32]| {
            let trail = TrailFile::new("trail.npy", cells, units.to_vec()).unwrap();
            edited(&without, |draft| draft.ground.as_mut().unwrap().trail = Some(trail))
        };
        let scene = with(&units);
        let (state, plan) = (State::initial(&scene), Plan { steps: 4, free_steps: 20 });
        let reports = support::verified(&gpus, &scene, &state, &Options::default(), plan, world);
        let plain = support::verified(&gpus[..1], &without, &state, &Options::default(), plan, world);
        assert_ne!(reports[0].free_run.gpu_digest, plain[0].free_run.gpu_digest, "control: it is followed");
        let overflows =
            mutated("trail_fade", "min(ground[index].trail, MOST_TRAIL)", "min(ground[index].trail, 0x1fffffffu)");
        assert!(!verified(&scene, &overflows).unwrap().pass, "control: nobody notices that a full cell loses half");

        let trail = |run: &Engine| -> Vec<u32> {
            run.words(BufferId::Ground).unwrap().chunks_exact(5).map(|cell| cell[4]).collect()
        };
        units.reverse();
        let other = with(&units);
        let undisturbed = ran_on_cpu(&scene, 12).snapshot();
        for backend in backends() {
            let mut run = start(&backend, &scene);
            assert!(trail(&run).iter().rev().eq(&units), "{}", backend.title());
            run.step(6).unwrap();
            assert_eq!(run.change(&other).unwrap(), Change::Numbers);
            run.step(6).unwrap();
            assert_eq!(run.snapshot().unwrap(), undisturbed, "{}: the run goes on", backend.title());
            run.restart(&other).unwrap();
            assert_eq!(trail(&run), units, "{}", backend.title());
        }
    }
}
