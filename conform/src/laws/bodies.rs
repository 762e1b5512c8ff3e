//! Bodies that differ: from agent to agent of a species, and from one action state to another.

use crate::*;
use std::ops::Range;

laws! {
    variation_speed in both:
        "individual greatest speeds have the mean max_speed and the variance s²/3 within ±s, or s² within ±3.5 s",
        source: "an even draw; the sum of four even draws, as wide as a normal one",
        mutant: deviation("2.0 * unit_interval(hash.x) - 1.0" => "unit_interval(hash.x)"),
        mistake: "no agent is slower than the mean";
    variation_force in both:
        "individual greatest forces are distributed as in variation_speed, and independent of greatest speeds",
        source: "independent draws",
        mutant: limits_of("deviation(world.seed, id, 1u, normal)" => "deviation(world.seed, id, 0u, normal)"),
        mistake: "fast agents are strong";
    variation_mass in both:
        "individual masses are distributed as in variation_speed, independent of forces, and not below m/10: an \
         agent gains F/m",
        source: "independent draws; Newton",
        mutant: mass_of("deviation(world.seed, id, 2u," => "deviation(world.seed, id, 1u,"),
        mistake: "strong agents are heavy";
    variation_radius in both:
        "individual radii are distributed as in variation_speed, and not below r/10: two agents that overlap keep r₁ \
         + r₂ + margin of their own radii apart",
        source: "independent draws; overlap_push",
        mutant: neighbor_at("radius_of(their_species, id)" => "species[their_species].radius"),
        mistake: "all neighbors have the same radius";
    variation_angular_speed in both:
        "individual greatest angular speeds are distributed as in variation_speed: an agent turns round at its own, \
         and none turns backward",
        source: "independent draws",
        mutant: limits_of("species[own].angular_spread * deviation"
            => "abs(species[own].angular_spread) * 0.5 * deviation"),
        mistake: "half of the spread";
    variation_min_speed in both:
        "individual least speeds are distributed as in variation_speed; none is below 0 or above max_speed, nor \
         above the agent's greatest speed",
        source: "independent draws",
        mutant: propelled("clip_speed(faster, limits.least_speed," => "clip_speed(faster, species[own].min_speed,"),
        mistake: "all have the least speed of the species";
    variation_time_constant in both:
        "individual time constants are distributed as in variation_speed, and not below τ/10: an agent at rest gains \
         V/τ with its own τ",
        source: "independent draws; steering = (V - v)/τ",
        mutant: limits_of("deviation(world.seed, id, 6u, normal)" => "abs(deviation(world.seed, id, 6u, normal))"),
        mistake: "no agent has less than the mean time constant";
    variation_limits in both: "no agent's greatest speed is below min_speed, and no agent's greatest force is below 0",
        source: "what is drawn is cut off at its range",
        mutant: limits_of("max(limits.force + species[own].force_spread * deviation(world.seed, id, 1u, normal), 0.0)"
            => "limits.force + species[own].force_spread * deviation(world.seed, id, 1u, normal)"),
        mistake: "the greatest force may be below 0";
    state_limits in both: "in action state k the greatest speed is max_speed f_k and the greatest force max_force g_k",
        source: "definition of the keys `state_speeds` and `state_forces`",
        mutant: limits_of("min(state_of(id), 31u)" => "0u"),
        mistake: "every state has the factors of the first";
}

const AGENTS: usize = 400;

/// A behavior that seeks a target far away: along x in the plane, equally far along each axis in space.
fn far(spatial: bool) -> String {
    let point = if spatial { "[1e6, 1e6, -1e6]" } else { "[1e6, 0]" };
    format!("behaviors.seek = {{ target = {{ point = {point} }} }}")
}

/// Agents at rest that want to go to the target of `far` faster than they can.
fn starters(spatial: bool, lines: &str) -> String {
    format!("min_speed = 0\nspawn.speed = 0\ntime_constant = 0.001\n{}\n{lines}", far(spatial))
}

fn start(setup: &mut Setup, draw: &mut Draw, spatial: bool, lines: &str) -> Range<usize> {
    setup.species(&starters(spatial, lines), &scattered(spatial)(draw))
}

/// Mean and variance.
pub(super) fn moments(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64)
}

/// A mean, a spread, and the distribution: normal for every second index, else uniform.
pub(super) fn drawn(draw: &mut Draw, index: u32) -> (f64, f64, bool, &'static str) {
    let mean = draw.between(5.0, 50.0);
    let spread = f64::from((mean * draw.between(0.02, 0.25)) as f32);
    let normal = index % 2 == 1;
    (mean, spread, normal, if normal { "normal" } else { "uniform" })
}

