//! A condition at which the run pauses, as `run --until` has it.

use super::Session;
use super::seen::{Curve, Part, Seen, watched};
use steerling::gpu::GpuError;
use steerling::model::Observation;
use steerling::output::Until;

/// A condition at which the run pauses.
pub struct Trigger {
    text: String,
    /// The condition as parsed, before it saw any values.
    fresh: Until,
    /// The condition with the values that it saw since the latest [`Trigger::rearm`].
    now: Until,
    /// The curve and the part of it that the condition is about; `None` if it is about a column of observations.
    line: Option<(&'static Curve, Part)>,
    /// The first step whose value in that line counts.
    from: u64,
    /// Has it held, without a break? It fires again only after it has not held.
    met: bool,
    /// The latest step whose value was looked at.
    seen: Option<u64>,
    /// The step at which it fired, until [`Session::fired`] takes it.
    fired: Option<u64>,
}

impl Trigger {
    /// Forget the values seen so far, because the run goes on from this step.
    pub fn rearm(&mut self, step: u64) {
        (self.now, self.seen, self.from) = (self.fresh.clone(), None, step);
    }

    /// Look at the values that are new, up to the step `now`, and return the step after which the condition is met, if any. Lines are
    /// not looked at while the run rests or is on its way to a step, because they may have values of later steps.
    fn look(&mut self, seen: &Seen, observed: Option<&(u64, Observation)>, now: u64, rests: bool) -> Option<u64> {
        let Some((curve, part)) = self.line else {
            let (step, seen) = observed?;
            let value = self.now.value(*step, seen);
            return self.sees(*step, value).then_some(*step);
        };
        if rests {
            return None;
        }
        if self.seen.unwrap_or(self.from) > now {
            self.rearm(now);
        }
        // Values measured from snapshots become known some steps late, so start after the latest step looked at.
        let next = self.seen.map_or(self.from, |seen| seen + 1);
        let mut values = seen.line(curve, part, next..now + 1).into_iter();
        values.find(|(step, value)| self.sees(*step, Some(*value))).map(|(step, _)| step)
    }

    /// Look at the value after a step. Returns whether the condition holds now, for as long as it asks, and did not before.
    fn sees(&mut self, step: u64, value: Option<f64>) -> bool {
        if self.seen.is_some_and(|latest| latest >= step) {
            if self.seen != Some(step) {
                self.rearm(step);
            }
            return false;
        }
        self.seen = Some(step);
        let holds = self.now.sees_value(step, value);
        // After going back it may hold, but not yet for long enough: it still counts as held, and does not fire again.
        let before = self.met;
        self.met = holds || before && self.now.holds();
        holds && !before
    }
}

impl Session {
    /// Parse the condition again for changed species, agents or time step. A condition about a species that no longer exists is dropped.
    pub(super) fn watch_again(&mut self) {
        if let Some(trigger) = &self.trigger {
            let text = trigger.text.clone();
            if self.pause_when(&text).is_err() {
                self.trigger = None;
            }
        }
    }

    /// Pause when this condition holds, such as `polarization > 0.9 for 2 s`; an empty text removes the condition.
    ///
    /// # Errors
    /// What is wrong with the text, with the nearest name.
    pub fn pause_when(&mut self, text: &str) -> Result<(), String> {
        self.trigger = match text.trim() {
            "" => None,
            text => {
                let lines = self.past.seen.conditions(&self.scene);
                let names: Vec<String> = lines.iter().map(|(.., name)| name.clone()).collect();
                let fresh = Until::parse_with(text, &watched(&self.scene), &names)?;
                let line = lines.into_iter().find(|(.., name)| name == fresh.name());
                let line = line.map(|(curve, part, _)| (curve, part));
                let (now, from, text) = (fresh.clone(), self.steps(), text.to_owned());
                Some(Trigger { text, fresh, now, line, from, met: false, seen: None, fired: None })
            }
        };
        Ok(())
    }

    /// The condition at which the run pauses.
    pub fn pauses_when(&self) -> Option<&str> {
        self.trigger.as_ref().map(|trigger| trigger.text.as_str())
    }

    /// The condition, and the step after which it was met, if it has paused the run since the last call.
    pub fn fired(&mut self) -> Option<(String, u64)> {
        let trigger = self.trigger.as_mut()?;
        trigger.fired.take().map(|step| (trigger.text.clone(), step))
    }

    /// Record the latest observation, and check the condition. If it is met after some step, the run pauses and goes back to that step.
    pub(super) fn see(&mut self) -> Result<(), GpuError> {
        let (observed, now) = (self.meter.figures.observed.as_ref(), self.simulation.steps());
        if let Some((step, seen)) = observed {
            self.past.seen.observe(*step, seen);
        }
        let rests = self.paused || self.journey.is_some();
        if let Some(trigger) = &mut self.trigger
            && let Some(step) = trigger.look(&self.past.seen, observed, now, rests)
            && !rests
        {
            trigger.fired = Some(step);
            self.go_to(step)?;
        }
        Ok(())
    }
}
