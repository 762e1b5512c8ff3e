//! Conformance: the laws of steering, as cases that can be run on the reference and on a GPU.
//!
//! `verify` shows that two implementations agree; this shows that they are right. Expected values come from closed forms
//! or from calculations in f64 that use none of the code under test, and parameters are drawn over their ranges. Each
//! law names a mistake that turns it red.

mod bench;
mod draw;
mod flight;
mod law;
mod laws;
mod mutant;
mod power;
mod reference;
mod scenery;
mod setup;
mod vector;
mod walker;

pub use bench::{Backend, Bench, ConformError, Measured, Run, Steering};
pub use draw::Draw;
pub use law::{Case, Kind, Law, Tried, in_both};
pub use laws::{GROUPS, Group};
pub use mutant::{Mutant, MutantError, Token, functions, tokens};
pub use power::{LADDER, Power, power};
pub use reference::{Body, Facing, Vehicle, pcg4d, perceived};
pub use setup::{DT, FREE, Nudge, Setup, all_around, lane, limits, seeing};
pub use vector::{
    Extremes, V, ZERO, across, angle, clipped, cross, dot, mean, minus, nearest, norm, plus, sum, times, unit, wide,
};

use bench::{Expectation, PLACE, VELOCITY, bodies_of, poses_of};
use flight::*;
use law::all_pass;
use rayon::prelude::*;
use scenery::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::mpsc;
use std::time::Instant;
use steerling::gpu::GpuError;
use steerling::scene::BehaviorSpec;

/// The seed of the draws where none is given.
pub const SEED: u64 = 1;

/// What a run of laws found.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Name, backend and driver of the adapter, where one was used.
    pub adapter: Option<String>,
    /// Are GPU and reference held to equal bits?
    pub exact: bool,
    /// Seed of all draws.
    pub seed: u64,
    /// Number of laws.
    pub laws: usize,
    /// Number of cases, on all backends.
    pub cases: usize,
    /// Number of cases that failed.
    pub failed: usize,
    /// One entry for each law.
    pub outcomes: Vec<Outcome>,
    /// Did everything pass?
    pub pass: bool,
}

/// What one law found.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// The law's name.
    pub law: &'static str,
    /// The group that it belongs to.
    pub group: &'static str,
    /// The law, in one line.
    pub statement: &'static str,
    /// Who stated it, or how it follows.
    pub source: &'static str,
    /// The mistake that it is known to find.
    pub mutant: Mutant,
    /// One entry for each backend.
    pub trials: Vec<Trial>,
    /// Cases whose measured values differ in bits between the backends, where they must not.
    pub differing: usize,
    /// Did all cases pass, with the same bits?
    pub pass: bool,
}

/// What one law found on one backend.
#[derive(Debug, Clone, Serialize)]
pub struct Trial {
    /// `cpu` or `gpu`.
    pub backend: &'static str,
    /// Each case.
    pub cases: Vec<Case>,
    /// The largest error as a share of its bound. Not finite, which JSON shows as null, where a bound of 0 is missed.
    pub worst: f64,
    /// Time that it took, s.
    pub seconds: f64,
    /// Is there a case, and did all pass?
    pub pass: bool,
}

/// The laws whose name or group contains this text, with their groups.
pub fn select(filter: &str) -> Vec<(&'static Group, &'static Law)> {
    let all = GROUPS.iter().flat_map(|group| group.laws.iter().map(move |law| (group, law)));
    all.filter(|(group, law)| law.name.contains(filter) || group.name.contains(filter)).collect()
}

/// The laws that hold a behavior: those that are named for it, and those whose mistake is one of its own functions.
pub fn laws_of(spec: &BehaviorSpec) -> Vec<&'static Law> {
    let own: Vec<&str> = functions(spec.text).into_iter().map(|(function, _)| function).collect();
    let prefix = format!("{}_", spec.name);
    let all = GROUPS.iter().flat_map(|group| group.laws);
    all.filter(|law| own.contains(&law.mutant.function) || law.name.starts_with(&prefix)).collect()
}