/// Agents of one species that differ in one number.
pub(super) struct Group {
    pub(super) mean: f64,
    pub(super) spread: f64,
    pub(super) normal: bool,
    pub(super) ids: Range<usize>,
}

impl Group {
    /// The cases for mean, variance and extent of that number, given what was found of each agent.
    pub(super) fn cases(&self, found: impl Fn(usize) -> f64) -> Vec<Case> {
        let Group { mean, spread, normal, .. } = *self;
        let values: Vec<f64> = self.ids.clone().map(found).collect();
        let parameters = [("mean", mean), ("s", spread), ("normal", f64::from(normal))];
        let (found, variance) = moments(&values);
        let (wanted, most) = if normal { (spread * spread, 3.5 * spread) } else { (spread * spread / 3.0, spread) };
        let count = values.len() as f64;
        let farthest = values.iter().map(|value| (value - mean).abs()).fold(0.0, f64::max);
        let mut cases = vec![
            Case::absolute(&parameters, mean, found, 5.0 * (wanted / count).sqrt() + 1e-5 * mean),
            // The fourth moment is at most that of a normal distribution.
            Case::relative(&parameters, wanted, variance, 5.0 * (2.0 / count).sqrt()),
            Case::at_most(&parameters, most, farthest, 1e-5 * mean),
        ];
        if !normal {
            // The chance that no uniform draw comes this near to an end is e^-15.
            cases.push(Case::at_least(&parameters, most * (1.0 - 15.0 / count), farthest, 1e-5 * mean));
        }
        cases
    }
}

/// Add `count` species that vary in the number `key`, every second one by a normal distribution. `scale` brings means from 5 to 50 to
/// the range of that number.
pub(super) fn groups(
    draw: &mut Draw,
    setup: &mut Setup,
    (count, key, scale): (u32, &str, f64),
    bodies: impl Fn(&mut Draw) -> Vec<Body>,
    lines: impl Fn(f64) -> String,
) -> Vec<Group> {
    let mut group = |index| {
        let (mean, spread, normal, word) = drawn(draw, index);
        let (mean, spread) = (mean * scale, spread * scale);
        let lines = format!("{}\nvariation = {{ {key} = {spread}, distribution = \"{word}\" }}\n", lines(mean));
        Group { mean, spread, normal, ids: setup.species(&lines, &bodies(draw)) }
    };
    (0..count).map(&mut group).collect()
}

/// Agents at rest, anywhere.
fn scattered(spatial: bool) -> impl Fn(&mut Draw) -> Vec<Body> {
    move |draw| draw.crowd(AGENTS, spatial, ZERO, 150.0, 0.0)
}

fn variation_speed(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut setup = Setup::open(spatial, 0.01);
    let lines = |mean: f64| starters(spatial, &format!("max_speed = {mean}\nmax_force = 1e9"));
    let all = groups(draw, &mut setup, (10, "max_speed", 1.0), scattered(spatial), lines);
    let after = bench.after(&setup, 3)?;
    bench.tried(all.iter().flat_map(|group| group.cases(|id| norm(after[id].velocity))))
}

fn variation_force(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let dt = 0.01;
    let mut setup = Setup::open(spatial, dt);
    let lines = |mean: f64| starters(spatial, &format!("max_speed = 1\nmax_force = {mean}\nmass = 2"));
    let all = groups(draw, &mut setup, (10, "max_speed = 0.05, max_force", 1.0), scattered(spatial), lines);
    let mut run = bench.run(&setup, 1)?;
    let first = run.bodies()?;
    // The weakest take some seconds.
    run.step(450)?;
    let last = run.bodies()?;
    let (force, speed) = (|id: usize| norm(first[id].velocity) * 2.0 / dt, |id: usize| norm(last[id].velocity));
    for group in all {
        bench.check(group.cases(force));
        let [forces, speeds] = [group.ids.clone().map(force).collect(), group.ids.map(speed).collect::<Vec<f64>>()];
        let ((force, force_variance), (speed, speed_variance)) = (moments(&forces), moments(&speeds));
        let both = forces.iter().zip(&speeds).map(|(f, v)| (f - force) * (v - speed)).sum::<f64>() / AGENTS as f64;
        let correlation = both / (force_variance * speed_variance).sqrt();
        let parameters = [("mean", group.mean), ("s", group.spread)];
        bench.check(Case::absolute(&parameters, 0.0, correlation, 5.0 / (AGENTS as f64).sqrt()));
    }
    Ok(())
}

