//! Vehicle models on the GPU equal the CPU reference to the bit, whatever their settings.

use std::fmt::Write;
use steerling::gpu::Options;
use steerling::model::{BufferId, Pose, State};
use steerling::scene::Scene;
use steerling::verify::{Plan, verify};
use steerling_conform::Draw;
use support::{Both, LAYOUTS, Layout, Mistake, agrees, assert_pass, gpu, notices, parsed, state};

fn one<'a>(draw: &mut Draw, of: &[&'a str]) -> &'a str {
    of[(draw.word() % of.len() as u64) as usize]
}

fn chance(draw: &mut Draw) -> bool {
    draw.word().is_multiple_of(2)
}

/// The settings of a random vehicle.
fn vehicle(draw: &mut Draw, spatial: bool) -> String {
    let mut text = String::from("[species.vehicle]\n");
    let locomotion = one(draw, &["point_mass", "turn_first", "kinematic"]);
    let mut line = |key: &str, value: String| writeln!(text, "{key} = {value}").unwrap();
    line("locomotion", format!("{locomotion:?}"));
    line("integrator", format!("{:?}", one(draw, &["semi_implicit", "explicit"])));
    line("orientation", format!("{:?}", one(draw, &["derived", "kept"])));
    let mut number = |draw: &mut Draw, key: &str, low: f64, high: f64, always: bool| {
        if always || chance(draw) {
            line(key, format!("{:?}", draw.scale(low, high)));
        }
    };
    number(draw, "linear_drag", 0.05, 5.0, false);
    number(draw, "quadratic_drag", 0.01, 1.0, false);
    number(draw, "angular_drag", 0.1, 10.0, false);
    number(draw, "max_angular_speed", 20.0, 20_000.0, locomotion == "turn_first");
    number(draw, "max_angular_acceleration", 100.0, 50_000.0, false);
    number(draw, "low_speed", 0.3, 3.0, false);
    number(draw, "turn_loss", 0.003, 0.3, false);
    number(draw, "grip", 0.3, 100.0, false);
    if chance(draw) {
        number(draw, "moment_of_inertia", 0.1, 5.0, true);
        number(draw, "max_torque", 1.0, 100.0, true);
    }
    line("forward_acceleration", format!("{:?}", one(draw, &["variable", "constant"])));
    if locomotion == "turn_first" {
        line("reverse", format!("{:?}", one(draw, &["allow", "forbid"])));
    } else {
        line("facing", format!("{:?}", one(draw, &["velocity", "independent"])));
    }
    if spatial && chance(draw) {
        let (righting, leaning, rate) = (draw.scale(0.01, 1.0), draw.scale(0.005, 0.5), draw.scale(0.3, 30.0));
        line("banking", format!("{{ righting = {righting:?}, leaning = {leaning:?}, rate = {rate:?} }}"));
    }
    if spatial {
        line("hugs_surface", chance(draw).to_string());
    }
    text
}

/// Spreads of the numbers that a vehicle has, some as wide as to be cut off at the ends of their ranges.
fn variation(draw: &mut Draw, vehicle: &str) -> String {
    let keys = ["max_angular_speed", "max_angular_acceleration", "moment_of_inertia", "max_torque", "quadratic_drag"];
    let keys = keys.into_iter().chain(["low_speed", "turn_loss", "max_reverse_speed", "righting", "leaning"]);
    let mut text = format!("[species.variation]\ndistribution = {:?}\n", one(draw, &["uniform", "normal"]));
    for key in keys {
        let value = vehicle.split([',', '{', '\n']).filter_map(|part| part.trim().split_once(" = "));
        let mean = value.into_iter().find(|(name, _)| *name == key);
        if let Some((_, mean)) = mean.filter(|_| chance(draw)) {
            let mean: f64 = mean.trim_end_matches([' ', '}']).parse().unwrap();
            writeln!(text, "{key} = {:?}", mean * draw.scale(0.1, 2.0)).unwrap();
        }
    }
    text
}

