//! Alignment: toward the mean velocity of the neighbors, within the time constant.

use crate::*;
use std::ops::Range;

const REYNOLDS: &str = "Reynolds 1999, Alignment: average velocity of the neighbors minus own velocity";

laws! {
    source: "linear consensus of N agents that see all others; Cucker and Smale 2007 for the decay";
    alignment_mean in both: "A = w (mean velocity of the others - v) / τ",
        source: REYNOLDS,
        mutant: alignment_resolve("sum.velocity / f32(sum.count)" => "sum.velocity / f32(sum.count) / f32(sum.count)"),
        mistake: "the sum is divided by the number of neighbors twice";
    alignment_view in both: "only velocities of agents within the field of view count",
        source: "Reynolds 1999: a neighborhood is a distance and an angle",
        mutant: alignment_add("select(vec3f(0.0), theirs, seen)" => "neighbor.velocity"),
        mistake: "agents out of view are added, and not counted";
    alignment_pair in both: "the velocities of two agents come together by the factor 1 - 2 w dt/τ in each step",
        mutant: alignment_resolve("steer_to(agent, sum.velocity / f32(sum.count))"
            => "steer_to(agent, (sum.velocity + agent.velocity) / f32(sum.count + 1u))"),
        mistake: "the agent counts among its own neighbors";
    alignment_variance in both: "the variance of N velocities falls by (1 - w dt/τ N/(N - 1))² in each step",
        mutant: steer_to("(desired - agent.velocity) / agent.time_constant" => "(desired - agent.velocity)"),
        mistake: "the time constant is missing: the rate is 1 per second";
    alignment_momentum in both: "where all see each other, the mean velocity stays",
        mutant: steer_to("(desired - agent.velocity) / agent.time_constant" => "desired / agent.time_constant"),
        mistake: "the desired velocity is taken for the steering: the own velocity is not subtracted";
    alignment_order in both: "headings come to agree: φ(n) = |Σ u|/N of velocities m + (v - m)(1 - w dt/τ N/(N - 1))^n",
        mutant: alignment_resolve("steer_to(agent, sum.velocity / f32(sum.count))"
            => "-steer_to(agent, sum.velocity / f32(sum.count))"),
        mistake: "agents turn away from the mean";
    alignment_cancel in both: "where velocities or headings of the others cancel there is no course: A = 0",
        source: "a direction of nothing is none",
        mutant: align_to_course("return vec3f(0.0);" => "return agent.forward;"),
        mistake: "who sees no course is pushed on";
}

/// A crowd in which everybody sees everybody.
struct Crowd {
    ids: Range<usize>,
    weight: f64,
    time_constant: f64,
}

impl Crowd {
    fn parameters(&self) -> [(&'static str, f64); 3] {
        [("agents", self.ids.len() as f64), ("w", self.weight), ("τ", self.time_constant)]
    }

    /// What is left of the difference to the mean velocity after a step.
    fn factor(&self, dt: f64) -> f64 {
        let size = self.ids.len() as f64;
        1.0 - self.weight * dt / self.time_constant * size / (size - 1.0)
    }

    fn velocities(&self, bodies: &[Body]) -> Vec<V> {
        bodies[self.ids.clone()].iter().map(|body| body.velocity).collect()
    }
}

const DT: f64 = 1.0 / 256.0;

/// Crowds of these sizes, all in each other's midst, which drift.
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
    let (bodies, found) = (setup.bodies(), bench.steering(&setup)?.accelerations);
    let cases = crowds.into_iter().map(|crowd| {
        let (velocities, first) = (crowd.velocities(&bodies), crowd.ids.start);
        let expected = times(minus(mean(&velocities[1..]), velocities[0]), crowd.weight / crowd.time_constant);
        let bound = 2e-6 * crowd.weight / crowd.time_constant * 10.0;
        Case::vector_within(&crowd.parameters(), expected, found[first], bound)
    });
    bench.tried(cases)
}

fn alignment_view(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let views: Vec<f64> = (0..16).map(|_| draw.between(20.0, 340.0)).collect();
    bench.wants(Setup::open(spatial, DT).apart(), views, |setup, field_of_view| {
        let bodies = draw.crowd(30, spatial, ZERO, 8.0, 10.0);
        let lines = format!(
            "time_constant = 0.5
{}",
            seeing("alignment", 1.0, 7.0, field_of_view)
        );
        let ids = setup.species(&lines, &bodies);
        let crowd = setup.crowd(ids.clone());
        let seen: Vec<V> = perceived(&crowd, 0, 7.0, field_of_view).iter().map(|&i| crowd[i].velocity).collect();
        let desired = if seen.is_empty() { crowd[0].velocity } else { mean(&seen) };
        let expected = times(minus(desired, crowd[0].velocity), 1.0 / 0.5);
        (ids.start, [("field of view", field_of_view), ("seen", seen.len() as f64)], expected, 5e-5)
    })
}

