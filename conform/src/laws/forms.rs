//! The forms of separation, alignment and cohesion that the founding documents name beside the usual ones.

use crate::*;

const ALIGN: &str = "Reynolds 1999, Alignment: the average velocity (or unit forward vector) minus the own one";
const GATHER: &str = "Reynolds 1999, Cohesion: toward the average position, as a force or by seeking it";

laws! {
    separation_falloff in both:
        "with the exponent e, two agents at distance d are pushed apart by k/d^e each, and coincident ones by k/s^e",
        source: "Reynolds 1999, Separation: \"this 1/r weighting is not a fundamental value\"",
        mutant: separation_falloff("select(slow, fast, exponent >= 2u)" => "slow"),
        mistake: "steep falloffs are 1/r";
    separation_desired in both:
        "in the desired form A = (v_max û - v) / τ, where û is the direction of the summed push",
        source: "Shiffman, The Nature of Code: the mean of the ways out as a desired velocity at full speed",
        mutant: separation_resolve("away * agent.max_speed" => "sum * agent.max_speed"),
        mistake: "the sum is not brought to unit length";
    separation_desired_parts in both by pair_after("separation = { form = \"desired\"", approached, -1.0):
        "in the desired form two from rest at d are d + 2 v_max dt (n - q (1 - qⁿ)/(1 - q)) apart after n steps, q = 1 - k dt/τ",
        source: "each speed approaches v_max by the same share in every step",
        mutant: separation_resolve("away * agent.max_speed" => "sum * agent.max_speed"),
        mistake: "the nearer, the faster";
    alignment_heading in both by align("heading", |speed, others, own| times(minus(mean(&headings(others)), unit(own)), speed)):
        "in the heading mode A = k v_max (mean û - û) / τ, the mean over the agents that have a heading û",
        source: ALIGN,
        mutant: alignment_add("select(neighbor.velocity, neighbor.heading, by_heading)" => "neighbor.velocity"),
        mistake: "fast neighbors count for more";
    alignment_heading_rests in both:
        "in the heading mode A = 0 in an aligned flock at any speed, Σ A = 0 among all agents, and with headings of \
         0, 30 and 150 degrees the first is accelerated toward 153.43 degrees",
        source: ALIGN,
        mutant: alignment_resolve("return align_headings(sum.velocity, sum.count, agent);"
            => "return align_to_course(sum.velocity, agent);"),
        mistake: "the mean's direction is desired at full speed: 135 degrees, and a slow flock is accelerated";
    alignment_full_speed:
        "in the modes full_speed and course A = k (v_max û - v) / τ, û the direction of the summed velocities or headings",
        source: "Shiffman, The Nature of Code, align: the mean velocity, setMag(maxspeed); Vicsek 1995 for the headings",
        mutant: align_to_course("steer_to(agent, unit_or_zero(sum) * agent.max_speed)" => "steer_to(agent, sum)"),
        mistake: "the sum is not brought to full speed";
    cohesion_seek in both by gather("seek", |speed, tau, way, velocity| times(minus(times(unit(way), speed), velocity), 1.0 / tau)):
        "in the form seek A = k (v_max û - v) / τ, where û is the direction to the mean position",
        source: GATHER,
        mutant: cohesion_resolve("toward * agent.max_speed" => "sum.offset / f32(sum.count)"),
        mistake: "the way to the center is taken for a velocity";
    cohesion_seek_meets in both by pair_after("cohesion = { form = \"seek\"", approached, 1.0):
        "in the form seek two from rest at d are d - 2 v_max dt (n - q (1 - qⁿ)/(1 - q)) apart after n steps, q = 1 - k dt/τ",
        source: "each speed approaches v_max by the same share in every step",
        mutant: cohesion_resolve("toward * agent.max_speed" => "sum.offset / f32(sum.count)"),
        mistake: "the nearer, the slower";
    cohesion_direction in both by gather("direction", |_, _, way, _| unit(way)):
        "in the form direction A = k û, however far the mean position is",
        source: GATHER,
        mutant: cohesion_resolve("return toward;" => "return sum.offset / f32(sum.count);"),
        mistake: "the direction keeps the length of the way";
    cohesion_direction_falls in both:
        "in the form direction two from rest at d are d - k dt² n (n + 1) apart after n steps: they fall toward each other",
        source: "a constant acceleration, in steps that move with the new velocity",
        mutant: cohesion_resolve("return toward;" => "return sum.offset / f32(sum.count);"),
        mistake: "the nearer, the weaker";
}