fn variation_mass(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let dt = 0.01;
    let (mut setup, mut all) = (Setup::open(spatial, dt), Vec::new());
    for index in 0..10 {
        let (mean, spread, normal, word) = drawn(draw, index);
        // In every third species forces vary too, with the same relative spread as masses; in the others all have the same force.
        let forces = if index % 3 == 0 { 250.0 * spread / mean } else { 0.0 };
        let lines = format!(
            "max_speed = 1e4\nmax_force = 1000\nmass = {mean}\n\
             variation = {{ mass = {spread}, max_force = {forces}, distribution = \"{word}\" }}"
        );
        let ids = start(&mut setup, draw, spatial, &lines);
        all.push((forces, Group { mean, spread, normal, ids }));
    }
    let wide = "max_speed = 1e4\nmax_force = 1000\nmass = 4\nvariation = { mass = 20 }";
    let wide = start(&mut setup, draw, spatial, wide);
    let after = bench.after(&setup, 1)?;
    let gained = |id: usize| norm(after[id].velocity) / dt;
    for (forces, group) in all {
        if forces == 0.0 {
            bench.check(group.cases(|id| 1000.0 / gained(id)));
            continue;
        }
        let Group { mean, spread, normal, ids } = group;
        // ln a = ln F - ln m. If F and m were drawn from the same random number, three quarters of the variance would be missing.
        let (relative, of_force) = (spread / mean, forces / 1000.0);
        let (_, variance) = moments(&ids.map(|id| gained(id).ln()).collect::<Vec<f64>>());
        let share = if normal { 1.0 } else { 1.0 / 3.0 };
        let parameters = [("s/m", relative), ("s/F", of_force)];
        bench.check(Case::relative(&parameters, share * (relative.powi(2) + of_force.powi(2)), variance, 0.45));
        bench.check(Case::at_least(&parameters, share * relative.powi(2), variance, 0.15 * share * relative.powi(2)));
    }
    let lightest = wide.map(|id| 1000.0 / gained(id)).least();
    bench.tried(Case::relative(&[("m", 4.0)], 0.4, lightest, 1e-4))
}

fn variation_min_speed(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut setup = Setup::open(spatial, 0.01);
    let lines = |mean: f64| format!("max_speed = 100\nmin_speed = {mean}");
    let all = groups(draw, &mut setup, (10, "min_speed", 1.0), scattered(spatial), lines);
    // A spread wider than the range: draws beyond its ends are clamped to them, and raise the greatest speeds with them.
    let wide = "max_speed = 10\nmin_speed = 5\nspawn.speed = 5\nvariation = { min_speed = 20, max_speed = 9 }";
    let wide = setup.species(wide, &scattered(spatial)(draw));
    let after = bench.after(&setup, 1)?;
    bench.check(all.iter().flat_map(|group| group.cases(|id| norm(after[id].velocity))));
    let speeds: Vec<f64> = wide.map(|id| norm(after[id].velocity)).collect();
    let share = |at: f64| speeds.iter().filter(|speed| (**speed - at).abs() < 1e-4).count() as f64 / AGENTS as f64;
    // Of a uniform draw over ±20 around 5, three eighths lie beyond each end of 0 to 10.
    for end in [0.0, 10.0] {
        bench.check(Case::absolute(&[("end", end)], 0.375, share(end), 5.0 * (0.25 / AGENTS as f64).sqrt()));
    }
    bench.tried(Case::at_most(&[], 10.0, speeds.iter().copied().fold(0.0, f64::max), 1e-4))
}

fn variation_time_constant(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let dt = 0.01;
    let mut setup = Setup::open(spatial, dt);
    let lines = |mean: f64| {
        format!("max_speed = 10\nmax_force = 1e9\nspawn.speed = 0\n{}\ntime_constant = {mean}", far(spatial))
    };
    let all = groups(draw, &mut setup, (10, "time_constant", 1.0), scattered(spatial), lines);
    let wide = format!("{}\nvariation = {{ time_constant = 20 }}", lines(4.0));
    let wide = setup.species(&wide, &scattered(spatial)(draw));
    let after = bench.after(&setup, 1)?;
    let time = |id: usize| 10.0 * dt / norm(after[id].velocity);
    bench.check(all.iter().flat_map(|group| group.cases(time)));
    bench.tried(Case::relative(&[("τ", 4.0)], 0.4, wide.map(time).least(), 1e-4))
}

