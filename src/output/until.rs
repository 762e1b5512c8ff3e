//! Conditions that end a run, such as `polarization > 0.9 for 2 s`: `run --until` ends when one is met, and the window pauses.

use super::metrics::Columns;
use crate::model::Observation;
use crate::scene::{OBSERVABLES, Observable, Requested, Scene, shorten, suggest};

/// A condition on an observable, which must hold in each row for some time.
#[derive(Debug, Clone, PartialEq)]
pub struct Until {
    columns: Columns,
    name: String,
    compare: Compare,
    bound: f64,
    /// Steps for which it must hold.
    steps: u64,
    /// The step since which it has held; `None` if it does not hold now.
    since: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Compare {
    Above,
    AtLeast,
    Below,
    AtMost,
}

/// The signs of comparisons, the longer ones first, because they begin with the shorter.
const COMPARE: [(&str, Compare); 4] =
    [(">=", Compare::AtLeast), ("<=", Compare::AtMost), (">", Compare::Above), ("<", Compare::Below)];

/// The syntax of a condition, for error messages.
const FORM: &str = "write OBSERVABLE > NUMBER, with >, >=, < or <=, optionally followed by `for 2 s` or `for 100 \
    steps`";

impl Until {
    /// Read a condition for a scene.
    ///
    /// # Errors
    /// What is wrong with the text, with the nearest name.
    pub fn parse(text: &str, scene: &Scene) -> Result<Until, String> {
        Until::parse_with(text, scene, &[])
    }

    /// As [`Until::parse`], but `more` names are allowed, of numbers that an observation does not have. The caller passes their
    /// values to [`Until::sees_value`].
    ///
    /// # Errors
    /// What is wrong with the text, with the nearest name.
    pub fn parse_with(text: &str, scene: &Scene, more: &[String]) -> Result<Until, String> {
        let columns = Columns::of(scene);
        let found = COMPARE.iter().filter_map(|(sign, compare)| Some((text.find(sign)?, *sign, *compare)));
        // The first sign in the text; of two at the same place, the longer one.
        let found = found.min_by_key(|(place, sign, _)| (*place, 2 - sign.len()));
        let (place, sign, compare) = found.ok_or_else(|| format!("there is no comparison; {FORM}"))?;
        let (name, rest) = (text[..place].trim(), text[place + sign.len()..].trim());
        let known: Vec<&str> = columns.observables().chain(more.iter().map(String::as_str)).collect();
        if !known.contains(&name) {
            if let Some(observable) = observable_of(name, scene) {
                let asked = scene.observe.split(',').map(str::trim).filter(|word| !word.is_empty());
                let list = asked.chain([observable]).collect::<Vec<_>>().join(",");
                return Err(format!("`{name}` is not observed in this run: add --observe {list}"));
            }
            return Err(format!("`{}` is no observable of this scene; {}", shorten(name, 60), suggest(name, &known)));
        }
        let (bound, time) = match rest.split_once(" for ") {
            Some((bound, time)) => (bound.trim(), Some(time.trim())),
            None => (rest, None),
        };
        let bound = finite(bound).ok_or_else(|| format!("`{bound}` is no number; {FORM}"))?;
        let steps = time.map_or(Ok(0), |time| steps_of(time, scene.dt))?;
        Ok(Until { name: name.to_owned(), columns, compare, bound, steps, since: None })
    }

    /// Take a row into account. Returns true if the condition has held long enough.
    pub fn sees(&mut self, step: u64, seen: &Observation) -> bool {
        self.sees_value(step, self.value(step, seen))
    }

    /// The value of the condition's observable in a row; `None` if the observation does not have it.
    pub fn value(&self, step: u64, seen: &Observation) -> Option<f64> {
        self.columns.value(&self.name, step, seen)
    }

    /// Take into account the value of the observable after this step. Returns true if the condition has held long enough.
    pub fn sees_value(&mut self, step: u64, value: Option<f64>) -> bool {
        let holds = value.is_some_and(|value| match self.compare {
            Compare::Above => value > self.bound,
            Compare::AtLeast => value >= self.bound,
            Compare::Below => value < self.bound,
            Compare::AtMost => value <= self.bound,
        });
        self.since = holds.then(|| self.since.unwrap_or(step));
        self.since.is_some_and(|since| step - since >= self.steps)
    }

    /// The name of the observable.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Does the condition hold now, for however long?
    pub fn holds(&self) -> bool {
        self.since.is_some()
    }
}

/// The observable that a scene has to ask for to have this column.
fn observable_of(column: &str, scene: &Scene) -> Option<&'static str> {
    let has = |observable: &&'static Observable| {
        Requested { observable, distance: 0.0 }.columns(scene).iter().any(|name| name == column)
    };
    OBSERVABLES.iter().find(has).map(|observable| observable.name())
}

fn finite(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// `2 s` or `100 steps`, in steps.
fn steps_of(time: &str, dt: f32) -> Result<u64, String> {
    let fault = || format!("`{time}` is no time; write `2 s` or `100 steps`");
    let (number, unit) = time.split_at(time.find(|c: char| c.is_alphabetic()).ok_or_else(fault)?);
    let number = finite(number.trim()).filter(|number| (0.0..=1e12).contains(number)).ok_or_else(fault)?;
    match unit {
        // As many steps as the time takes; 1e-4 less, so that a rounding error does not cost another step.
        "s" => Ok((number / f64::from(dt) - 1e-4).ceil().max(0.0) as u64),
        "step" | "steps" if number.fract() == 0.0 => Ok(number as u64),
        _ => Err(fault()),
    }
}
