//! Alignment: toward the mean velocity of the neighbors, within the time constant.

use crate::*;
use std::ops::Range;

laws! {
    source: "linear consensus of N agents that see all others; Cucker and Smale 2007 for the decay";
    alignment_mean in both: "A = w (mean velocity of the others - v) / τ",
        source: "Reynolds 1999, Alignment: average velocity of the neighbors minus own velocity",
        mutant: alignment_resolve("sum.velocity / f32(sum.count)" => "sum.velocity / f32(sum.count) / f32(sum.count)"),
        mistake: "the sum is divided by the number of neighbors twice";
    alignment_view in both: "only velocities of agents within the field of view count",
        source: "Reynolds 1999: a neighborhood is a distance and an angle",
        mutant: alignment_add("select(vec3f(0.0), theirs, seen)" => "neighbor.velocity"),
        mistake: "agents out of view are added, and not counted";
    alignment_relaxation in both:
        "where all agents see each other v(n) = m + (v - m)(1 - w dt/τ N/(N - 1))^n: the mean m stays, and the \
         variance falls as the square of this factor",
        mutant: alignment_resolve("steer_to(agent, sum.velocity / f32(sum.count))"
            => "steer_to(agent, (sum.velocity + agent.velocity) / f32(sum.count + 1u))"),
        mistake: "the agent counts among its own neighbors";
    alignment_order in both: "headings come to agree: φ(n) = |Σ u|/N of velocities m + (v - m)(1 - w dt/τ N/(N - 1))^n",
        mutant: alignment_resolve("steer_to(agent, sum.velocity / f32(sum.count))"
            => "-steer_to(agent, sum.velocity / f32(sum.count))"),
        mistake: "agents turn away from the mean";
    alignment_cancel in both: "where velocities or headings of the others cancel there is no mean course: A = 0",
        source: "the zero vector has no direction",
        mutant: align_to_course("return vec3f(0.0);" => "return agent.forward;"),
        mistake: "an agent without a mean course is accelerated along its heading";
}

/// A crowd in which each agent perceives all others.
struct Crowd {
    ids: Range<usize>,
    weight: f64,
    time_constant: f64,
}

