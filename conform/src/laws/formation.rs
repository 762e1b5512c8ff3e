//! Formation: places of a shape.

use crate::*;
use std::f64::consts::PI;

laws! {
    formation_place in both:
        "rank k of n has its place abreast at ±s⌊k/2 + 1⌋ (line), behind at s(k+1) (column), behind and abreast at \
         s⌊k/2 + 1⌋ (wedge), or at 2πk/n on a radius of max(ns/2π, s) (circle)",
        source: "shapes of the leader's frame, as in Buckland, Offset Pursuit",
        mutant: formation_place("select(row, -row, rank % 2u == 1u)" => "row"),
        mistake: "all followers are to the leader's right, two at each place";
    formation_leaders in both:
        "of m leaders follower k belongs to k mod m, of rank ⌊k/m⌋ among its n = ⌈(N - k mod m)/m⌉",
        source: "every place is taken once",
        mutant: formation_steer("index / leaders, size" => "index, size"),
        mistake: "places of others are left empty";
    formation_settles in both:
        "behind a steady leader of speed u every follower ends u R/v_max (v_max + u)/(v_max + 2 u) short of a place \
         of its own",
        source: "arrive: v_max (d + u T)/R = u, with T = d/(v_max + u) predicted",
        mutant: formation_steer("agent.id - species[own].first_id" => "0u"),
        mistake: "all take the first place";
    formation_keeps in both:
        "a follower that stays keeps the place of its rank among all n, however many others leave by a rule or are \
         frozen",
        source: "places go by id, so that a loss moves no other follower",
        mutant: formation_steer("var index = agent.id - species[own].first_id;"
            => "var index = 0u; for (var k = species[own].first_id; k < agent.id; k += 1u) { \
                 index += u32(state_of(k) == 0u); }"),
        mistake: "only agents that are still in the formation count, and all behind a loss move up";
}

const SHAPES: [&str; 4] = ["line", "column", "wedge", "circle"];

/// The place of a rank in a shape of n agents: how far ahead of the leader, and to its right, u.
fn slot(shape: &str, rank: usize, n: usize, spacing: f64) -> [f64; 2] {
    let row = (rank + 2).div_euclid(2) as f64 * spacing;
    let side = if rank.is_multiple_of(2) { row } else { -row };
    let radius = (n as f64 * spacing / (2.0 * PI)).max(spacing);
    let (sin, cos) = (2.0 * PI * rank as f64 / n as f64).sin_cos();
    match shape {
        "line" => [0.0, side],
        "column" => [-spacing * (rank + 1) as f64, 0.0],
        "wedge" => [-row, side],
        _ => [radius * cos, radius * sin],
    }
}

/// The position of a place, given ahead and to the right of a leader.
fn in_frame(spatial: bool, leader: Body, [ahead, aside]: [f64; 2]) -> V {
    let forward = unit(leader.velocity);
    let right = unit(cross(forward, if spatial { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] }));
    plus(leader.position, plus(times(forward, ahead), times(right, aside)))
}

fn lines(target: &str, shape: &str, spacing: f64, slow: f64, longest: f64, speed: f64) -> String {
    let rule = format!(
        "target = {target}, shape = {shape:?}, spacing = {spacing}, slow_radius = {slow}, max_prediction_time = {longest}"
    );
    format!("max_speed = {speed}\nmax_force = 1000\ntime_constant = 0.5\nbehaviors.formation = {{ {rule} }}")
}

/// The acceleration of an agent that arrives at a place that moves with velocity `drift`.
fn wanted(own: Body, place: V, drift: V, slow: f64, longest: f64, speed: f64) -> V {
    let way = minus(place, own.position);
    let time = (norm(way) / (speed + norm(drift))).min(longest);
    let way = plus(way, times(drift, time));
    let desired = times(way, speed * (1.0 / slow).min(1.0 / norm(way)));
    times(minus(desired, own.velocity), 2.0)
}

fn formation_place(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mut setup = Setup::open(spatial, 0.01);
    let leader = setup.species("", &draw.crowd(1, spatial, ZERO, 30.0, 6.0)).start;
    let mut wishes = Vec::new();
    // Some behind an agent of another species, others (`true`) behind one of their own, which takes no place.
    let sizes = [(1, false), (4, false), (9, false), (2, true), (5, true), (10, true)];
    for (shape, (size, own)) in SHAPES.into_iter().flat_map(|shape| sizes.map(|size| (shape, size))) {
        let (spacing, slow) = (draw.between(1.0, 5.0), draw.between(2.0, 20.0));
        let (longest, speed) = (draw.between(0.0, 1.0), draw.between(8.0, 20.0));
        let bodies = draw.crowd(size, spatial, ZERO, 30.0, 5.0);
        let leader = if own { setup.state().positions.len() + draw.word() as usize % size } else { leader };
        let target = format!("{{ agent = {leader} }}");
        let ids = setup.species(&lines(&target, shape, spacing, slow, longest, speed), &bodies);
        let (leader, places) = (setup.body(leader), size - usize::from(own));
        let others = ids.filter(|id| setup.body(*id) != leader);
        for (rank, id) in others.enumerate() {
            let at = in_frame(spatial, leader, slot(shape, rank, places, spacing));
            let expected = wanted(setup.body(id), at, leader.velocity, slow, longest, speed);
            let parameters = [("n", places as f64), ("rank", rank as f64), ("s", spacing), ("T", longest)];
            wishes.push((id, parameters, expected, 1e-4 * speed));
        }
    }
    bench.wanted(&setup, wishes)
}

