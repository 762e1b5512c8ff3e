//! Morse: the self-propelled particles of D'Orsogna and others.

use super::zones::order;
use crate::*;
use std::f64::consts::PI;

laws! {
    morse_steering in both:
        "A = (α - β v²) v + Σ (C_a/l_a e^(-r/l_a) - C_r/l_r e^(-r/l_r)) r̂, of all within the radius",
        source: "D'Orsogna et al. 2006, Self-propelled particles with soft-core interactions",
        mutant: morse_pull("decay(distance / morse.repulsion_length)" => "decay(distance / morse.attraction_length)"),
        mistake: "attraction and repulsion fall off alike";
    morse_momentum in both:
        "where all agents at rest perceive each other, the pulls cancel, also of coincident agents: Σ A = 0",
        source: "forces of a pair are opposite",
        mutant: morse_add_coincident("select(-apart, apart, agent.id < other)" => "apart"),
        mistake: "coincident agents part the same way";
    morse_speed in both: "alone, v(t) = √(α/β) / √(1 + (α/(β v₀²) - 1) e^(-2αt))",
        source: "solution of v' = (α - β v²) v",
        mutant: morse_resolve("(agent.speed * agent.speed)" => "agent.speed"),
        mistake: "the friction grows with the speed, not with its square";
    morse_ring in both: "N on a ring at √(α/β) = v circle at v/R where v²/R = Σ F(2R sin πk/N) sin πk/N",
        source: "balance of forces on a ring",
        mutant: morse_pull("morse.attraction / morse.attraction_length" => "morse.attraction"),
        mistake: "the potential is taken for its slope";
    morse_mill in both:
        "100 agents of C_r/C_a = 2, l_r/l_a = 1/4 that start close together collapse into a mill: they circle at \
         √(α/β), with no common course",
        source: "D'Orsogna et al. 2006, figure 2: catastrophic where ∫ U < 0, in the plane C l² < 1; by the same \
         integral, in space C l³ < 1 (swarms there: Nguyen et al. 2012). Here 1/8 and 1/32. Groups that start \
         circling one way keep doing so",
        mutant: morse_add("sum + toward" => "sum - toward"),
        mistake: "attraction repels";
    morse_ring_forms:
        "56 to 70 agents of C_r/C_a = 0.18 to 0.26, l_r/l_a = 1/4 that start close together form one ring of the \
         radius of balance, and circle it both ways",
        source: "D'Orsogna et al. 2006, figure 2: rings, where C < 1 and l < 1; the radius is that of `morse_ring`",
        mutant: morse_pull("morse.repulsion / morse.repulsion_length" => "morse.repulsion * morse.repulsion_length"),
        mistake: "repulsion grows with its length";
}

/// Parameters of a species whose limits are never reached.
#[derive(Clone, Copy)]
struct Drawn {
    repulsion: f64,
    repulsion_length: f64,
    attraction: f64,
    attraction_length: f64,
    propulsion: f64,
    friction: f64,
    radius: f64,
}

/// The parameters of the paper.
const PAPER: Drawn = Drawn {
    repulsion: 1.0,
    repulsion_length: 0.5,
    attraction: 0.5,
    attraction_length: 2.0,
    propulsion: 1.6,
    friction: 0.5,
    radius: 50.0,
};

impl Drawn {
    fn new(draw: &mut Draw) -> Drawn {
        Drawn {
            repulsion: draw.scale(0.1, 10.0),
            repulsion_length: draw.scale(0.2, 5.0),
            attraction: draw.scale(0.1, 10.0),
            attraction_length: draw.scale(0.2, 5.0),
            propulsion: draw.scale(0.1, 5.0),
            friction: draw.scale(0.1, 5.0),
            radius: draw.between(5.0, 15.0),
        }
    }

    fn lines(&self) -> String {
        let Drawn { repulsion, repulsion_length, attraction, attraction_length, propulsion, friction, radius } = self;
        let wells = format!("repulsion = {repulsion}, attraction = {attraction}");
        let lengths = format!("repulsion_length = {repulsion_length}, attraction_length = {attraction_length}");
        let speed = format!("propulsion = {propulsion}, friction = {friction}");
        let vision = format!("perception_radius = {radius}, field_of_view = 360");
        format!("{FREE}behaviors.morse = {{ {wells}, {lengths}, {speed}, {vision} }}\n")
    }

    /// The acceleration toward another agent at distance `r`, u/s².
    fn pull(&self, r: f64) -> f64 {
        let well = |depth: f64, length: f64| depth / length * (-r / length).exp();
        well(self.attraction, self.attraction_length) - well(self.repulsion, self.repulsion_length)
    }

    /// The speed at which an agent alone settles, u/s.
    fn own_speed(&self) -> f64 {
        (self.propulsion / self.friction).sqrt()
    }
}