/// Six species of random vehicles that flock and follow a field; `differ`: no two agents are alike.
fn scene(draw: &mut Draw, spatial: bool, differ: bool) -> Scene {
    let size = if spatial { "[14, 12, 13]" } else { "[40, 30]" };
    let boundary = if spatial { "[\"wrap\", \"contain\", \"open\"]" } else { "[\"contain\", \"wrap\"]" };
    let mut text = format!(
        "schema = 1\nname = \"vehicles\"\nseed = 11\ndt = 0.02\n[world]\nsize = {size}\nboundary = {boundary}\nmargin = 1\n\
         [field]\nsource = \"vortex\"\nspeed = 3\nresolution = 16\n"
    );
    if spatial {
        text += one(
            draw,
            &[
                "[surface]\nshape = \"sphere\"\ncenter = [1, 0, 2]\nradius = 4\n",
                "[surface]\nshape = \"plane\"\nnormal = [1, 2, -1]\n",
                "[surface]\nshape = \"height_field\"\nhills = [{ x = 2, height = 3, width = 4 }, { z = -3, height = -2, width = 2 }]\n",
            ],
        );
    }
    for species in 0..6 {
        let [mass, time_constant] = [draw.scale(0.2, 5.0), draw.scale(0.02, 1.0)];
        let mut vehicle = vehicle(draw, spatial);
        if differ {
            if vehicle.contains("reverse = \"allow\"") {
                writeln!(vehicle, "max_reverse_speed = {:?}", draw.scale(0.5, 4.0)).unwrap();
            }
            vehicle += &variation(draw, &vehicle);
        }
        write!(
            text,
            "[[species]]\nname = \"s{species}\"\ncount = 60\nmass = {:?}\nmax_speed = 4\nmax_force = 15\n\
             time_constant = {:?}\nspawn = {{ speed = 2 }}\n{}\
             [species.behaviors.separation]\nweight = 3\nperception_radius = 1\n\
             [species.behaviors.cohesion]\nperception_radius = 2\n\
             [species.behaviors.flow_field]\nweight = {:?}\n",
            mass,
            time_constant,
            vehicle,
            one(draw, &["0", "1"]).parse::<f64>().unwrap(),
        )
        .unwrap();
    }
    parsed(&text, &[])
}

/// A start in which every other agent turns and faces elsewhere than it moves.
fn start(scene: &Scene, draw: &mut Draw, layout: Layout) -> State {
    let mut state = state(scene, layout);
    let mut axes = || [0; 3].map(|_| draw.between(-1.0, 1.0) as f32);
    let mut pose = |id: usize| match id % 2 {
        0 => Pose { forward: axes(), up: axes(), spin: axes().map(|x| 5.0 * x), bank: axes() },
        // What is no number is replaced by the direction of the velocity.
        _ => Pose { forward: [f32::NAN; 3], up: [0.0; 3], spin: [0.0; 3], bank: [0.0; 3] },
    };
    state.poses = (0..state.positions.len()).map(&mut pose).collect();
    state
}

#[test]
fn random_vehicles_are_equal() {
    let gpu = gpu();
    for seed in 0..12 {
        let plan = Plan { steps: 4, free_steps: if seed == 0 { 600 } else { 40 } };
        for spatial in [false, true] {
            let mut draw = Draw::new(seed * 2 + u64::from(spatial));
            let scene = scene(&mut draw, spatial, seed % 2 == 1);
            let layout = LAYOUTS[seed as usize % LAYOUTS.len()];
            let initial = start(&scene, &mut draw, layout);
            let report = verify(&gpu, &scene, &initial, &Options::default(), plan, |_| ()).unwrap();
            assert!(
                report.rows.iter().any(|row| row.buffer == BufferId::Pose && row.compared > 0),
                "poses are compared"
            );
            assert_pass(&report, &format!("seed {seed}, spatial {spatial}, {layout:?}"));
        }
    }
}

/// What drag leaves of a speed is never so small that one side takes it for zero and the other does not.
#[test]
fn drag_down_to_nothing_is_equal() {
    let gpu = gpu();
    let text = "schema = 1\ndt = 0.05\n[world]\nsize = [50, 50, 50]\nboundary = \"open\"\n\
                [[species]]\nname = \"a\"\ncount = 40\nvehicle = { linear_drag = 9, orientation = \"kept\" }\n\
                [[species]]\nname = \"b\"\ncount = 40\nvehicle = { facing = \"independent\", angular_drag = 9 }\n";
    let scene = parsed(text, &[]);
    let mut initial = State::initial(&scene);
    let spinning = |id: usize| Pose {
        forward: [1.0, 0.0, 0.0],
        up: [0.0, 0.0, 1.0],
        spin: [0.3 * id as f32 - 12.0, 2.0 - id as f32 * 0.1, 1.0],
        bank: [0.0; 3],
    };
    initial.poses = (0..80).map(spinning).collect();
    let mut both = Both::new(&gpu, &scene);
    both.set_state(&initial);
    for step in (20..=400).step_by(20) {
        both.step(20);
        both.state(&format!("after {step} steps"));
    }
}

