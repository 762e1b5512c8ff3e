//! Time to collision: the power law of Karamouzas, Skinner and Guy.

use crate::*;

const KARAMOUZAS: &str = "Karamouzas, Skinner and Guy 2014, Universal power law governing pedestrian interactions";

laws! {
    time_to_collision_slope in both: "A = -Σ ∇E, E = k τ^-2 e^(-τ/τ₀), τ the time until bodies touch",
        source: KARAMOUZAS,
        mutant: time_to_collision_slope("2.0 / left + 1.0 / time_to_collision.horizon" => "2.0 / left"),
        mistake: "the slope of the exponential is forgotten";
    time_to_collision_missed in both: "agents that part, or that pass each other by, do not steer: A = 0",
        source: KARAMOUZAS,
        mutant: time_to_collision_add("rest > 0.0 && nearing > 0.0" => "nearing > 0.0"),
        mistake: "agents that pass by count as touching";
    time_to_collision_momentum in both: "where all perceive each other, Σ A = 0",
        source: "E depends on the offset of the two alone",
        mutant: time_to_collision_add("agent.radius + neighbor.radius" => "2.0 * agent.radius"),
        mistake: "the neighbor is as large as the agent";
    time_to_collision_overlap in both:
        "overlapping agents that approach each other are pushed apart as if their bodies were a hundredth of their \
         distance apart",
        source: "ours: the formula is not defined there",
        mutant: time_to_collision_add("0.99 * neighbor.distance" => "0.5 * neighbor.distance"),
        mistake: "overlapping agents count as half of their distance apart";
    time_to_collision_walls in both:
        "A = -∇E, τ the time until the body touches the first wall on its course; beyond 4 τ₀, A = 0",
        source: "the same energy, by differences of that time",
        mutant: time_to_collision_resolve("agent.position, course, agent.radius" => "agent.position, course, 0.0"),
        mistake: "walls act on agents without extent";
}

#[derive(Clone, Copy)]
struct Drawn {
    strength: f64,
    horizon: f64,
}

impl Drawn {
    fn new(draw: &mut Draw) -> Drawn {
        Drawn { strength: draw.scale(0.5, 5.0), horizon: draw.between(1.0, 5.0) }
    }

    fn lines(&self, radius: f64) -> String {
        let Drawn { strength, horizon } = self;
        let vision = "perception_radius = 20, field_of_view = 360";
        format!(
            "{FREE}radius = {radius}\nbehaviors.time_to_collision = {{ strength = {strength}, horizon = {horizon}, {vision} }}\n"
        )
    }

    /// -∇E, by differences of the time that a displacement leaves.
    fn force(&self, spatial: bool, time: impl Fn(V) -> f64) -> V {
        let energy = |way: V| {
            let time = time(way);
            self.strength / (time * time) * (-time / self.horizon).exp()
        };
        let h = 1e-6;
        let slope = |axis: usize| {
            let mut way = ZERO;
            way[axis] = h;
            (energy(times(way, -1.0)) - energy(way)) / (2.0 * h)
        };
        [slope(0), slope(1), if spatial { slope(2) } else { 0.0 }]
    }
}

/// The time until two bodies touch, from their offset and relative velocity: the least root of a quadratic. `None` if they never do.
fn touch(apart: V, relative: V, room: f64) -> Option<f64> {
    let (a, b, c) = (dot(relative, relative), dot(apart, relative), dot(apart, apart) - room * room);
    let rest = b * b - a * c;
    (rest > 0.0 && b < 0.0).then(|| (-b - rest.sqrt()) / a)
}

/// Two agents of two species, which perceive each other.
struct Pair {
    drawn: Drawn,
    room: f64,
    ids: [usize; 2],
    /// Position and velocity of the first one, as the second one sees them.
    apart: (V, V),
}

/// By how much the agents of a pair would miss each other, and their distance: ranges, in multiples of the pair's room.
type Ranges = [[f64; 2]; 2];

/// Try pairs, each in a place of its own. `case` gets a pair and how all agents steer.
fn pairs(bench: &Bench, draw: &mut Draw, spatial: bool, ranges: Ranges, case: fn(bool, &Pair, &[V]) -> Case) -> Tried {
    bench.steers(Setup::open(spatial, 0.01), 0..14, |setup, index| {
        let pair = Pair::drawn(draw, setup, spatial, index, ranges);
        move |found| bench.check(case(spatial, &pair, found))
    })
}

impl Pair {
    fn drawn(draw: &mut Draw, setup: &mut Setup, spatial: bool, index: usize, [miss, distance]: Ranges) -> Pair {
        let (drawn, radii) = (Drawn::new(draw), [draw.between(0.2, 0.6), draw.between(0.2, 0.6)]);
        let room = radii[0] + radii[1];
        let (own, course) = (plus(lane(index, 40.0), draw.point(spatial, 2.0)), draw.heading(spatial));
        let aside = draw.turned(spatial, course, 90.0);
        let across = room * draw.between(miss[0], miss[1]);
        let long = ((room * draw.between(distance[0], distance[1])).powi(2) - across * across).max(0.0).sqrt();
        let other = plus(own, plus(times(course, long), times(aside, across)));
        let velocity = draw.point(spatial, 1.0);
        let relative = times(course, draw.between(0.5, 3.0));
        let first = setup.agent(&drawn.lines(radii[0]), rounded(own), rounded(plus(velocity, relative)));
        let second = setup.agent(&drawn.lines(radii[1]), rounded(other), rounded(velocity));
        let [own, other] = [first, second].map(|id| setup.body(id));
        let apart = (minus(own.position, other.position), minus(own.velocity, other.velocity));
        Pair { drawn, room, ids: [first, second], apart }
    }
}

