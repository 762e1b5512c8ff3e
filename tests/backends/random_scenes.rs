//! Scenes drawn at random from the registry: every behavior, kind of target, combination and table of rules in mixes
//! that nobody thought of, some of their parameters as small or as large as they may be. Both sides must agree to the bit,
//! and every agent must stay finite.

use crate::support::{digest, gpus, on_cpu, parsed, small_gpu, verified};
use rayon::prelude::*;
use steerling::gpu::{Gpu, Options};
use steerling::model::{BufferId, State};
use steerling::scene::{BEHAVIORS, BehaviorSpec, Parameter, Range, Scene};
use steerling::verify::{Plan, Report};
use steerling_conform::Draw;

/// Extent of the worlds along each axis, u.
const SIZE: f64 = 24.0;
const SPECIES: [&str; 3] = ["ant", "bee", "cat"];

fn pick<T: Copy>(draw: &mut Draw, of: &[T]) -> T {
    of[(draw.word() % of.len() as u64) as usize]
}

fn chance(draw: &mut Draw, probability: f64) -> bool {
    draw.between(0.0, 1.0) < probability
}

fn vector(draw: &mut Draw, spatial: bool, half: f64) -> String {
    let point = draw.point(spatial, half);
    let axes = if spatial { 3 } else { 2 };
    format!("[{}]", point[..axes].iter().map(|x| format!("{x:.3}")).collect::<Vec<_>>().join(", "))
}

/// Any kind of target; the queries of a species are limited, so `nearest` has one of two.
fn target(draw: &mut Draw, spatial: bool) -> String {
    match draw.word() % 8 {
        0 => format!("{{ point = {} }}", vector(draw, spatial, SIZE * 0.4)),
        1 => format!("{{ agent = {} }}", draw.word() % 700),
        2 => "{ nearest = \"ant\", perception_radius = 4 }".into(),
        3 => "{ nearest = \"cat\", perception_radius = 6, field_of_view = 250 }".into(),
        4 => format!("{{ leader = \"{}\" }}", pick(draw, &SPECIES)),
        5 => "\"field\"".into(),
        6 => "{ path = \"road\" }".into(),
        _ => "\"mouse\"".into(),
    }
}

fn number(draw: &mut Draw, parameter: &Parameter, min: f32, max: f32) -> f64 {
    let default = f64::from(parameter.default);
    let extreme = chance(draw, 0.2).then(|| f64::from(pick(draw, &[min, max])));
    let drawn = match parameter.name {
        // Not more than a world has room for.
        "perception_radius" => extreme.map_or_else(|| draw.between(0.3, 4.0), |radius| radius.min(6.0)),
        _ if extreme.is_some() => extreme.unwrap_or_default(),
        "field_of_view" => draw.between(20.0, 400.0).min(360.0),
        "panic_distance" => draw.between(1.0, 20.0),
        _ if default == 0.0 => draw.between(0.0, 2.0),
        _ => default * draw.scale(0.3, 3.0),
    };
    drawn.clamp(min.into(), max.into())
}

fn value(draw: &mut Draw, spatial: bool, parameter: &Parameter) -> Option<String> {
    Some(match parameter.range {
        Range::Number { min, max } => format!("{:.4}", number(draw, parameter, min, max)),
        Range::Whole { min, max } => (min + (draw.word() % u64::from(max - min + 1)) as u32).to_string(),
        Range::Choice(words) => format!("{:?}", pick(draw, words)),
        Range::Vector { min, .. } if min >= 0.0 => {
            format!("[{:.3}, {:.3}, {:.3}]", draw.between(4.0, SIZE), draw.between(4.0, SIZE), draw.between(4.0, SIZE))
        }
        Range::Vector { .. } => vector(draw, spatial, 6.0),
        Range::Target => target(draw, spatial),
        Range::Species if chance(draw, 0.5) => format!("[{:?}]", pick(draw, &SPECIES)),
        Range::Path => "\"road\"".into(),
        _ => return None,
    })
}

fn behavior(draw: &mut Draw, spatial: bool, spec: &BehaviorSpec) -> String {
    let mut text = format!("[species.behaviors.{}]\nweight = {:.3}\n", spec.name, draw.between(0.2, 2.0));
    if chance(draw, 0.5) {
        text += &format!("priority = {}\nrank = {}\n", draw.word() % 8, draw.word() % 8);
    }
    if chance(draw, 0.3) {
        text += &format!("weight_spread = {:.3}\n", draw.between(0.1, 2.0));
    }
    if chance(draw, 0.3) {
        text += "floor = 0\n";
    }
    if chance(draw, 0.3) {
        text += &format!("states = [{:?}]\n", pick(draw, &["calm", "alert"]));
    }
    for parameter in spec.parameters {
        if let Some(value) = value(draw, spatial, parameter) {
            text += &format!("{} = {value}\n", parameter.name);
        }
    }
    text
}

