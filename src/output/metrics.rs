//! The observables of a moment as a row: what `metrics.csv` and the table of a sweep hold, and what `--until` may ask for.

use crate::model::Observation;
use crate::scene::Scene;

/// Observables of all agents together. In a scene with several species `polarization`, `mean_speed` and `mean_neighbors` follow for each
/// of them, with a dot and its name.
const OF_ALL: [&str; 5] = ["polarization", "mean_speed", "mean_neighbors", "bad_agents", "digest"];
/// How many of these each species has too.
const OF_EACH: usize = 3;

/// The time after so many steps. Six digits are a thousandth of a step; more would be the noise of the product.
pub(super) fn time_of(step: u64, dt: f32) -> String {
    format!("{:.6}", step as f64 * f64::from(dt))
}

/// The columns of a scene: the common ones, the ones of each species, and what the scene asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    names: Vec<String>,
    /// How many of them the scene asks for.
    asked: usize,
}

impl Columns {
    /// Those of a scene.
    pub fn of(scene: &Scene) -> Columns {
        let several = scene.species.iter().filter(|_| scene.species.len() > 1);
        let each = several.flat_map(|species| OF_ALL[..OF_EACH].iter().map(|name| format!("{name}.{}", species.name)));
        let first = ["step", "time"].into_iter().chain(OF_ALL).map(str::to_owned);
        let asked: Vec<String> = scene.asked().iter().flat_map(|asked| asked.columns(scene)).collect();
        Columns { asked: asked.len(), names: first.chain(each).chain(asked).collect() }
    }

    /// Their names; the first are `step` and `time`.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Names of the columns that hold numbers which are observed.
    pub fn observables(&self) -> impl Iterator<Item = &str> {
        self.names[2..].iter().map(String::as_str).filter(|name| *name != "digest")
    }

    /// What the column of this name holds after so many steps. None where there is no such column, and where nothing was observed:
    /// neighbors are counted by a step, so before the first there are none.
    pub fn value(&self, name: &str, step: u64, seen: &Observation) -> Option<f64> {
        let (column, all) = (self.names.iter().position(|known| known == name)?, 2 + OF_ALL.len());
        if let Some(asked) = column.checked_sub(self.names.len() - self.asked) {
            return seen.asked.get(asked).copied().flatten();
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

    /// The row after so many steps of `dt` seconds.
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
