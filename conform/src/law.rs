//! What a law is, and what one case of it found.

use super::bench::{Bench, ConformError};
use super::draw::Draw;
use super::mutant::Mutant;
use super::vector::{V, minus, norm};
use serde::{Serialize, Serializer};
use std::iter::{Once, once};
use steerling::gpu::GpuError;

/// A statement that the simulation must obey, with a way to try it.
#[derive(Debug)]
pub struct Law {
    /// Unique name, `subject_statement`.
    pub name: &'static str,
    /// The formula, in one line.
    pub statement: &'static str,
    /// Who stated it, or how it follows.
    pub source: &'static str,
    /// A plausible mistake that turns the law red.
    pub mutant: Mutant,
    /// Tries the law on one backend, with parameters drawn over their ranges, and records its cases on the bench.
    pub check: fn(&Bench, &mut Draw) -> Tried,
}

impl Law {
    /// Try the law on a bench, with the draws of a seed. Returns its cases.
    ///
    /// # Errors
    /// A law that cannot be tried.
    pub fn cases(&self, bench: Bench, seed: u64) -> Result<Vec<Case>, GpuError> {
        let mut draw = Draw::of(self.name, seed);
        bench.reseed(draw.clone().word() as u32);
        match (self.check)(&bench, &mut draw) {
            Err(ConformError::Engine(error)) => Err(error),
            Ok(()) | Err(ConformError::Failed) => Ok(bench.into_cases()),
        }
    }

    /// Does the law hold on a bench? Once a case has failed, no other world is started.
    ///
    /// # Errors
    /// A law that cannot be tried.
    pub fn holds(&self, bench: Bench, seed: u64) -> Result<bool, GpuError> {
        Ok(all_pass(&self.cases(bench.until_failed(), seed)?))
    }
}

/// Is there a case, and do all pass?
pub(super) fn all_pass(cases: &[Case]) -> bool {
    !cases.is_empty() && cases.iter().all(|case| case.pass)
}

/// Whether a law could be tried.
pub type Tried = Result<(), ConformError>;

/// One try of a law: what was expected, what was measured, and how far apart they may be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Case {
    /// The parameters that were drawn, by name.
    #[serde(serialize_with = "as_map")]
    pub parameters: Vec<(&'static str, f64)>,
    /// From a closed form or a calculation in f64; for a vector its length.
    pub expected: f64,
    /// What the simulation did; for a vector its length.
    pub measured: f64,
    /// How far apart they are, as `kind` says.
    pub error: f64,
    /// The largest error that passes.
    pub bound: f64,
    /// What the error is.
    pub kind: Kind,
    /// Is the error within the bound?
    pub pass: bool,
}

/// What the error of a case is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// |measured - expected| / |expected|; for a vector the length of the difference.
    Relative,
    /// |measured - expected|.
    Absolute,
    /// How far the measured value is above the expected one.
    AtMost,
    /// How far the measured value is below the expected one.
    AtLeast,
}

/// Try a law in the plane, and in space.
///
/// # Errors
/// Those of the law.
pub fn in_both(bench: &Bench, draw: &mut Draw, check: impl Fn(&Bench, &mut Draw, bool) -> Tried) -> Tried {
    check(bench, draw, false)?;
    bench.reseed(draw.clone().word() as u32);
    check(bench, draw, true)
}

impl Case {
    /// Within a share of the expected value.
    pub fn relative(parameters: &[(&'static str, f64)], expected: f64, measured: f64, bound: f64) -> Case {
        let error = (measured - expected).abs() / expected.abs();
        Case::new(parameters, (expected, measured), error, bound, Kind::Relative)
    }

    /// Within a distance of the expected value.
    pub fn absolute(parameters: &[(&'static str, f64)], expected: f64, measured: f64, bound: f64) -> Case {
        Case::new(parameters, (expected, measured), (measured - expected).abs(), bound, Kind::Absolute)
    }

    /// A vector within a share of the expected one's length, in length and direction.
    pub fn vector(parameters: &[(&'static str, f64)], expected: V, measured: V, bound: f64) -> Case {
        let error = norm(minus(measured, expected)) / norm(expected);
        Case::new(parameters, (norm(expected), norm(measured)), error, bound, Kind::Relative)
    }

    /// A vector within a distance of the expected one.
    pub fn vector_within(parameters: &[(&'static str, f64)], expected: V, measured: V, bound: f64) -> Case {
        let error = norm(minus(measured, expected));
        Case::new(parameters, (norm(expected), norm(measured)), error, bound, Kind::Absolute)
    }

    /// No greater than a limit, but for rounding.
    pub fn at_most(parameters: &[(&'static str, f64)], limit: f64, measured: f64, rounding: f64) -> Case {
        let above = if measured <= limit { 0.0 } else { measured - limit };
        Case::new(parameters, (limit, measured), above, rounding, Kind::AtMost)
    }

    /// No less than a limit, but for rounding.
    pub fn at_least(parameters: &[(&'static str, f64)], limit: f64, measured: f64, rounding: f64) -> Case {
        let below = if measured >= limit { 0.0 } else { limit - measured };
        Case::new(parameters, (limit, measured), below, rounding, Kind::AtLeast)
    }

    /// A yes or no: 1 is yes.
    pub fn holds(parameters: &[(&'static str, f64)], expected: bool, measured: bool) -> Case {
        Case::absolute(parameters, f64::from(expected), f64::from(measured), 0.0)
    }

    fn new(
        parameters: &[(&'static str, f64)],
        (expected, measured): (f64, f64),
        error: f64,
        bound: f64,
        kind: Kind,
    ) -> Case {
        // A comparison with NaN is false.
        let pass = error <= bound && measured.is_finite() && expected.is_finite();
        Case { parameters: parameters.to_vec(), expected, measured, error, bound, kind, pass }
    }

    /// The error as a share of the bound: above 1 for a case that fails.
    pub fn error_over_bound(&self) -> f64 {
        match (self.pass, self.bound > 0.0) {
            (true, false) => 0.0,
            (_, true) if !self.error.is_nan() => self.error / self.bound,
            _ => f64::INFINITY,
        }
    }
}

/// One case may be given where several are taken, as by [`Bench::check`].
impl IntoIterator for Case {
    type Item = Case;
    type IntoIter = Once<Case>;

    fn into_iter(self) -> Once<Case> {
        once(self)
    }
}

fn as_map<S: Serializer>(parameters: &[(&'static str, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(parameters.iter().copied())
}
