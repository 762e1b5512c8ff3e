//! What laws about agents that head for something share: points as TOML, and what happens on the way.

use crate::*;

/// A point as TOML: a planar world has no z.
pub fn point(spatial: bool, [x, y, z]: V) -> String {
    if spatial { format!("[{x}, {y}, {z}]") } else { format!("[{x}, {y}]") }
}

/// A point as the target of a behavior, as a key of TOML.
pub fn to(spatial: bool, place: V) -> String {
    format!("target = {{ point = {} }}", point(spatial, place))
}

/// How many dimensions a world has, as a parameter of a case.
pub fn dimensions(spatial: bool) -> (&'static str, f64) {
    ("dimensions", if spatial { 3.0 } else { 2.0 })
}

/// A vector with the coordinates that f32 holds, as a scene is given them.
pub fn rounded(v: V) -> V {
    v.map(|x| f64::from(x as f32))
}

/// Cases for 24 agents that head along x straight for something of which no side is nearer. Each should accelerate sideways by
/// `most`, by their ids some to the left and some to the right. `found` are their accelerations, u/s².
pub fn to_both_sides(found: &[V], most: f64) -> Vec<Case> {
    let sideways = |(id, steering): (usize, &V)| {
        let parameters = [("a", most), ("agent", id as f64)];
        [
            Case::relative(&parameters, most, norm(*steering), 1e-5),
            Case::absolute(&parameters, 0.0, steering[0], 1e-5 * most),
        ]
    };
    let mut cases: Vec<Case> = found.iter().enumerate().flat_map(sideways).collect();
    let left = found.iter().filter(|steering| steering[1] > 0.0).count();
    // All 24 to one side happens once in eight million seeds.
    cases.push(Case::holds(&[("to the left", left as f64)], true, (1..24).contains(&left)));
    cases
}

/// The number at which a condition ends, by bisection. It holds from `low` to there, and not from there to `high`.
pub fn bisected(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if holds(middle) { low = middle } else { high = middle }
    }
    high
}

/// All agents after each of so many steps, the start first.
pub fn flight(bench: &Bench, setup: &Setup, steps: u32) -> Result<Vec<Vec<Body>>, ConformError> {
    sampled_flight(bench, setup, steps, 1)
}

/// All agents at the start, and then at so many moments, every `every` steps.
pub fn sampled_flight(bench: &Bench, setup: &Setup, moments: u32, every: u32) -> Result<Vec<Vec<Body>>, ConformError> {
    let mut run = bench.start(setup)?;
    let start = run.bodies()?;
    let later = run.states(moments, every)?;
    Ok([start].into_iter().chain(later.iter().map(bodies_of)).collect())
}

/// All agents at a moment of a run.
#[derive(Debug)]
pub struct Moment {
    /// How they move, by id.
    pub bodies: Vec<Body>,
    /// How they are turned, by id, in scenes whose agents keep poses.
    pub poses: Vec<Facing>,
}

/// All agents after each of these numbers of steps, the least first.
pub fn moments(
    bench: &Bench,
    setup: &Setup,
    steps: impl IntoIterator<Item = u32>,
) -> Result<Vec<Moment>, ConformError> {
    let (mut run, mut now) = (bench.start(setup)?, 0);
    let moment = |step: u32| {
        run.step(step - now)?;
        now = step;
        let state = run.state()?;
        Ok(Moment { bodies: bodies_of(&state), poses: poses_of(&state) })
    };
    steps.into_iter().map(moment).collect()
}

/// When a vector `way` that changes during a flight is shortest, in steps, and its length then. Between steps it is interpolated
/// linearly.
pub fn shortest(flight: &[Vec<Body>], way: impl Fn(&[Body]) -> V) -> (f64, f64) {
    let ways: Vec<V> = flight.iter().map(|bodies| way(bodies)).collect();
    let between = |(step, pair): (usize, &[V])| {
        let change = minus(pair[1], pair[0]);
        let part = (-dot(pair[0], change) / dot(change, change).max(1e-30)).clamp(0.0, 1.0);
        (step as f64 + part, norm(plus(pair[0], times(change, part))))
    };
    ways.windows(2).enumerate().map(between).min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0.0, f64::NAN))
}