fn alignment_pair(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (setup, crowds) = crowds(draw, spatial, &[2; 16]);
    let (before, after) = (setup.bodies(), bench.after(&setup, 80)?);
    let cases = crowds.into_iter().map(|crowd| {
        let apart = |bodies: &[Body]| {
            let velocities = crowd.velocities(bodies);
            minus(velocities[1], velocities[0])
        };
        let expected = times(apart(&before), crowd.factor(DT).powi(80));
        // Each step rounds both velocities.
        let bound = 80.0 * 4.0 * 13.0 * f64::from(f32::EPSILON);
        Case::vector_within(&crowd.parameters(), expected, apart(&after), bound)
    });
    bench.tried(cases)
}

const SIZES: &[usize] = &[2, 3, 4, 6, 8, 12, 16, 24, 32, 50, 64, 100];

fn alignment_variance(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (setup, crowds) = crowds(draw, spatial, SIZES);
    let (before, after) = (setup.bodies(), bench.after(&setup, 100)?);
    let cases = crowds.into_iter().map(|crowd| {
        let variance = |bodies: &[Body]| {
            let velocities = crowd.velocities(bodies);
            velocities.iter().map(|v| norm(minus(*v, mean(&velocities))).powi(2)).sum::<f64>()
        };
        let expected = variance(&before) * crowd.factor(DT).powi(200);
        // Each of 100 steps rounds a velocity of about 13 u/s, at random; what is left of the spread may be small.
        let spread = (expected / crowd.ids.len() as f64).sqrt();
        let bound = 2.0 * 30.0 * 13.0 * f64::from(f32::EPSILON) / spread;
        Case::relative(&crowd.parameters(), expected, variance(&after), bound)
    });
    bench.tried(cases)
}

fn alignment_momentum(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (setup, crowds) = crowds(draw, spatial, SIZES);
    let (before, after) = (setup.bodies(), bench.after(&setup, 100)?);
    let cases = crowds.into_iter().map(|crowd| {
        let (first, last) = (mean(&crowd.velocities(&before)), mean(&crowd.velocities(&after)));
        let bound = 100.0 * 13.0 * f64::from(f32::EPSILON);
        Case::vector_within(&crowd.parameters(), first, last, bound)
    });
    bench.tried(cases)
}

fn alignment_order(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let polarization = |velocities: &[V]| norm(mean(&velocities.iter().map(|v| unit(*v)).collect::<Vec<_>>()));
    let (setup, crowds) = crowds(draw, spatial, SIZES);
    let (before, after) = (setup.bodies(), bench.after(&setup, 100)?);
    let cases = crowds.into_iter().map(|crowd| {
        let first = crowd.velocities(&before);
        let drift = mean(&first);
        let left = crowd.factor(DT).powi(100);
        let expected: Vec<V> = first.iter().map(|v| plus(drift, times(minus(*v, drift), left))).collect();
        let measured = polarization(&crowd.velocities(&after));
        Case::absolute(&crowd.parameters(), polarization(&expected), measured, 1e-4)
    });
    bench.tried(cases)
}

fn alignment_cancel(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.steers(Setup::open(spatial, DT).apart(), 0..12, |setup, index| {
        let (at, course) = (lane(index, 40.0), times(draw.heading(spatial), draw.between(1.0, 9.0)));
        let mode = ["full_speed", "course"][index % 2];
        let vision = "perception_radius = 10, field_of_view = 360";
        let rule = format!("{FREE}behaviors.alignment = {{ mode = \"{mode}\", {vision} }}\n");
        let own = Body::at(at).moving(draw.point(spatial, 5.0));
        let others = [1.0, -1.0].map(|side| Body::at(plus(at, draw.point(spatial, 4.0))).moving(times(course, side)));
        let id = setup.species(&rule, &[own, others[0], others[1]]).start;
        move |found: &[V]| bench.check(Case::vector_within(&[("id", id as f64)], ZERO, found[id], 1e-6))
    })
}