impl Crowd {
    fn parameters(&self) -> [(&'static str, f64); 3] {
        [("agents", self.ids.len() as f64), ("w", self.weight), ("τ", self.time_constant)]
    }

    /// The velocities after some steps. Each step leaves the same share of their differences from the mean.
    fn relaxed(&self, setup: &Setup, steps: u32) -> Vec<V> {
        let (velocities, size) = (self.velocities(&setup.bodies()), self.ids.len() as f64);
        let left = (1.0 - self.weight * DT / self.time_constant * size / (size - 1.0)).powi(steps as i32);
        let mean = mean(&velocities);
        velocities.iter().map(|v| plus(mean, times(minus(*v, mean), left))).collect()
    }

    fn velocities(&self, bodies: &[Body]) -> Vec<V> {
        bodies[self.ids.clone()].iter().map(|body| body.velocity).collect()
    }
}

const DT: f64 = 1.0 / 256.0;

/// Crowds of these sizes, which overlap and drift.
fn crowds(draw: &mut Draw, spatial: bool, sizes: &[usize]) -> (Setup, Vec<Crowd>) {
    let mut setup = Setup::open(spatial, DT).apart();
    let crowd = |size: &usize| {
        let (weight, time_constant) = (draw.between(0.2, 1.5), draw.scale(0.2, 1.0));
        let mut bodies = draw.crowd(*size, spatial, ZERO, 10.0, 10.0);
        bodies.iter_mut().for_each(|body| body.velocity[0] += 3.0);
        let lines = format!("{FREE}time_constant = {time_constant}\n{}", all_around("alignment", weight, 5000.0));
        Crowd { ids: setup.species(&lines, &bodies), weight, time_constant }
    };
    let crowds = sizes.iter().map(crowd).collect();
    (setup, crowds)
}

fn alignment_mean(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (setup, crowds) = crowds(draw, spatial, &[2, 3, 4, 5, 8, 12, 20, 33, 64, 100]);
    bench.wants(setup, crowds, |setup, crowd| {
        let velocities = crowd.velocities(&setup.bodies());
        let expected = times(minus(mean(&velocities[1..]), velocities[0]), crowd.weight / crowd.time_constant);
        let bound = 2e-6 * crowd.weight / crowd.time_constant * 10.0;
        (crowd.ids.start, crowd.parameters(), expected, bound)
    })
}

fn alignment_view(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let views: Vec<f64> = (0..16).map(|_| draw.between(20.0, 340.0)).collect();
    bench.wants(Setup::open(spatial, DT).apart(), views, |setup, field_of_view| {
        let bodies = draw.crowd(30, spatial, ZERO, 8.0, 10.0);
        let lines = format!("time_constant = 0.5\n{}", seeing("alignment", 1.0, 7.0, field_of_view));
        let (ids, crowd) = setup.flock(&lines, &bodies);
        let seen: Vec<V> = perceived(&crowd, 0, 7.0, field_of_view).iter().map(|&i| crowd[i].velocity).collect();
        let desired = if seen.is_empty() { crowd[0].velocity } else { mean(&seen) };
        let expected = times(minus(desired, crowd[0].velocity), 1.0 / 0.5);
        (ids.start, [("field of view", field_of_view), ("seen", seen.len() as f64)], expected, 5e-5)
    })
}

const SIZES: &[usize] = &[2, 3, 4, 6, 8, 12, 16, 24, 32, 50, 64, 100];

fn alignment_relaxation(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    for (sizes, steps) in [(&[2; 16][..], 80), (SIZES, 100)] {
        let (setup, crowds) = crowds(draw, spatial, sizes);
        let after = bench.after(&setup, steps)?;
        for crowd in crowds {
            let (expected, found) = (crowd.relaxed(&setup, steps), crowd.velocities(&after));
            let off = expected.iter().zip(&found).map(|(expected, found)| norm(minus(*expected, *found))).most();
            // Each step rounds a velocity of about 13 u/s, at random.
            let bound = 0.3 * f64::from(steps) * 13.0 * f64::from(f32::EPSILON);
            bench.check(Case::absolute(&crowd.parameters(), 0.0, off, bound));
            bench.check(Case::vector_within(&crowd.parameters(), mean(&expected), mean(&found), bound));
        }
    }
    Ok(())
}

fn alignment_order(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let polarization = |velocities: &[V]| norm(mean(&velocities.iter().map(|v| unit(*v)).collect::<Vec<_>>()));
    let (setup, crowds) = crowds(draw, spatial, SIZES);
    let after = bench.after(&setup, 100)?;
    bench.tried(crowds.into_iter().map(|crowd| {
        let measured = polarization(&crowd.velocities(&after));
        Case::absolute(&crowd.parameters(), polarization(&crowd.relaxed(&setup, 100)), measured, 1e-4)
    }))
}

fn alignment_cancel(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.wants(Setup::open(spatial, DT).apart(), 0..12, |setup, index| {
        let (at, course) = (lane(index, 40.0), times(draw.heading(spatial), draw.between(1.0, 9.0)));
        let mode = ["full_speed", "course"][index % 2];
        let vision = "perception_radius = 10, field_of_view = 360";
        let rule = format!("{FREE}behaviors.alignment = {{ mode = \"{mode}\", {vision} }}\n");
        let own = Body::at(at).moving(draw.point(spatial, 5.0));
        let others = [1.0, -1.0].map(|side| Body::at(plus(at, draw.point(spatial, 4.0))).moving(times(course, side)));
        let id = setup.species(&rule, &[own, others[0], others[1]]).start;
        (id, [("id", id as f64)], ZERO, 1e-6)
    })
}