fn rules(draw: &mut Draw, spatial: bool) -> String {
    let mut rule = |from: &str, to: &str| {
        let when = pick(draw, &["nearer", "farther", "after", "field_above", "field_below", "load_above"]);
        let (than, target, unloads) = (draw.between(0.1, 5.0), target(draw, spatial), draw.between(0.0, 1.0) < 0.3);
        format!(
            "[[species.rules]]\nfrom = {from:?}\nto = {to:?}\nwhen = {when:?}\nthan = {than:.3}\ntarget = {target}\nunloads = {unloads}\n"
        )
    };
    rule("calm", "alert") + &rule("alert", "calm")
}

/// A path and some obstacles of every shape.
fn scenery(draw: &mut Draw, spatial: bool) -> String {
    let points: Vec<String> = (0..4).map(|_| vector(draw, spatial, 10.0)).collect();
    let closed = chance(draw, 0.5);
    let mut text =
        format!("[[paths]]\nname = \"road\"\npoints = [{}]\nclosed = {closed}\nradius = 0.8\n", points.join(", "));
    let points: Vec<String> = (0..3).map(|_| vector(draw, spatial, 9.0)).collect();
    let (repeat, smooth, turn) = (chance(draw, 0.5), chance(draw, 0.5), draw.between(-400.0, 400.0));
    text += &format!(
        "[[trajectories]]\nname = \"way\"\ntimes = [0, 0.05, 0.13]\npoints = [{}]\nturns = [0, {turn:.3}, 90]\n\
         repeat = {repeat}\nsmooth = {smooth}\n",
        points.join(", ")
    );
    for shape in ["sphere", "box", "plane", "capsule", "box"] {
        let size = match shape {
            "sphere" => format!("radius = {:.3}", draw.between(0.5, 3.0)),
            "capsule" => format!("radius = {:.3}\nlength = {:.3}", draw.between(0.5, 2.0), draw.between(0.0, 5.0)),
            "box" if spatial => "size = [2, 3, 4]".into(),
            "box" => "size = [2, 3]".into(),
            _ => format!("normal = {}", vector(draw, spatial, 1.0)),
        };
        let seen_from = pick(draw, &["outside", "outside", "inside", "both"]);
        let center = vector(draw, spatial, 9.0);
        text += &format!("[[obstacles]]\nshape = {shape:?}\ncenter = {center}\n{size}\nseen_from = {seen_from:?}\n");
        if chance(draw, 0.3) {
            text += &format!("turn = {:.3}\naxis = {}\n", draw.between(-360.0, 360.0), vector(draw, spatial, 1.0));
        }
        if chance(draw, 0.3) {
            text += "trajectory = \"way\"\n";
        }
    }
    text
}

/// A scene that uses `behavior`, and others by chance.
fn scene(seed: u64, certain: &str) -> Scene {
    let mut draw = Draw::new(seed);
    let spatial = chance(&mut draw, 0.5);
    let boundary = ["wrap", "contain", "open"];
    let axes = if spatial { 3 } else { 2 };
    let boundary: Vec<String> = (0..axes).map(|_| format!("{:?}", pick(&mut draw, &boundary))).collect();
    let mut text = format!(
        "schema = 1\nname = \"random\"\nseed = {seed}\ndt = 0.02\nmouse = {}\n\
         [world]\nsize = {:?}\nboundary = [{}]\nmargin = 2\n\
         [field]\nsource = \"curl_noise\"\nspeed = 3\nwavelength = 8\nresolution = 24\n[ground]\nresolution = 16\ntrail_spread = 2\ntrail_half_life = 0.5\n",
        vector(&mut draw, spatial, 10.0),
        vec![SIZE; axes],
        boundary.join(", "),
    );
    text += &scenery(&mut draw, spatial);
    for (index, name) in SPECIES.iter().enumerate() {
        let combine = pick(&mut draw, &["weighted", "weighted", "normalized", "priority", "budget", "dithered"]);
        text += &format!(
            "[[species]]\nname = {name:?}\ncount = {}\nmass = {:.3}\nmax_speed = {:.3}\nmin_speed = {}\n\
             max_force = {:.3}\nradius = {:.3}\ntime_constant = {}\nspawn = {{ speed = 2.0 }}\n\
             k_nearest = {}\ndeposit = {}\ncombine = {:?}\nupdate_every = {}\nstates = [\"calm\", \"alert\"]\n",
            [400, 200, 40][index],
            draw.scale(0.5, 2.0),
            draw.between(2.5, 6.0),
            pick(&mut draw, &["0", "1.0", "2.0"]),
            draw.between(5.0, 40.0),
            draw.between(0.1, 0.6),
            pick(&mut draw, &["0", "0.1", "0.4", "1e-25"]),
            pick(&mut draw, &[0, 0, 3, 7]),
            pick(&mut draw, &[0, 0, 70, 3000]),
            combine,
            pick(&mut draw, &[1, 1, 1, 3]),
        );
        if chance(&mut draw, 0.3) {
            text += &format!("perceives = [{:?}]\n", pick(&mut draw, &SPECIES));
        }
        if !matches!(combine, "weighted" | "normalized") && chance(&mut draw, 0.5) {
            let ways: Vec<&str> = (0..8).map(|_| pick(&mut draw, &["weighted", "normalized", "first"])).collect();
            text += &format!("combine_within = {ways:?}\n");
        }
        if chance(&mut draw, 0.5) {
            text += &rules(&mut draw, spatial);
        }
        for spec in BEHAVIORS.iter() {
            let wanted = (spec.name == certain && index == 0) || chance(&mut draw, 0.05);
            if wanted {
                text += &behavior(&mut draw, spatial, spec);
            }
        }
    }
    parsed(&text, &[])
}