/// Try a law on one backend.
///
/// # Errors
/// A law that cannot be tried: a device that fails, or a shader that does not compile.
pub fn try_law(law: &Law, backend: &Backend, seed: u64) -> Result<Trial, GpuError> {
    let start = Instant::now();
    let cases = law.cases(Bench::new(backend), seed)?;
    let worst = cases.iter().map(Case::error_over_bound).fold(0.0, f64::max);
    let pass = all_pass(&cases);
    Ok(Trial { backend: backend.name(), cases, worst, seconds: start.elapsed().as_secs_f64(), pass })
}

/// Try laws on all of these backends. `progress` sees each outcome as soon as it is there.
///
/// # Errors
/// As [`try_law`]. A law that fails is no error: see [`Report::pass`].
pub fn conform(
    laws: &[(&'static Group, &'static Law)],
    backends: &[Backend],
    seed: u64,
    mut progress: impl FnMut(&Outcome),
) -> Result<Report, GpuError> {
    let gpu = backends.iter().find_map(|backend| match backend {
        Backend::Gpu(gpu, options) => Some((gpu.title(), gpu.exact && options.exact)),
        Backend::Cpu => None,
    });
    let exact = backends.len() > 1 && gpu.as_ref().is_some_and(|(_, exact)| *exact);
    let mut outcomes = Vec::new();
    let try_all = |law: &Law| backends.iter().map(|backend| try_law(law, backend, seed)).collect::<Result<_, _>>();
    // In parallel, because most of a trial is making shaders, on one thread. With `par_bridge` no thread waits for a slow law.
    let (sender, receiver) = mpsc::channel();
    rayon::in_place_scope(|scope| -> Result<(), GpuError> {
        scope.spawn(|_| {
            let tried = laws.iter().enumerate().par_bridge();
            // Sending fails once a law could not be tried, which drops the receiver.
            let _ = tried.try_for_each_with(sender, |sender, (index, (_, law))| {
                sender.send((index, try_all(law))).map_err(drop)
            });
        });
        let mut early: BTreeMap<usize, Vec<Trial>> = BTreeMap::new();
        for (index, trials) in receiver {
            early.insert(index, trials?);
            while let Some(trials) = early.remove(&outcomes.len()) {
                let (group, law) = laws[outcomes.len()];
                let differing = if exact { differing(&trials) } else { 0 };
                let pass = differing == 0 && trials.iter().all(|trial| trial.pass);
                let Law { name, statement, source, mutant, .. } = law;
                outcomes.push(Outcome {
                    law: name,
                    group: group.name,
                    statement,
                    source,
                    mutant: *mutant,
                    trials,
                    differing,
                    pass,
                });
                progress(&outcomes[outcomes.len() - 1]);
            }
        }
        Ok(())
    })?;
    let cases = || outcomes.iter().flat_map(|outcome| &outcome.trials).flat_map(|trial| &trial.cases);
    Ok(Report {
        adapter: gpu.map(|(title, _)| title),
        exact,
        seed,
        laws: outcomes.len(),
        cases: cases().count(),
        failed: cases().filter(|case| !case.pass).count(),
        pass: outcomes.iter().all(|outcome| outcome.pass),
        outcomes,
    })
}

/// The number of cases whose measured values differ in bits between backends.
fn differing(trials: &[Trial]) -> usize {
    let [first, others @ ..] = trials else { return 0 };
    let differ = |other: &Trial| {
        let pairs = first.cases.iter().zip(&other.cases);
        let unequal = pairs.filter(|(a, b)| a.measured.to_bits() != b.measured.to_bits()).count();
        unequal + first.cases.len().abs_diff(other.cases.len())
    };
    others.iter().map(differ).sum()
}