fn morse_steering(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let sizes = [1, 2, 2, 3, 4, 6, 9, 14, 20, 30, 45, 70];
    bench.wants(Setup::open(spatial, 0.01).apart(), sizes, |setup, size| {
        let drawn = Drawn::new(draw);
        let (ids, bodies) = setup.flock(&drawn.lines(), &draw.crowd(size, spatial, ZERO, 8.0, 3.0));
        let own = bodies[0];
        let pull = |id: usize| {
            let way = minus(bodies[id].position, own.position);
            times(unit(way), drawn.pull(norm(way)))
        };
        let pulls: Vec<V> = perceived(&bodies, 0, drawn.radius, 360.0).into_iter().map(pull).collect();
        let thrust = times(own.velocity, drawn.propulsion - drawn.friction * dot(own.velocity, own.velocity));
        let well = drawn.attraction / drawn.attraction_length + drawn.repulsion / drawn.repulsion_length;
        let scale = norm(thrust) + drawn.propulsion * norm(own.velocity) + well * pulls.len() as f64;
        let parameters = [("agents", ids.len() as f64), ("R", drawn.radius), ("l_r", drawn.repulsion_length)];
        (ids.start, parameters, plus(sum(&pulls), thrust), 2e-6 * scale)
    })
}

fn morse_momentum(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.steers(Setup::open(spatial, 0.01).apart(), [2, 2, 3, 4, 6, 9, 14, 20, 30, 45, 70, 100], |setup, size| {
        let drawn = Drawn { radius: 100.0, ..Drawn::new(draw) };
        let mut bodies = draw.crowd(size, spatial, ZERO, 8.0, 0.0);
        bodies[1] = bodies[0];
        let ids = setup.species(&drawn.lines(), &bodies);
        move |found| {
            let size = ids.len() as f64;
            let well = drawn.attraction / drawn.attraction_length + drawn.repulsion / drawn.repulsion_length;
            let parameters = [("agents", size), ("R", drawn.radius)];
            bench.check(Case::vector_within(&parameters, ZERO, sum(&found[ids.clone()]), 2e-6 * size * size * well));
            // Two agents at one point part with the acceleration of the limit r = 0.
            if size == 2.0 {
                bench.check(Case::absolute(&parameters, drawn.pull(0.0).abs(), norm(found[ids.start]), 2e-6 * well));
            }
        }
    })
}

fn morse_speed(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (dt, steps) = (1.0 / 1024.0, 1024);
    bench.ends(Setup::open(spatial, dt).apart(), steps, VELOCITY, 0..12, |setup, _| {
        let drawn = Drawn { propulsion: draw.scale(0.1, 2.0), ..Drawn::new(draw) };
        let speed = drawn.own_speed() * draw.scale(0.3, 2.0);
        let id = setup.species(&drawn.lines(), &draw.crowd(1, spatial, ZERO, 20.0, speed)).start;
        let velocity = setup.body(id).velocity;
        let start = norm(velocity);
        let excess = drawn.propulsion / (drawn.friction * start * start) - 1.0;
        let time = dt * f64::from(steps);
        let end = drawn.own_speed() / (1.0 + excess * (-2.0 * drawn.propulsion * time).exp()).sqrt();
        let parameters = [("α", drawn.propulsion), ("β", drawn.friction), ("v₀", start)];
        // Euler's method is off by half a step of a rate of at most α (3 (v₀/v)² - 1). The bound allows twice that.
        let rate = drawn.propulsion * (3.0 / (1.0 + excess) - 1.0).max(2.0);
        (id, parameters, times(unit(velocity), end), end * (dt * rate + 1e-5))
    })
}

/// The radius of a ring of so many agents that circle at their own speed: there the pull is what the turn needs.
fn ring_radius(drawn: &Drawn, size: usize) -> Option<f64> {
    let missing = |radius: f64| {
        let pull = |k: usize| {
            let sine = (PI * k as f64 / size as f64).sin();
            drawn.pull(2.0 * radius * sine) * sine
        };
        (1..size).map(pull).sum::<f64>() - drawn.own_speed().powi(2) / radius
    };
    // The stable root, farther out than which the pull is more than the turn needs, so that a ring that is too wide shrinks.
    let (mut low, mut high) = (0.5, 0.6);
    while missing(low) > 0.0 || missing(high) < 0.0 {
        (low, high) = (high, high * 1.05);
        if high > 20.0 {
            return None;
        }
    }
    Some(bisected(low, high, |radius| missing(radius) <= 0.0))
}

fn morse_ring(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (dt, steps) = (1.0 / 1024.0, 512);
    bench.ends(Setup::open(spatial, dt).apart(), steps, PLACE, 0..12, |setup, _| {
        loop {
            let size = draw.whole(2, 12) as usize;
            let attraction = 20.0 / size as f64 * draw.between(0.8, 1.5);
            let attraction = f64::from(attraction as f32);
            let drawn = Drawn { attraction, attraction_length: 6.0, repulsion: draw.between(0.0, 0.5), ..PAPER };
            let Some(radius) = ring_radius(&drawn, size) else { continue };
            let first = draw.heading(spatial);
            let second = draw.turned(spatial, first, 90.0);
            let body = |k: usize| {
                let (sin, cos) = (2.0 * PI * k as f64 / size as f64).sin_cos();
                let position = plus(times(first, radius * cos), times(second, radius * sin));
                let course = minus(times(second, cos), times(first, sin));
                Body::at(rounded(position)).moving(rounded(times(course, drawn.own_speed())))
            };
            let bodies: Vec<Body> = (0..size).map(body).collect();
            let id = setup.species(&drawn.lines(), &bodies).start;
            let Body { position, velocity } = bodies[0];
            let angle = drawn.own_speed() / radius * dt * f64::from(steps);
            let (ahead, aside) = (radius * angle.cos(), radius * angle.sin());
            let expected = plus(times(unit(position), ahead), times(unit(velocity), aside));
            break (id, [("agents", size as f64), ("R", radius), ("angle", angle)], expected, 4.0 * dt * radius);
        }
    })
}