/// Sixteen species that do nothing but one behavior, with each number of its parameters at an end of its range.
fn at_the_ends(seed: u64, spec: &BehaviorSpec) -> Scene {
    let mut draw = Draw::new(seed);
    let mut text = "schema = 1\nname = \"ends\"\nworld = { size = [24, 24], boundary = \"open\" }\n\
                    [field]\nsource = \"vortex\"\nspeed = 3\n[ground]\nresolution = 16\n"
        .to_owned();
    text += &scenery(&mut draw, false);
    for index in 0..16 {
        let name = SPECIES.get(index).map_or(format!("species {index}"), |name| (*name).to_owned());
        text += &format!(
            "[[species]]\nname = {name:?}\ncount = 24\nmax_speed = 5\nspawn = {{ speed = {} }}\ncombine = {:?}\n\
             vehicle = {{ facing = \"independent\", max_angular_speed = 90 }}\n[species.behaviors.{}]\nfloor = 0\n",
            pick(&mut draw, &["0", "5"]),
            pick(&mut draw, &["weighted", "normalized"]),
            spec.name,
        );
        for parameter in spec.parameters {
            text += &match parameter.range {
                Range::Number { min, .. } if parameter.name == "perception_radius" => {
                    format!("perception_radius = {}\n", pick(&mut draw, &[min, 30.0]))
                }
                Range::Number { min, max } => format!("{} = {}\n", parameter.name, pick(&mut draw, &[min, max])),
                _ => {
                    value(&mut draw, false, parameter).map_or(String::new(), |v| format!("{} = {v}\n", parameter.name))
                }
            };
        }
    }
    parsed(&text, &[])
}

/// On the reference alone, because the other test compares the two.
#[test]
fn nobody_freezes_at_the_ends_of_the_ranges() {
    let mut frozen = Vec::new();
    for spec in BEHAVIORS.iter() {
        for seed in 0..4 {
            let mut simulation = on_cpu(&at_the_ends(seed, spec));
            simulation.step(240);
            let bad = simulation.observe().bad_agents;
            frozen.extend((bad > 0).then_some((spec.name, seed, bad)));
        }
    }
    assert!(frozen.is_empty(), "not finite: {frozen:?}");
}

/// Each behavior is certain in two scenes at least, so that none is left to chance. Every second scene on every driver, and the others on a
/// device with the limits that every WebGPU device has: no pass of any mixture binds more. To make shaders is nearly all of the time.
#[test]
fn every_random_mix_of_behaviors_is_equal() {
    let (gpus, small) = (gpus(), small_gpu());
    let seeds = 0..100.max(2 * BEHAVIORS.len());
    // Side by side, because most of it is the making of shaders, by one thread.
    let steered: u64 = seeds.into_par_iter().map(|seed| all_agree(seed, &gpus, &small)).sum();
    assert!(steered > 100_000, "{steered} values of steering");
}

/// The number of values of steering that were compared.
fn all_agree(seed: usize, gpus: &[Gpu], small: &Gpu) -> u64 {
    let certain = BEHAVIORS[seed % BEHAVIORS.len()].name;
    let (scene, what) = (scene(seed as u64, certain), format!("seed {seed} ({certain})"));
    let state = State::initial(&scene);
    let plan = Plan { steps: 3, free_steps: 20 };
    // Seeds and behaviors are as many, so that in the second round each behavior meets the other devices.
    let everywhere = (seed + seed / BEHAVIORS.len()).is_multiple_of(2);
    let reports =
        verified(if everywhere { gpus } else { &gpus[..1] }, &scene, &state, &Options::default(), plan, &what);
    for report in &reports {
        assert_eq!(report.free_run.bad_agents, 0, "{what}: not finite\n{scene:#?}");
    }
    let steering = |report: &Report| {
        let rows = report.rows.iter().filter(|row| row.buffer == BufferId::Acceleration);
        rows.map(|row| row.compared).sum::<u64>()
    };
    let steered = reports.iter().map(steering).sum();
    if everywhere {
        return steered;
    }
    let digest = digest(small, &scene, Options::default(), plan.free_steps);
    assert!(!small.exact || digest == reports[0].free_run.cpu_digest, "{what} within the default limits");
    steered
}