fn separation_falloff(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.steers(Setup::open(spatial, 0.01), 0..32, |setup, index| {
        let (weight, exponent) = (draw.scale(0.1, 100.0), index as u32 % 4);
        let apart = if index < 4 { ZERO } else { times(draw.heading(spatial), draw.scale(0.05, 9.9)) };
        let at = lane(index, 48.0);
        let bodies = [at, plus(at, apart)].map(|position| Body::at(position).moving([1.0, 2.0, 0.0]));
        let settings = format!("weight = {weight}, exponent = {exponent}, perception_radius = 10, field_of_view = 360");
        setup.species(&format!("behaviors.separation = {{ {settings} }}\n"), &bodies);
        let offset = minus(setup.body(2 * index + 1).position, setup.body(2 * index).position);
        move |found| {
            let distance = norm(offset).max(0.01);
            let push = weight / distance.powi(exponent as i32);
            let parameters = [("k", weight), ("d", distance), ("exponent", f64::from(exponent))];
            if norm(offset) > 0.0 {
                bench.check(Case::vector(&parameters, times(unit(offset), push), found[2 * index + 1], 2e-6));
            } else {
                bench.check(Case::relative(&parameters, push, norm(found[2 * index + 1]), 1e-5));
            }
            bench.check(Case::vector(&parameters, times(found[2 * index + 1], -1.0), found[2 * index], 1e-6));
        }
    })
}

fn separation_desired(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.wants(Setup::open(spatial, 0.01).apart(), 0..12, |setup, index| {
        let (speed, tau) = (draw.scale(1.0, 50.0), draw.scale(0.02, 2.0));
        let exponent = index % 4;
        let bodies = draw.bodies(6, |draw| Body::at(draw.point(spatial, 4.0)).moving(draw.point(spatial, 5.0)));
        let view = "perception_radius = 20, field_of_view = 360";
        let rule = format!("behaviors.separation = {{ form = \"desired\", exponent = {exponent}, {view} }}");
        let (ids, bodies) = setup.flock(&format!("max_speed = {speed}\ntime_constant = {tau}\n{rule}\n"), &bodies);
        let own = bodies[0];
        let push = |other: &Body| {
            let offset = minus(own.position, other.position);
            times(offset, norm(offset).powi(-exponent - 1))
        };
        let pushes: Vec<V> = bodies[1..].iter().map(push).collect();
        let wanted = times(minus(times(unit(sum(&pushes)), speed), own.velocity), 1.0 / tau);
        let parameters = [("v_max", speed), ("tau", tau), ("exponent", f64::from(exponent))];
        (ids.start, parameters, wanted, 1e-5 * (speed + 10.0) / tau)
    })
}

/// The headings of the agents that move.
fn headings(velocities: &[V]) -> Vec<V> {
    velocities.iter().filter(|v| norm(**v) > 0.0).map(|v| unit(*v)).collect()
}

fn alignment_full_speed(bench: &Bench, draw: &mut Draw) -> Tried {
    let straight = |speed: f64, others: &[V], own: V| minus(times(unit(sum(others)), speed), own);
    let course = |speed: f64, others: &[V], own: V| minus(times(unit(sum(&headings(others))), speed), own);
    in_both(bench, draw, |bench, draw, spatial| align(bench, draw, spatial, "full_speed", straight))?;
    in_both(bench, draw, |bench, draw, spatial| align(bench, draw, spatial, "course", course))
}

