//! Statistics of times that vary.

use crate::gpu::quantile;
use crate::model::random::hash4;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The number of bootstrap samples for the interval of a ratio.
const RESAMPLES: u32 = 2000;

/// The fewest times of each side for which an interval is given: with 5 the true median lies outside of all of them once in 16 times.
pub const FEWEST: usize = 6;

/// The median: the value in the middle, or between the two there; 0 if there are no values.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The order of measurements in a round: each contestant once, and in each round another one first, so that slow changes of the machine
/// affect all alike.
pub fn turns(contestants: usize, round: usize) -> impl Iterator<Item = usize> {
    (0..contestants).map(move |turn| (turn + round % contestants) % contestants)
}

/// A ratio of medians, and its 95 % confidence interval, if there are enough times for one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// Median of our times over median of theirs: below 1, ours are shorter.
    pub ratio: f64,
    /// Lower end of the interval; `None` if either side has fewer than [`FEWEST`] times.
    pub low: Option<f64>,
    /// Upper end of the interval, likewise.
    pub high: Option<f64>,
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.ratio)?;
        let (Some(low), Some(high)) = (self.low, self.high) else { return Ok(()) };
        write!(f, " ({low:.3} to {high:.3})")
    }
}

impl Ratio {
    /// The ratio of two sets of times; its interval comes from a percentile bootstrap with a fixed seed. `None` if either set is
    /// empty or has a time that is not positive.
    pub fn of_medians(ours: &[f64], theirs: &[f64]) -> Option<Ratio> {
        let positive = |times: &[f64]| !times.is_empty() && times.iter().all(|time| *time > 0.0);
        if !positive(ours) || !positive(theirs) {
            return None;
        }
        let drawn = |times: &[f64], set: u32, sample: u32| {
            let draw = |index| times[hash4([set, sample, index, 0])[0] as usize % times.len()];
            median(&(0..times.len() as u32).map(draw).collect::<Vec<_>>())
        };
        let ratios: Vec<f64> = (0..RESAMPLES).map(|n| drawn(ours, 0, n) / drawn(theirs, 1, n)).collect();
        let ratio = median(ours) / median(theirs);
        let end = |share| (ours.len().min(theirs.len()) >= FEWEST).then(|| quantile(&ratios, share));
        Some(Ratio { ratio, low: end(0.025), high: end(0.975) })
    }
}