fn time_to_collision_slope(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    pairs(bench, draw, spatial, [[0.0, 0.9], [1.3, 8.0]], |spatial, pair, found| {
        let (x, v) = pair.apart;
        let time = |way: V| touch(plus(x, way), v, pair.room).unwrap_or(f64::NAN);
        let parameters = [("τ", time(ZERO)), ("τ₀", pair.drawn.horizon), ("R", pair.room)];
        Case::vector(&parameters, pair.drawn.force(spatial, time), found[pair.ids[0]], 2e-3)
    })
}

fn time_to_collision_missed(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    pairs(bench, draw, spatial, [[1.02, 3.0], [3.1, 8.0]], |_, pair, found| {
        Case::vector_within(&[("R", pair.room)], ZERO, found[pair.ids[0]], 0.0)
    })?;
    // The same for pairs whose collision lies in the past.
    let mut ahead = Setup::open(spatial, 0.01);
    bench.steers(Setup::open(spatial, 0.01), 0..14, |setup, index| {
        let pair = Pair::drawn(draw, &mut ahead, spatial, index, [[0.0, 0.9], [-8.0, -1.3]]);
        for id in pair.ids {
            let Body { position, velocity } = ahead.body(id);
            setup.agent(&pair.drawn.lines(pair.room / 2.0), position, times(velocity, -1.0));
        }
        move |found| bench.check(Case::vector_within(&[("R", pair.room)], ZERO, found[pair.ids[1]], 0.0))
    })
}

fn time_to_collision_momentum(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    pairs(bench, draw, spatial, [[0.0, 0.95], [1.3, 8.0]], |_, pair, found| {
        let [own, other] = pair.ids.map(|id| found[id]);
        Case::vector_within(&[("R", pair.room)], ZERO, plus(own, other), 1e-4 * norm(own))
    })
}

fn time_to_collision_overlap(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    pairs(bench, draw, spatial, [[0.0, 0.1], [0.5, 0.95]], |spatial, pair, found| {
        let (x, v) = pair.apart;
        let room = 0.99 * norm(x);
        // A collision sooner than 0.01 s counts as one in 0.01 s.
        let time = |way: V| touch(plus(x, way), v, room).unwrap_or(f64::NAN);
        let (now, gap) = (time(ZERO).max(0.01), 1e-7);
        let Drawn { strength, horizon } = pair.drawn;
        let slope = strength / (now * now) * (-now / horizon).exp() * (2.0 / now + 1.0 / horizon);
        let later = |axis: usize| {
            let mut way = ZERO;
            way[axis] = gap;
            (time(way) - time(times(way, -1.0))) / (2.0 * gap)
        };
        let expected = times([later(0), later(1), if spatial { later(2) } else { 0.0 }], slope);
        Case::vector(&[("τ", now), ("R", pair.room)], expected, found[pair.ids[0]], 5e-3)
    })
}

fn time_to_collision_walls(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const BALL: V = [-20.0, 0.0, 0.0];
    let scenery = [
        plane(spatial, [0.0, -40.0, 0.0], [0.0, 1.0, 0.0]),
        sphere(spatial, BALL, 4.0),
        cuboid(spatial, [20.0, 0.0, 0.0], [8.0, 8.0, 8.0]),
    ];
    bench.steers(among(spatial, 0.01, &scenery).apart(), 0..28, |setup, case| {
        let (drawn, radius, gap) = (Drawn::new(draw), draw.between(0.2, 0.5), draw.between(0.5, 2.0));
        let (speed, angle) = (draw.between(1.0, 2.0), draw.between(-40.0, 40.0));
        let late = case >= 24;
        let gap = if late { speed * drawn.horizon * draw.between(4.1, 7.0) } else { gap };
        let shape = if late { 0 } else { case % 3 };
        let (position, inward) = match shape {
            0 => ([draw.between(-5.0, 5.0), -40.0 + radius + gap, 0.0], [0.0, -1.0, 0.0]),
            1 => {
                let normal = draw.heading(spatial);
                (plus(BALL, times(normal, 4.0 + radius + gap)), times(normal, -1.0))
            }
            _ => ([16.0 - radius - gap, draw.between(-0.5, 0.5), 0.0], [1.0, 0.0, 0.0]),
        };
        let course = match shape {
            0 if !late => draw.turned(spatial, inward, angle),
            0 | 1 => inward,
            // Nearly along the side of the box.
            _ => draw.turned(spatial, inward, 1.5 * angle),
        };
        let id = setup.agent(&drawn.lines(radius), rounded(position), rounded(times(course, speed)));
        let Body { position, velocity } = setup.body(id);
        move |found| {
            let time = |way: V| {
                let at = plus(position, way);
                match shape {
                    0 => (at[1] + 40.0 - radius) / -velocity[1],
                    1 => touch(minus(at, BALL), velocity, 4.0 + radius).unwrap_or(f64::NAN),
                    _ => (16.0 - radius - at[0]) / velocity[0],
                }
            };
            let parameters = [("τ", time(ZERO)), ("τ₀", drawn.horizon), ("r", radius)];
            bench.check(match late {
                true => Case::vector_within(&parameters, ZERO, found[id], 0.0),
                false => Case::vector(&parameters, drawn.force(spatial, time), found[id], 2e-3),
            });
        }
    })
}