/// Mode `heading` of alignment where the answer is known without a formula.
fn alignment_heading_rests(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.steers(Setup::open(spatial, 0.01).apart(), 0..18, |setup, index| {
        let (most, tau) = (draw.scale(1.0, 50.0), draw.scale(0.05, 2.0));
        let course = draw.heading(spatial);
        let speed = most * draw.between(0.1, 0.9);
        let aside = draw.turned(spatial, course, 90.0);
        let turned = |angle: f64| {
            let (sin, cos) = angle.to_radians().sin_cos();
            times(plus(times(course, cos), times(aside, sin)), speed)
        };
        let velocities = match index % 3 {
            0 => vec![times(course, speed); 6],
            1 => (0..6).map(|_| times(draw.heading(spatial), most * draw.between(0.1, 1.0))).collect(),
            _ => vec![turned(0.0), turned(30.0), turned(150.0)],
        };
        let body = |velocity: &V| Body::at(draw.point(spatial, 4.0)).moving(*velocity);
        let bodies: Vec<Body> = velocities.iter().map(body).collect();
        let view = "mode = \"heading\", perception_radius = 20, field_of_view = 360";
        let ids = setup.species(&(limits(most, 1e6, tau) + &format!("behaviors.alignment = {{ {view} }}\n")), &bodies);
        move |found| {
            let parameters = [("kind", f64::from(index % 3)), ("v_max", most), ("tau", tau)];
            let (crowd, bound) = (&found[ids], 5e-6 * most / tau);
            match index % 3 {
                0 => bench.check(crowd.iter().map(|a| Case::vector_within(&parameters, ZERO, *a, bound))),
                1 => bench.check(Case::vector_within(&parameters, ZERO, sum(crowd), 6.0 * bound)),
                _ => {
                    let angle = dot(unit(crowd[0]), course).acos().to_degrees();
                    bench.check(Case::absolute(&parameters, 180.0 - 0.5f64.atan().to_degrees(), angle, 1e-3));
                }
            }
        }
    })
}

/// Crowds with alignment whose agents perceive all others of their crowd, and none of another. The first agent's acceleration should
/// be k/τ times `wanted` of the full speed, the others' velocities and its own.
fn align(bench: &Bench, draw: &mut Draw, spatial: bool, mode: &str, wanted: impl Fn(f64, &[V], V) -> V) -> Tried {
    let sizes = [2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 28, 40];
    bench.wants(Setup::open(spatial, 0.01).apart(), sizes, |setup, size| {
        let (weight, tau, speed) = (draw.scale(0.2, 5.0), draw.scale(0.05, 2.0), draw.scale(10.0, 50.0));
        let mut bodies = draw.bodies(size, |draw| Body::at(draw.point(spatial, 4.0)).moving(draw.point(spatial, 5.0)));
        // In larger crowds one agent is at rest, so it has no heading.
        if size > 3 {
            bodies[2].velocity = ZERO;
        }
        let settings = format!("weight = {weight}, mode = \"{mode}\", perception_radius = 20, field_of_view = 360");
        let lines = limits(speed, 1e6, tau) + &format!("behaviors.alignment = {{ {settings} }}\n");
        let ids = setup.species(&lines, &bodies);
        let velocities: Vec<V> = setup.crowd(ids.clone()).iter().map(|body| body.velocity).collect();
        let wanted = times(wanted(speed, &velocities[1..], velocities[0]), weight / tau);
        let parameters = [("k", weight), ("tau", tau), ("v_max", speed), ("agents", ids.len() as f64)];
        (ids.start, parameters, wanted, 2e-6 * (speed + 10.0) * weight / tau)
    })
}