/// What is replaced in which function, by what: each must turn the comparison red.
const MUTANTS: &[Mistake] = &[
    ("dragged", "pushed * (2.0 / (1.0 + sqrt(1.0", "pushed * (2.0 / (1.0 + sqrt(1.001"),
    ("dragged", "moving * species[own].vehicle.velocity_kept", "moving"),
    (
        "spun",
        "let limited = limit(angular_acceleration, angular_acceleration_of(own, limits.id));",
        "let limited = angular_acceleration;",
    ),
    ("spun", "return limit(faster, limits.angular_speed);", "return faster;"),
    ("turn_to", "let step = min(angle, stopping);", "let step = angle;"),
    ("turn_to", "if (dot3(missing, missing) <= 1e-13) {", "if (dot3(missing, missing) <= 1e-4) {"),
    (
        "turn_to",
        "return Turned(turned / sqrt(dot3(turned, turned)), spin, false);",
        "return Turned(turned, spin, false);",
    ),
    ("drive", "before / (1.0 + dot3(turn.spin, turn.spin) * loss)", "before"),
    ("drive", "let ahead = speed_along(desired, turn.forward);", "let ahead = speed_along(desired, body.forward);"),
    ("drive", "let least = select(limits.least_speed, backward, backward < 0.0);", "let least = limits.least_speed;"),
    ("drive", "slide > grip || before * along < 0.0", "slide > grip * 1.1 || before * along < 0.0"),
    ("drive", "aside = aside * (1.0 - grip / max(max(slide, grip), 1e-30));", "aside = aside * 0.99;"),
    ("drive", "left = along;", ""),
    ("skidding", "let sliding = forward * left + aside;", "let sliding = forward * left;"),
    ("skidding", "min(least, left)", "least"),
    ("limit_lateral", "if (speed >= low_speed) {", "if (speed >= low_speed * 0.9) {"),
    ("rebase", "var side = cross3(forward, wish);", "var side = cross3(wish, forward);"),
    ("banked", "return up + (wish - up) * species[own].vehicle.bank_share;", "return wish;"),
    ("tangential", "let along = velocity - normal * dot3(velocity, normal);", "let along = velocity;"),
    ("standing", "next.forward = level / sqrt(squared);", "next.forward = level;"),
    ("course_of", "next.bank = body.bank + ", "next.bank = body.bank * 1.01 + "),
    ("course_of", "wish = rotate(body.up, rotation);", "wish = body.up;"),
    ("mirrored", "select(direction, -direction, before != after)", "direction"),
    ("after_step", "new_position = wrapped(ground.point);", ""),
    ("course_of", "velocity = drive(own, limits, moving, desired, body, turn);", "velocity = after;"),
    ("after_step", "keep_pose(own_id, store_pose(body));", ""),
    ("angle_of", "angle = 0.5 * PI - angle;", "angle = 0.5 * PI + angle;"),
    ("angle_of", "u * (-0.3333318 +", "u * (-0.33332 +"),
    ("rotation_between", "start.x * end.y - start.y * end.x", "start.x * end.x - start.y * end.y"),
    ("facing_of", "forward = triple(pose_of(id).forward);", ""),
];

#[test]
fn every_mutant_is_found() {
    let gpu = gpu();
    let plan = Plan { steps: 12, free_steps: 0 };
    let scenes: Vec<_> = [(200, false), (201, true), (202, true), (203, false)]
        .map(|(seed, spatial)| {
            let mut draw = Draw::new(seed);
            let scene = scene(&mut draw, spatial, false);
            (start(&scene, &mut draw, Layout::Uniform), scene)
        })
        .into();
    let passes = |options: Options| scenes.iter().all(|(initial, scene)| agrees(&gpu, scene, initial, &options, plan));
    notices(passes, MUTANTS);
}