fn variation_limits(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let ahead = if spatial { unit([1.0, 1.0, -1.0]) } else { [1.0, 0.0, 0.0] };
    bench.arrives(Setup::open(spatial, 0.01), 200, 0..10, |setup, _| {
        let mean = draw.between(5.0, 50.0);
        let least = f64::from((mean * draw.between(0.5, 0.9)) as f32);
        let lines = format!(
            "max_speed = {mean}\nmax_force = 1000\nspawn.speed = {least}\ntime_constant = 0\n{}\n\
             variation = {{ max_speed = {mean}, max_force = 2000 }}\nmin_speed = {least}",
            far(spatial)
        );
        let body = |k: i32| Body::at([0.0, f64::from(k) - 100.0, 0.0]).moving(times(ahead, least));
        let ids = setup.species(&lines, &(0..200).map(body).collect::<Vec<Body>>());
        move |found| {
            let speeds: Vec<f64> = ids.map(|id| dot(found[id].velocity, ahead)).collect();
            let slowest = speeds.iter().copied().least();
            let parameters = [("mean", mean), ("least", least)];
            bench.check(Case::absolute(&parameters, least, slowest, 1e-5 * mean));
            // A quarter of the forces are 0, and of the others' speeds 25 to 45 % are below the least.
            let slow = speeds.iter().filter(|speed| **speed < least * 1.00001).count();
            bench.check(Case::holds(&parameters, true, (60..150).contains(&slow)));
        }
    })
}

fn state_limits(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    // The start, the first step, and the last step in each state.
    bench.watches(Setup::open(spatial, DT), [0, 1, 256, 512, 768], 0..12, |setup, _| {
        let (speed, force) = (draw.between(8.0, 20.0), draw.between(40.0, 80.0));
        let factors = [0, 1, 2].map(|_| (draw.between(0.5, 2.5), draw.between(0.5, 2.5)));
        let lines = format!(
            "max_speed = {speed}\nmax_force = {force}\nstates = [\"one\", \"two\", \"three\"]\n\
             state_speeds = {:?}\nstate_forces = {:?}\n\
             rules = [{{ from = \"one\", to = \"two\", when = \"after\", than = 4 }}, \
             {{ from = \"two\", to = \"three\", when = \"after\", than = 4 }}]",
            factors.map(|(speed, _)| speed),
            factors.map(|(_, force)| force)
        );
        let id = setup.agent(&starters(spatial, &lines), ZERO, ZERO);
        move |seen| {
            let velocity = |moment: usize| seen[moment].bodies[id].velocity;
            for (state, (fast, strong)) in factors.into_iter().enumerate() {
                let parameters = [("state", state as f64), ("f", fast), ("g", strong)];
                bench.check(Case::relative(&parameters, speed * fast, norm(velocity(state + 2)), 1e-5));
                if state == 0 {
                    let gained = norm(minus(velocity(1), velocity(0))) / DT;
                    bench.check(Case::relative(&parameters, force * strong, gained, 1e-4));
                }
            }
        }
    })
}

