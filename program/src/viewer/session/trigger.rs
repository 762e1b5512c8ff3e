//! A condition at which the run pauses, as `run --until` has it.

use super::Session;
use super::seen::{Curve, Part, Seen, watched};
use steerling::gpu::GpuError;
use steerling::model::Observation;
use steerling::output::Until;

/// The condition, while it is watched for.
pub struct Trigger {
    text: String,
    fresh: Until,
    now: Until,
    /// What it is about, where that is no column of observations: a curve, and the part of it.
    line: Option<(&'static Curve, Part)>,
    /// Values of that line count from this step on.
    from: u64,
    /// Did it hold already? It pauses again when it has not held meanwhile.
    met: bool,
    /// The latest step that was seen.
    seen: Option<u64>,
    /// The step after which it paused, until somebody asks.
    fired: Option<u64>,
}

impl Trigger {
    /// The run goes on from another step, or is about to: what was seen before does not count.
    pub fn rearm(&mut self, step: u64) {
        (self.now, self.seen, self.from) = (self.fresh.clone(), None, step);
    }

    /// The step after which it is met, among what has come to be known of the steps up to now. A run that rests, or is on its way to a step, may
    /// be behind what is known: then lines wait until it goes on.
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
        // Snapshots come some steps late.
        let next = self.seen.map_or(self.from, |seen| seen + 1);
        let values = seen.line(curve, part, next..now + 1);
        values
            .into_iter()
            .map(|(step, value)| (step, Some(value)))
            .find(|(step, value)| self.sees(*step, *value))
            .map(|(step, _)| step)
    }

    /// Does it hold for long enough now, and did not before?
    fn sees(&mut self, step: u64, value: Option<f64>) -> bool {
        if self.seen.is_some_and(|latest| latest >= step) {
            if self.seen != Some(step) {
                self.rearm(step);
            }
            return false;
        }
        self.seen = Some(step);
        let holds = self.now.sees_value(step, value);
        // After a way back it may hold, and not for long enough yet: that is no new time.
        let before = self.met;
        self.met = holds || before && self.now.holds();
        holds && !before
    }
}

impl Session {
    /// Agents may be others, or as many others: the condition speaks of these now. One of a species that is gone is watched for no more.
    pub(super) fn watch_again(&mut self) {
        if let Some(trigger) = &self.trigger {
            let text = trigger.text.clone();
            if self.pause_when(&text).is_err() {
                self.trigger = None;
            }
        }
    }

    /// Pause when this holds, such as `polarization > 0.9 for 2 s`; an empty text watches for nothing.
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

    /// The condition that is watched for.
    pub fn pauses_when(&self) -> Option<&str> {
        self.trigger.as_ref().map(|trigger| trigger.text.as_str())
    }

    /// The condition that has paused it and the step after which it held, since that was asked last.
    pub fn fired(&mut self) -> Option<(String, u64)> {
        let trigger = self.trigger.as_mut()?;
        trigger.fired.take().map(|step| (trigger.text.clone(), step))
    }

    /// Take into account what has come to be known. Where it meets the condition, the run is led back to the step that it is of.
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
