//! What must not matter: where the world is cut, which way it is turned, which number an agent has.

use crate::*;

laws! {
    symmetry_turned: "a flock that is turned by 90°, or whose axes are exchanged, steers turned likewise",
        source: "isotropy",
        mutant: dot3("a.x * b.x + a.y * b.y + a.z * b.z" => "a.x * b.x + a.y * b.y * 1.02 + a.z * b.z"),
        mistake: "one axis is longer than the others";
    symmetry_mirrored in both: "a flock that is mirrored steers mirrored",
        source: "no handedness in separation, alignment and cohesion",
        mutant: separation_add("return sum - neighbor.offset"
            => "return sum - (neighbor.offset + 0.01 * neighbor.offset.yxz * vec3f(1.0, -1.0, 1.0))"),
        mistake: "all agents give way to the right";
    symmetry_shifted in both: "where a wrapped world is cut does not matter",
        source: "homogeneity of the torus",
        mutant: enter_image("f32((*walk).period_y) * half_size.y" => "f32((*walk).period_y) * half_size.x"),
        mistake: "the world's width is taken for its height";
    symmetry_moving_frame in both: "a flock that sees all around steers the same in a frame that moves uniformly",
        source: "Galilean relativity",
        mutant: steer_to("(desired - agent.velocity) / agent.time_constant" => "desired / agent.time_constant"),
        mistake: "the own velocity is not subtracted";
    symmetry_renumbered in both: "exchanging the numbers of agents exchanges what they do, and changes nothing else",
        source: "agents of a species are alike",
        mutant: gather_from("load(velocity[slot]), id" => "load(velocity[order_index]), id"),
        mistake: "velocities of others are taken along";
}

const AGENTS: usize = 60;
const SIDES: V = [32.0, 24.0, 28.0];

/// Flocks that do not perceive each other, with rules of their own.
fn flocks(draw: &mut Draw, spatial: bool, mut setup: Setup, views: bool) -> (Setup, Vec<String>) {
    let mut rules = Vec::new();
    for _ in 0..12 {
        let mut angle = || if views { draw.between(120.0, 350.0) } else { 360.0 };
        let lines = seeing("separation", 12.0, 3.0, angle())
            + &seeing("alignment", 1.0, 4.0, angle())
            + &seeing("cohesion", 5.0, 5.0, angle());
        let mut bodies = draw.crowd(AGENTS, spatial, ZERO, 11.9, 15.0);
        // Multiples of 1/64 can be moved, turned and mirrored without rounding.
        for x in bodies.iter_mut().flat_map(|body| &mut body.position) {
            *x = (*x * 64.0).floor() / 64.0;
        }
        setup.species(&lines, &bodies);
        rules.push(lines);
    }
    (setup, rules)
}

/// Compare how each flock steers in two setups. `expected` says how the change of the setup should change the steering.
fn compare(
    bench: &Bench,
    draw: &mut Draw,
    spatial: bool,
    [first, mut changed]: [Setup; 2],
    views: bool,
    change: impl Fn(Body) -> Body,
    turn: impl Fn(V) -> V,
) -> Tried {
    let (setup, rules) = flocks(draw, spatial, first, views);
    for (index, lines) in rules.iter().enumerate() {
        let flock = &setup.bodies()[AGENTS * index..AGENTS * (index + 1)];
        changed.species(lines, &flock.iter().map(|body| change(*body)).collect::<Vec<_>>());
    }
    let expected: Vec<V> = bench.steering(&setup)?.accelerations.into_iter().map(turn).collect();
    let found = bench.steering(&changed)?.accelerations;
    let flocks = expected.chunks(AGENTS).zip(found.chunks(AGENTS)).enumerate();
    bench.tried(flocks.map(|(index, (expected, found))| worst(index, expected, found)))
}

/// A case for the agent of a flock with the largest difference in steering, relative to the strongest steering of the flock.
fn worst(index: usize, expected: &[V], found: &[V]) -> Case {
    let strongest = expected.iter().map(|v| norm(*v)).fold(0.0, f64::max);
    let gap = expected.iter().zip(found).map(|(a, b)| norm(minus(*a, *b))).fold(0.0, f64::max);
    Case::absolute(&[("flock", index as f64), ("strongest", strongest)], 0.0, gap, 1e-5 * strongest)
}

fn wrapping(spatial: bool, sides: V) -> Setup {
    Setup::within(spatial, sides, "wrap", 0.01, "").apart()
}

fn symmetry_turned(bench: &Bench, draw: &mut Draw) -> Tried {
    let [x, y, z] = SIDES;
    let quarter = |v: V| [-v[1], v[0], v[2]];
    let cycle = |v: V| [v[1], v[2], v[0]];
    let map = |turn: fn(V) -> V| move |b: Body| Body::at(turn(b.position)).moving(turn(b.velocity));
    for (spatial, turn, after) in
        [(false, quarter as fn(V) -> V, [y, x, z]), (true, quarter, [y, x, z]), (true, cycle, [y, z, x])]
    {
        compare(bench, draw, spatial, [SIDES, after].map(|sides| wrapping(spatial, sides)), true, map(turn), turn)?;
    }
    Ok(())
}

fn symmetry_mirrored(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let mirror = |v: V| [-v[0], v[1], v[2]];
    let change = |b: Body| Body::at(mirror(b.position)).moving(mirror(b.velocity));
    compare(bench, draw, spatial, [SIDES; 2].map(|sides| wrapping(spatial, sides)), true, change, mirror)
}

fn symmetry_shifted(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let change = |body: Body| {
        let along = |axis: usize| {
            let moved = body.position[axis] + SIDES[axis] / 2.0;
            if moved >= SIDES[axis] / 2.0 { moved - SIDES[axis] } else { moved }
        };
        let position = [along(0), along(1), if spatial { along(2) } else { 0.0 }];
        Body::at(position).moving(body.velocity)
    };
    compare(bench, draw, spatial, [SIDES; 2].map(|sides| wrapping(spatial, sides)), true, change, |v| v)
}

fn symmetry_moving_frame(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let frame = times(draw.heading(spatial), 20.0);
    let change = |body: Body| Body::at(body.position).moving(plus(body.velocity, frame));
    compare(bench, draw, spatial, [SIDES; 2].map(|sides| wrapping(spatial, sides)), false, change, |v| v)
}

fn symmetry_renumbered(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (setup, rules) = flocks(draw, spatial, wrapping(spatial, SIDES), true);
    let mut changed = wrapping(spatial, SIDES);
    let place = |id: usize| (id * 7 + 3) % AGENTS;
    for (index, lines) in rules.iter().enumerate() {
        let flock = &setup.bodies()[AGENTS * index..AGENTS * (index + 1)];
        changed.species(lines, &(0..AGENTS).map(|id| flock[place(id)]).collect::<Vec<_>>());
    }
    let (before, after) = (bench.steering(&setup)?.accelerations, bench.steering(&changed)?.accelerations);
    bench.tried(before.chunks(AGENTS).zip(after.chunks(AGENTS)).enumerate().map(|(index, (before, after))| {
        let expected: Vec<V> = (0..AGENTS).map(|id| before[place(id)]).collect();
        worst(index, &expected, after)
    }))
}
