//! The observables of a moment as a row: what `metrics.csv` and the table of a sweep hold, and what `--until` may ask for.

use crate::model::Observation;
use crate::model::away::entered;
use crate::scene::{Scene, Species};

/// Observables of all agents together. In a scene with several species `polarization`, `mean_speed` and `mean_neighbors` follow for each
/// of them, with a dot and its name.
const OF_ALL: [&str; 5] = ["polarization", "mean_speed", "mean_neighbors", "bad_agents", "digest"];
/// How many of these, from the first on, each species has too.
const OF_EACH: usize = 3;

/// Columns of scenes in which agents leave or enter one after another: agents that are in the world, and agents that have left. In a scene
/// with several species there is also `left` for each.
const OF_EXITS: [&str; 2] = ["inside", "left"];

/// Columns for each line, with a dot and its name: how often agents crossed it one way, and how often the other way.
const OF_LINES: [&str; 2] = ["crossed", "crossed_back"];

/// The time after `step` steps, to a thousandth of a step or finer. Many more digits would be rounding noise of the product.
pub fn time_of(step: u64, dt: f32) -> String {
    // 2.999, not 3: 0.0001 as a float is a little less, and must not get another decimal.
    let decimals = (2.999 - f64::from(dt).log10()).ceil().max(6.0) as usize;
    format!("{:.decimals$}", step as f64 * f64::from(dt))
}

/// The columns of a scene: the common ones, the ones of each species, of exits and of lines, and what the scene asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    names: Vec<String>,
    /// All species, if agents of any can be away; otherwise empty.
    passing: Vec<Species>,
    dt: f32,
    /// The number of columns of lines.
    of_lines: usize,
    /// The number of columns that the scene asks for.
    requested: usize,
}

impl Columns {
    /// The columns of a scene.
    pub fn of(scene: &Scene) -> Columns {
        let several = scene.species.iter().filter(|_| scene.species.len() > 1);
        let each = several.flat_map(|species| OF_ALL[..OF_EACH].iter().map(|name| format!("{name}.{}", species.name)));
        let first = ["step", "time"].into_iter().chain(OF_ALL).map(str::to_owned);
        let passing: Vec<Species> = match scene.species.iter().any(Species::can_be_away) {
            true => scene.species.clone(),
            false => Vec::new(),
        };
        let of_exits = OF_EXITS.iter().filter(|_| !passing.is_empty()).map(|name| (*name).to_owned());
        let left = passing.iter().filter(|_| passing.len() > 1).map(|species| format!("left.{}", species.name));
        let requested: Vec<String> = scene.requested().iter().flat_map(|requested| requested.columns(scene)).collect();
        let lines = scene.scenery.lines.iter();
        let of_lines: Vec<String> =
            lines.flat_map(|line| OF_LINES.map(|name| format!("{name}.{}", line.name))).collect();
        let (lines, asks) = (of_lines.len(), requested.len());
        let names = first.chain(each).chain(of_exits).chain(left).chain(of_lines).chain(requested).collect();
        Columns { of_lines: lines, requested: asks, names, passing, dt: scene.dt }
    }

    /// The names of the columns; the first are `step` and `time`.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Names of the columns with observed numbers: all but `step`, `time` and `digest`.
    pub fn observables(&self) -> impl Iterator<Item = &str> {
        self.names[2..].iter().map(String::as_str).filter(|name| *name != "digest")
    }

    /// Does this column count from the beginning of a run? Then the count within a time is the difference of two rows.
    pub fn is_cumulative(&self, name: &str) -> bool {
        let first = name.split('.').next().unwrap_or_default();
        // A column that the scene asks for may begin with any word: a species' name, before that of an action state.
        let common = &self.names[..self.names.len() - self.requested];
        (first == OF_EXITS[1] || OF_LINES.contains(&first)) && common.iter().any(|column| column == name)
    }

    /// The value of the column of this name after `step` steps. `None` if there is no such column, or if nothing was observed: neighbors
    /// are counted by a step, so before the first one there is no such number.
    pub fn value(&self, name: &str, step: u64, seen: &Observation) -> Option<f64> {
        let (column, all) = (self.names.iter().position(|known| known == name)?, 2 + OF_ALL.len());
        if let Some(requested) = column.checked_sub(self.names.len() - self.requested) {
            return seen.requested.get(requested).copied().flatten();
        }
        if let Some(of) = column.checked_sub(self.names.len() - self.requested - self.of_lines) {
            return seen.crossed.as_flattened().get(of).copied().map(f64::from);
        }
        let of_exits = all + if seen.species.len() > 1 { OF_EACH * seen.species.len() } else { 0 };
        if let Some(of) = column.checked_sub(of_exits) {
            return self.passed(of, step, seen);
        }
        let (of, means) = match column.checked_sub(all) {
            None => (column - 2, seen.means()),
            Some(each) => (each % OF_EACH, *seen.species.get(each / OF_EACH)?),
        };
        match of {
            0 => Some(means.polarization),
            1 => Some(means.mean_speed),
            2 => (step > 0).then_some(means.mean_neighbors),
            3 => Some(f64::from(seen.bad_agents)),
            _ => None,
        }
    }

    /// The value of a column of exits by its index `of`: agents in the world, agents that have left, then those of each species that have
    /// left.
    fn passed(&self, of: usize, step: u64, seen: &Observation) -> Option<f64> {
        // Agents that are away, except for those that have not entered yet.
        let left = |species: usize| {
            let own = &self.passing[species];
            seen.away[species].saturating_sub(own.count - entered(own, self.dt, step))
        };
        let species = 0..self.passing.len().min(seen.away.len());
        Some(f64::from(match of.checked_sub(OF_EXITS.len()) {
            None if of == 0 => species.map(|index| self.passing[index].count - seen.away[index]).sum::<u32>(),
            None => species.map(left).sum(),
            Some(index) => species.skip(index).map(left).next()?,
        }))
    }

    /// The row after `step` steps of `dt` seconds each.
    pub fn row(&self, step: u64, dt: f32, seen: &Observation) -> Vec<String> {
        let text = |name: &String| match name.as_str() {
            "step" => step.to_string(),
            "time" => time_of(step, dt),
            "digest" => seen.digest_hex(),
            name => self.value(name, step, seen).map_or(String::new(), |value| value.to_string()),
        };
        self.names.iter().map(text).collect()
    }
}