fn formation_leaders(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for (leaders, followers) in [(2, 7), (3, 10), (5, 4)] {
        let mut setup = Setup::open(spatial, 0.01);
        let (spacing, slow, speed) = (draw.between(1.0, 5.0), draw.between(2.0, 20.0), 12.0);
        setup.species("name = \"leaders\"", &draw.crowd(leaders, spatial, ZERO, 30.0, 6.0));
        let bodies = draw.crowd(followers, spatial, ZERO, 30.0, 5.0);
        let target = "{ leader = \"leaders\" }";
        let ids = setup.species(&lines(target, "circle", spacing, slow, 0.0, speed), &bodies);
        let wish = |(index, id): (usize, usize)| {
            let (whose, rank) = (index % leaders, index / leaders);
            let size = (0..followers).filter(|other| other % leaders == whose).count();
            let leader = setup.body(whose);
            let at = in_frame(spatial, leader, slot("circle", rank, size, spacing));
            let expected = wanted(setup.body(id), at, leader.velocity, slow, 0.0, speed);
            let parameters = [("leaders", leaders as f64), ("index", index as f64), ("n", size as f64)];
            (id, parameters, expected, 1e-4 * speed)
        };
        bench.wanted(&setup, ids.enumerate().map(wish))?;
    }
    Ok(())
}

fn formation_keeps(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const SIZE: usize = 9;
    let setup = Setup::open(spatial, 0.01).with("", &draw.crowd(1, spatial, ZERO, 30.0, 6.0));
    let second_step = |setup: &Setup| {
        let run = bench.run(setup, 2)?;
        Ok((run.bodies()?, run.steering()?.accelerations))
    };
    bench.tries(setup, second_step, SHAPES, |setup, shape| {
        let (spacing, slow) = (draw.between(1.0, 5.0), draw.between(2.0, 20.0));
        let (longest, speed) = (draw.between(0.0, 1.0), draw.between(8.0, 20.0));
        // Three agents of random ranks are far from all others, and leave there; one of the rest is not finite.
        let mut ranks: Vec<usize> = (0..SIZE).collect();
        ranks.sort_by_cached_key(|_| draw.word());
        let mut bodies = draw.crowd(SIZE, spatial, ZERO, 30.0, 5.0);
        for rank in &ranks[..3] {
            bodies[*rank].position = plus([200.0, 0.0, 0.0], draw.point(spatial, 5.0));
        }
        bodies[ranks[3]].position[0] = f64::NAN;
        let far = to(spatial, [200.0, 0.0, 0.0]);
        let rule = format!("from = \"in\", to = \"gone\", when = \"nearer\", than = 50, {far}");
        let lines = lines("{ agent = 0 }", shape, spacing, slow, longest, speed);
        let acts = format!("{}, states = [\"in\"] }}", lines.trim_end_matches(" }"));
        let ids = setup.species(&format!("states = [\"in\", \"gone\"]\nrules = [{{ {rule} }}]\n{acts}"), &bodies);
        move |(bodies, found)| {
            for (index, rank) in ranks.into_iter().enumerate() {
                let (id, leader) = (ids.start + rank, bodies[0]);
                let at = in_frame(spatial, leader, slot(shape, rank, SIZE, spacing));
                let expected = match index {
                    0..4 => ZERO,
                    _ => wanted(bodies[id], at, leader.velocity, slow, longest, speed),
                };
                let lost = f64::from(index < 4);
                let parameters = [("rank", rank as f64), ("lost", lost), ("s", spacing), ("T", longest)];
                bench.check(Case::vector_within(&parameters, expected, found[id], 1e-4 * speed));
            }
        }
    })
}

fn formation_settles(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const SIZE: usize = 6;
    let leaders = SHAPES.map(|_| Body::at(ZERO).moving(times(draw.heading(spatial), 3.0)));
    let setup = Setup::open(spatial, 1.0 / 32.0).with("", &leaders);
    bench.arrives(setup, 32 * 12, SHAPES.into_iter().enumerate(), |setup, (leader, shape)| {
        let (spacing, slow, speed) = (draw.between(1.0, 4.0), draw.between(2.0, 6.0), draw.between(8.0, 16.0));
        let target = format!("{{ agent = {leader} }}");
        let bodies = draw.crowd(SIZE, spatial, ZERO, 10.0, 5.0);
        let ids = setup.species(&lines(&target, shape, spacing, slow, 1.0, speed), &bodies);
        move |found| {
            for (rank, id) in ids.enumerate() {
                let at = in_frame(spatial, found[leader], slot(shape, rank, SIZE, spacing));
                let parameters = [("rank", rank as f64), ("s", spacing), ("R", slow), ("v_max", speed)];
                let short = norm(minus(at, found[id].position));
                let expected = 3.0 * slow / speed * (speed + 3.0) / (speed + 6.0);
                bench.check(Case::relative(&parameters, expected, short, 1e-3));
            }
        }
    })
}
