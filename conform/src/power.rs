//! The power of laws: the smallest relative change of each number of their scenes that they still find.
//!
//! A law calculates what it expects from the numbers that it writes into its scenes. Here the simulation gets one of these
//! numbers changed, and the law is not told: it should notice. Left out are numbers that change nothing of what the law measures,
//! so that they are no part of its formula, and places, which have no relative change.

use super::bench::{Backend, Bench};
use super::law::{Case, Law};
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Mutex;
use steerling::gpu::GpuError;
use steerling::scene::Override;
use toml_edit::{Document, Item, Value};

/// The relative changes that are tried.
pub const LADDER: [f64; 6] = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3];

/// Keys that are left out: places, whose numbers count from an arbitrary origin, and the seed, which is no quantity.
const PLACES: [&str; 5] = ["point", "points", "center", "mouse", "seed"];

/// What a law finds of one number.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Power {
    /// The law's name.
    pub law: &'static str,
    /// The number, by its dotted key without `species`, `behaviors` and indices.
    pub number: String,
    /// The smallest relative change of [`LADDER`] that the law finds, up or down; `None` if it finds none of them.
    pub finds: Option<f64>,
}

/// A relative change of one number in all scenes of a law; `seen` collects the names of the numbers that these scenes have.
#[derive(Debug, Default)]
pub(super) struct Nudge {
    number: String,
    change: f64,
    seen: Mutex<BTreeSet<String>>,
}

impl Nudge {
    /// The overrides that make this change in a scene with this text.
    pub(super) fn overrides(&self, text: &str) -> Vec<Override> {
        let mut all = Vec::new();
        if let Ok(document) = Document::parse(text) {
            document.iter().for_each(|(key, item)| numbers(item, key, &mut all));
        }
        if let Ok(mut seen) = self.seen.lock() {
            seen.extend(all.iter().map(|(path, _)| name_of(path)));
        }
        let changed = all.into_iter().filter(|(path, _)| name_of(path) == self.number);
        changed.map(|(key, number)| Override { key, value: format!("{:?}", number * (1.0 + self.change)) }).collect()
    }
}

/// Collect the numbers that are not zero, with their dotted keys.
fn numbers(item: &Item, path: &str, all: &mut Vec<(String, f64)>) {
    let inner = |name: &str| format!("{path}.{name}");
    match item {
        Item::Value(value) => of_value(value, path, all),
        Item::Table(table) => table.iter().for_each(|(key, item)| numbers(item, &inner(key), all)),
        Item::ArrayOfTables(tables) => {
            for (index, table) in tables.iter().enumerate() {
                table.iter().for_each(|(key, item)| numbers(item, &inner(&format!("{index}.{key}")), all));
            }
        }
        Item::None => {}
    }
}

fn of_value(value: &Value, path: &str, all: &mut Vec<(String, f64)>) {
    let number = value.as_float().or_else(|| value.as_integer().map(|number| number as f64));
    all.extend(number.filter(|number| *number != 0.0).map(|number| (path.to_owned(), number)));
    for (index, value) in value.as_array().into_iter().flatten().enumerate() {
        of_value(value, &format!("{path}.{index}"), all);
    }
    for (key, value) in value.as_inline_table().into_iter().flatten() {
        of_value(value, &format!("{path}.{key}"), all);
    }
}

/// A dotted key without `species`, `behaviors` and indices.
fn name_of(path: &str) -> String {
    let told = |part: &&str| part.parse::<usize>().is_err() && !["species", "behaviors"].contains(part);
    path.split('.').filter(told).collect::<Vec<_>>().join(".")
}

/// What a law finds of each number of its formula, on the reference.
///
/// # Errors
/// A law that cannot be tried.
pub fn power(law: &Law, seed: u64) -> Result<Vec<Power>, GpuError> {
    let cases = |nudge: &Nudge| law.cases(Bench::nudged(&Backend::Cpu, &|text| nudge.overrides(text)), seed);
    let plain = Nudge::default();
    let expected = cases(&plain)?;
    let names = plain.seen.into_inner().unwrap_or_default();
    let is_place = |name: &str| PLACES.contains(&name.rsplit('.').next().unwrap_or_default());
    let powers = names.into_iter().filter(|name| !is_place(name)).filter_map(|number| {
        // `None` if the changed scene is not valid: the number must be whole, or is at the end of its range.
        let tried = |change: f64| cases(&Nudge { number: number.clone(), change, ..Nudge::default() }).ok();
        let is_red = |change: f64| tried(change).is_some_and(|found| !found.iter().all(|case| case.pass));
        let largest = LADDER[LADDER.len() - 1];
        let extremes = [largest, -largest].map(|change| tried(change).filter(|found| differ(found, &expected)));
        // A number that changes nothing of what the law measures is no part of its formula.
        extremes.into_iter().flatten().next()?;
        let step = LADDER.partition_point(|change| !is_red(*change) && !is_red(-change));
        Some(Power { law: law.name, number, finds: LADDER.get(step).copied() })
    });
    Ok(powers.collect())
}

/// Do two trials differ in the number of cases, or in what was measured?
fn differ(cases: &[Case], others: &[Case]) -> bool {
    let moved = |(a, b): (&Case, &Case)| a.measured.to_bits() != b.measured.to_bits();
    cases.len() != others.len() || cases.iter().zip(others).any(moved)
}