/// Pairs that overlap: the strength of their push tells their radii.
fn variation_radius(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const MARGIN: f64 = 0.5;
    bench.steers(Setup::open(spatial, 0.01).apart(), 0..10, |setup, index| {
        let mean = draw.between(1.0, 2.0);
        // The last two species have a spread larger than their mean radius.
        let share = if index < 8 { draw.between(0.05, 0.3) } else { 4.0 };
        let (spread, normal) = (f64::from((mean * share) as f32), index % 2 == 1);
        let word = if normal { "normal" } else { "uniform" };
        let lines = format!(
            "max_speed = 10\nmax_force = 10\nradius = {mean}\n\
             variation = {{ radius = {spread}, distribution = \"{word}\" }}\n\
             behaviors.close_neighbor_avoidance = {{ margin = {MARGIN}, perception_radius = 0.5, field_of_view = 360 }}"
        );
        // Two agents 0.1 u apart, far from all other pairs. So many pairs that the widest come near to the most that there can be.
        let pair = |k: usize| {
            let (column, row) = (k % 20, k / 20);
            let place = [18.0 * column as f64 - 180.0, 18.0 * row as f64 - 180.0, 0.0];
            // In space one is above the other, aslant.
            let apart = if spatial { [0.0, 0.06, 0.08] } else { [0.0, 0.1, 0.0] };
            [place, plus(place, apart)].map(|position| Body::at(position).moving([5.0, 0.0, 0.0]))
        };
        let (ids, start) = setup.flock(&lines, &(0..400).flat_map(pair).collect::<Vec<Body>>());
        move |found| {
            let room = |(pair, pushes): (&[Body], &[V])| {
                let apart = norm(minus(pair[1].position, pair[0].position));
                [pushes[0], pushes[1]].map(|push| apart / (1.0 - norm(push) / 10.0))
            };
            let rooms: Vec<[f64; 2]> = start.chunks(2).zip(found[ids].chunks(2)).map(room).collect();
            let parameters = [("mean", mean), ("s", spread), ("normal", f64::from(normal))];
            let differ = rooms.iter().map(|[a, b]| (a - b).abs() / a).fold(0.0, f64::max);
            bench.check(Case::absolute(&parameters, 0.0, differ, 1e-3));
            let rooms: Vec<f64> = rooms.into_iter().map(|[room, _]| room).collect();
            if share > 1.0 {
                let least = rooms.iter().copied().least();
                bench.check(Case::relative(&parameters, 0.2 * mean + MARGIN, least, 1e-2));
                return;
            }
            let most = 2.0 * if normal { 3.5 * spread } else { spread };
            let farthest = rooms.iter().map(|room| (room - 2.0 * mean - MARGIN).abs()).fold(0.0, f64::max);
            bench.check(Case::at_most(&parameters, most, farthest, 1e-3 * mean));
            let (found, variance) = moments(&rooms);
            let wanted = 2.0 * if normal { spread * spread } else { spread * spread / 3.0 };
            let error = (wanted / rooms.len() as f64).sqrt();
            bench.check(Case::absolute(&parameters, 2.0 * mean + MARGIN, found, 5.0 * error));
            bench.check(Case::relative(&parameters, wanted, variance, 5.0 * (2.0 / rooms.len() as f64).sqrt()));
        }
    })
}

/// Agents that turn nearly round, and the axis about which they turn.
fn turners(
    setup: &mut Setup,
    draw: &mut Draw,
    spatial: bool,
    agents: usize,
    mean: f64,
    variation: &str,
) -> (V, Range<usize>) {
    let heading = if spatial { draw.heading(true) } else { [1.0, 0.0, 0.0] };
    let aside = if spatial { draw.turned(true, heading, 90.0) } else { [0.0, 1.0, 0.0] };
    let point = plus(times(heading, -1e5), times(aside, 2e4));
    let point = if spatial { point.to_vec() } else { point[..2].to_vec() };
    let lines = limits(5.0, 1e9, 0.0)
        + &format!(
            "vehicle.max_angular_speed = {mean}\n\
         behaviors.seek = {{ target = {{ point = {point:?} }} }}\nvariation = {{ {variation} }}"
        );
    let bodies = vec![Body::at(ZERO).moving(times(heading, 5.0)); agents];
    (cross(heading, aside), setup.species(&lines, &bodies))
}

fn variation_angular_speed(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (dt, steps) = (0.01, 8);
    let (mut setup, mut all) = (Setup::open(spatial, dt), Vec::new());
    for index in 0..10 {
        let mean = draw.between(100.0, 300.0);
        let (spread, normal) = (f64::from((mean * draw.between(0.02, 0.2)) as f32), index % 2 == 1);
        let word = if normal { "normal" } else { "uniform" };
        let variation = format!("max_angular_speed = {spread}, distribution = \"{word}\"");
        let (axis, ids) = turners(&mut setup, draw, spatial, AGENTS, mean, &variation);
        all.push((axis, Group { mean, spread, normal, ids }));
    }
    let (axis, backward) = turners(&mut setup, draw, spatial, 100, 50.0, "max_angular_speed = 200");
    let mut run = bench.run(&setup, 2)?;
    let first = run.poses()?;
    run.step(steps)?;
    let last = run.poses()?;
    let rate = |axis: V, id: usize| {
        let [first, last] = [&first, &last].map(|poses| poses[id].forward);
        let angle = dot(cross(first, last), axis).atan2(dot(first, last));
        angle.to_degrees() / (f64::from(steps) * dt)
    };
    bench.check(all.into_iter().flat_map(|(axis, group)| group.cases(|id| rate(axis, id))));
    let slowest = backward.map(|id| rate(axis, id)).least();
    bench.tried(Case::absolute(&[("mean", 50.0)], 0.0, slowest, 1e-3))
}
