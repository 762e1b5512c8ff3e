//! What a benchmark found: a table for people, JSON for programs, and the comparison with an earlier JSON report.

use super::predictions::Check;
use crate::cli::Failure;
use crate::cli::shared::read_json;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::Path;
use steerling::measure::{Prediction, Ratio, median};

/// All rows of a benchmark.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Report {
    /// Version of the program.
    pub version: String,
    /// Name, backend and driver of the adapter.
    pub adapter: String,
    /// Are floats computed as written?
    pub exact: bool,
    /// A signal ended it early.
    pub interrupted: bool,
    /// One for each world, number of agents and state.
    pub rows: Vec<Row>,
    /// The model of predictions against what others published, where predictions were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<Check>,
}

/// A world, a number of agents and a state.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    /// Name of the world.
    pub bench: String,
    /// `fresh` or `flocked`.
    pub state: String,
    /// Agents.
    pub agents: u32,
    /// Steps from the start to the state.
    pub after_steps: u64,
    /// Digest of the state.
    pub digest: String,
    /// Mean number of neighbors.
    pub neighbors: f64,
    /// Steps of a sample.
    pub steps_per_sample: u32,
    /// Median time of a step, ms.
    pub step_ms: f64,
    /// Median time of a step divided by the number of agents, ns.
    pub ns_per_agent: f64,
    /// Each sample, ms.
    pub samples_ms: Vec<f64>,
    /// Times of drawing, which is no part of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<Drawing>,
    /// Predicted times of the same step on known GPUs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub predictions: Vec<Prediction>,
    /// Comparison with the baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Comparison>,
    /// Comparison with a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<Comparison>,
}

/// Times of a picture.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Drawing {
    /// Width and height, px.
    pub size: (u32, u32),
    /// Median time of a picture, ms.
    pub draw_ms: f64,
    /// Time of each picture, ms.
    pub samples_ms: Vec<f64>,
}

/// A comparison of our step with another one.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Comparison {
    /// The other side: `baseline`, `plain` or `program`.
    pub name: String,
    /// Median time of its step, ms.
    pub step_ms: f64,
    /// Our median time over that of the other side, with a 95 % interval.
    #[serde(flatten)]
    pub ratio: Ratio,
    /// Did both start from the same state?
    pub same_state: bool,
}

impl Comparison {
    /// Compare step times, ms. `None` if they have no ratio.
    pub fn new(name: &str, ours: &[f64], theirs: &[f64], same_state: bool) -> Option<Comparison> {
        let ratio = Ratio::of_medians(ours, theirs)?;
        Some(Comparison { name: name.to_owned(), step_ms: median(theirs), ratio, same_state })
    }
}

impl Report {
    /// Read what an earlier benchmark printed.
    pub fn read(path: &Path) -> Result<Report, Failure> {
        let report: Report = read_json(path, "bench")?;
        let bad = |row: &Row| Ratio::of_medians(&row.samples_ms, &row.samples_ms).is_none();
        match report.rows.iter().find(|row| bad(row)) {
            Some(row) => {
                let reason = format!("has no positive times in its row {} {} {}", row.bench, row.state, row.agents);
                Err(Failure::data(path, reason))
            }
            None => Ok(report),
        }
    }

    /// The row of this report with the same world, state and number of agents.
    pub fn like(&self, row: &Row) -> Option<&Row> {
        let key = |row: &Row| (row.bench.clone(), row.state.clone(), row.agents);
        self.rows.iter().find(|other| key(other) == key(row))
    }
}

/// The head of the table.
pub fn head(adapter: &str, baseline: Option<&str>, against: bool) -> String {
    let mut out = format!("adapter  {adapter}\n\n");
    let _ = write!(
        out,
        "{:12} {:8} {:>9} {:>9} {:>11} {:>9} {:>9}",
        "world", "state", "agents", "neighbors", "step ms", "ns/agent", "draw ms"
    );
    if let Some(baseline) = baseline {
        let _ = write!(out, "  ours / {baseline}");
    }
    if against {
        out.push_str("  ours / program");
    }
    out + "\n"
}

/// A line of the table.
pub fn line(row: &Row) -> String {
    let mut out = format!("{:12} {:8} {:>9} {:>9.1}", row.bench, row.state, row.agents, row.neighbors);
    let _ = write!(out, " {:>11.3} {:>9.2}", row.step_ms, row.ns_per_agent);
    let drawn = row.draw.as_ref().map_or("-".to_owned(), |draw| format!("{:.3}", draw.draw_ms));
    let _ = write!(out, " {drawn:>9}");
    for comparison in [&row.baseline, &row.against].into_iter().flatten() {
        let other = if comparison.same_state { "" } else { ", another state" };
        let _ = write!(out, "  {}{other}", comparison.ratio);
    }
    out + "\n"
}