/// Mean distance from the center, u; the spread of distances as a share of it; and the mean |sine| between radius and course: 1 if all
/// circle, 2/π in the plane and π/4 in space for random courses.
fn shape(bodies: &[Body]) -> (f64, f64, f64) {
    let (center, n) = (mean(&bodies.iter().map(|body| body.position).collect::<Vec<V>>()), bodies.len() as f64);
    let distances = || bodies.iter().map(|body| norm(minus(body.position, center)));
    let radius = distances().sum::<f64>() / n;
    let variance = distances().map(|distance| (distance - radius).powi(2)).sum::<f64>() / n;
    let sine = |body: &Body| norm(cross(unit(minus(body.position, center)), unit(body.velocity)));
    (radius, variance.sqrt() / radius, bodies.iter().map(sine).sum::<f64>() / n)
}

fn morse_ring_forms(bench: &Bench, draw: &mut Draw) -> Tried {
    bench.arrives(Setup::open(false, 0.02).apart(), 600, 0..5, |setup, index| {
        let (size, drawn, radius) = loop {
            let size = draw.whole(56, 70) as usize;
            let drawn = Drawn { repulsion: draw.between(0.09, 0.13), radius: 12.0, ..PAPER };
            if let Some(radius) = ring_radius(&drawn, size) {
                break (size, drawn, radius);
            }
        };
        let half = draw.between(1.2, 1.8);
        let ids = setup.species(&drawn.lines(), &draw.crowd(size, false, lane(index, 40.0), half, drawn.own_speed()));
        let before = setup.crowd(ids.clone());
        move |after| {
            let parameters = [("agents", size as f64), ("R", radius)];
            // No ring is there at the start.
            let (_, spread, circling) = shape(&before);
            bench.check(Case::at_least(&parameters, 0.25, spread, 0.0));
            bench.check(Case::at_most(&parameters, 0.8, circling, 0.0));
            let after = &after[ids];
            let (found, spread, circling) = shape(after);
            bench.check(Case::relative(&parameters, radius, found, 0.03));
            bench.check(Case::at_most(&parameters, 0.1, spread, 0.0));
            bench.check(Case::at_least(&parameters, 0.97, circling, 0.0));
            bench.check(Case::at_most(&parameters, 0.1, order(after).0, 0.0));
        }
    })
}

fn morse_mill(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const SIZE: usize = 100;
    // The mean |sine| of random courses, and its standard error: the mean square is 1/2 in the plane and 2/3 in space.
    let (random, square) = if spatial { (PI / 4.0, 2.0 / 3.0) } else { (2.0 / PI, 0.5) };
    let chance = 5.0 * ((square - random * random) / SIZE as f64).sqrt();
    bench.arrives(Setup::open(spatial, 0.02).apart(), 600, 0..4, |setup, group| {
        // Half of the groups start in a swirl, and go on in it.
        let swirls = group % 2 == 0;
        let center = draw.point(spatial, 100.0);
        let axis = if spatial { draw.heading(true) } else { [0.0, 0.0, 1.0] };
        let mut bodies = draw.crowd(SIZE, spatial, ZERO, 2.0, PAPER.own_speed());
        for body in &mut bodies {
            if swirls {
                body.velocity = times(unit(cross(axis, body.position)), PAPER.own_speed());
            }
            body.position = plus(body.position, center);
        }
        let (ids, before) = setup.flock(&PAPER.lines(), &bodies);
        move |after| {
            let after = &after[ids];
            let [(.., start), (.., circling)] = [&before[..], after].map(shape);
            let pace = after.iter().map(|body| norm(body.velocity)).sum::<f64>() / SIZE as f64;
            let (polarization, rotation) = order(after);
            let parameters =
                [("swirls", f64::from(swirls)), ("p", polarization), ("m", rotation), ("circling", circling)];
            // Three fifths of the way from random courses to circling: in space more than five standard errors, too.
            bench.check(Case::at_least(&parameters, random + 0.6 * (1.0 - random), circling, 0.0));
            bench.check(Case::at_most(&parameters, 0.3, polarization, 0.0));
            bench.check(Case::relative(&parameters, PAPER.own_speed(), pace, 0.12));
            bench.check(match swirls {
                true => Case::at_least(&parameters, 0.7, rotation, 0.0),
                // A mill that forms: at the start courses are random.
                false => Case::absolute(&parameters, random, start, chance),
            });
        }
    })
}
