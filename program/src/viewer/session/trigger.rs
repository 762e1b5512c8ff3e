//! A condition at which the run pauses, as `run --until` has it.

use super::Session;
use super::seen::watched;
use steerling::gpu::GpuError;
use steerling::model::Observation;
use steerling::output::Until;

/// The condition, while it is watched for.
pub struct Trigger {
    text: String,
    fresh: Until,
    now: Until,
    /// Did it hold already? It pauses again when it has not held meanwhile.
    met: bool,
    /// The latest step that was seen.
    seen: Option<u64>,
    /// The step after which it paused, until somebody asks.
    fired: Option<u64>,
}

impl Trigger {
    /// The run goes on from another step: what was seen before does not count.
    pub fn rearm(&mut self) {
        (self.now, self.seen) = (self.fresh.clone(), None);
    }

    /// Does it hold for long enough now, and did not before?
    fn sees(&mut self, step: u64, seen: &Observation) -> bool {
        if self.seen.is_some_and(|latest| latest >= step) {
            if self.seen != Some(step) {
                self.rearm();
            }
            return false;
        }
        self.seen = Some(step);
        let holds = self.now.sees(step, seen);
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
                let fresh = Until::parse(text, &watched(&self.scene))?;
                let now = fresh.clone();
                Some(Trigger { text: text.to_owned(), fresh, now, met: false, seen: None, fired: None })
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

    /// Take an observation into account that has come. Where it meets the condition, the run is led back to the step that it is of.
    pub(super) fn see(&mut self) -> Result<(), GpuError> {
        let Some((step, seen)) = &self.meter.figures.observed else { return Ok(()) };
        self.past.seen.observe(*step, seen);
        let step = *step;
        if let Some(trigger) = &mut self.trigger
            && trigger.sees(step, seen)
            && !self.paused
            && self.journey.is_none()
        {
            trigger.fired = Some(step);
            self.go_to(step)?;
        }
        Ok(())
    }
}