fn gather(bench: &Bench, draw: &mut Draw, spatial: bool, form: &str, desired: impl Fn(f64, f64, V, V) -> V) -> Tried {
    let sizes = [2, 2, 3, 3, 4, 5, 6, 8, 12, 16, 24, 40];
    bench.wants(Setup::open(spatial, 0.01).apart(), sizes, |setup, size| {
        let (weight, tau, speed) = (draw.scale(0.2, 5.0), draw.scale(0.05, 2.0), draw.scale(2.0, 50.0));
        let at = draw.point(spatial, 100.0);
        let bodies =
            draw.bodies(size, |draw| Body::at(plus(at, draw.point(spatial, 6.0))).moving(draw.point(spatial, 5.0)));
        let settings = format!("weight = {weight}, form = \"{form}\", perception_radius = 30, field_of_view = 360");
        let lines = format!("max_speed = {speed}\ntime_constant = {tau}\nbehaviors.cohesion = {{ {settings} }}\n");
        let (ids, bodies) = setup.flock(&lines, &bodies);
        let own = bodies[0];
        let ways: Vec<V> = bodies[1..].iter().map(|other| minus(other.position, own.position)).collect();
        let wanted = times(desired(speed, tau, mean(&ways), own.velocity), weight);
        let parameters = [("k", weight), ("tau", tau), ("v_max", speed), ("agents", ids.len() as f64)];
        let scale = norm(wanted) + if form == "seek" { weight * (speed + 10.0) / tau } else { weight };
        (ids.start, parameters, wanted, 1e-5 * scale)
    })
}

/// Two agents at rest under one behavior. `moved` gives, from its weight k, the greatest speed, the time constant and the steps, how far
/// each should have moved away from the other, or toward it.
fn pair_after(
    bench: &Bench,
    draw: &mut Draw,
    spatial: bool,
    rule: &str,
    moved: impl Fn(f64, f64, f64, f64, i32) -> f64,
    toward: f64,
) -> Tried {
    bench.watches(Setup::open(spatial, DT).apart(), [0, 16, 48], 0..16, |setup, _| {
        let (weight, speed, tau) = (draw.between(0.5, 2.0), draw.between(2.0, 8.0), draw.scale(0.1, 2.0));
        let apart = rounded(times(draw.heading(spatial), draw.between(20.0, 30.0)));
        let at = draw.point(spatial, 50.0);
        let view = "perception_radius = 60, field_of_view = 360";
        let lines = limits(speed, 1e6, tau) + &format!("behaviors.{rule}, weight = {weight}, {view} }}\n");
        let id = setup.species(&lines, &[at, plus(at, apart)].map(Body::at)).start;
        let moved = [16, 48].map(|steps| (steps, moved(weight, speed, tau, DT, steps)));
        move |seen| {
            let apart = |moment: &Moment| norm(minus(moment.bodies[id].position, moment.bodies[id + 1].position));
            for ((steps, moved), moment) in moved.into_iter().zip(&seen[1..]) {
                let parameters = [("k", weight), ("v_max", speed), ("τ", tau), ("n", f64::from(steps))];
                let expected = apart(&seen[0]) - 2.0 * toward * moved;
                bench.check(Case::absolute(&parameters, expected, apart(moment), 1e-4));
            }
        }
    })
}

/// The distance that an agent from rest covers while its speed approaches the greatest one, u.
fn approached(weight: f64, speed: f64, tau: f64, dt: f64, steps: i32) -> f64 {
    let kept = 1.0 - weight * dt / tau;
    speed * dt * (f64::from(steps) - kept * (1.0 - kept.powi(steps)) / (1.0 - kept))
}

fn cohesion_direction_falls(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let fallen = |weight: f64, _, _, dt: f64, steps: i32| weight * dt * dt * f64::from(steps * (steps + 1)) / 2.0;
    pair_after(bench, draw, spatial, "cohesion = { form = \"direction\"", fallen, 1.0)
}
