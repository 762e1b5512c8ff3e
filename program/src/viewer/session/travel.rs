//! Going to a step of the run: computed again from the nearest snapshot before it, with the recorded changes, so it is equal to the bit.

use super::audit::Audits;
use super::past::{Changed, Moment, Past, show_as};
use super::seen::Divergence;
use super::{Answer, Recasting, Session};
use crate::viewer::format::free_name;
use glam::Vec3;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use steerling::gpu::{GpuError, Simulation};
use steerling::model::State;
use steerling::scene::Draft;

/// Time that a frame may spend on the way to a step.
const FRAME: Duration = Duration::from_millis(30);
/// A snapshot is taken where 1/`LEFT` of the way is left, so that the next step back is short.
const LEFT: u64 = 8;

/// A way to another step of the run.
pub struct Journey {
    goal: u64,
    /// Is the starting point chosen? From there it only goes ahead.
    begun: bool,
    /// The snapshot to restore as soon as the simulation has its values; `Some(None)`: the start of the run. `None`: nothing to restore.
    landing: Option<Option<Moment>>,
    /// The step at which a snapshot is taken.
    snapshot_at: u64,
}

impl Session {
    /// A second run with the same record, on a simulation of its own. It is on its way to the step of this run, which it computes again so
    /// that it also has what a step leaves in buffers beside the state.
    ///
    /// # Errors
    /// The device has no memory for another simulation.
    pub fn copy(&self) -> Result<Session, GpuError> {
        let scene = self.simulation.scene();
        let pipelines = Arc::clone(self.simulation.pipelines());
        let simulation = Simulation::with_pipelines(self.simulation.gpu(), scene, &State::initial(scene), pipelines)?;
        let journey = Journey { goal: self.steps(), begun: false, landing: Some(None), snapshot_at: 0 };
        let (original, saved_text, past) = (self.original.clone(), self.saved_text.clone(), self.past.copy());
        let (journey, audits) = (Some(journey), Audits::disabled());
        Ok(Session { original, saved_text, past, journey, audits, ..Session::at_rest(self.scene.clone(), simulation) })
    }

    /// Pause, and go to a step: back or ahead, with the values that held there.
    pub fn go_to(&mut self, step: u64) -> Result<(), GpuError> {
        let goal = step.max(self.past.span().0);
        self.trigger.iter_mut().for_each(|trigger| trigger.rearm(goal));
        if !self.paused {
            self.set_paused(true)?;
        }
        match &mut self.journey {
            // The new goal may lie behind: choose the starting point again.
            Some(journey) => (journey.begun, journey.goal) = (journey.begun && journey.goal == goal, goal),
            None => self.journey = Some(Journey { goal, begun: false, landing: None, snapshot_at: 0 }),
        }
        Ok(())
    }

    /// The step that it is on its way to.
    pub fn goal(&self) -> Option<u64> {
        self.journey.as_ref().map(|journey| journey.goal)
    }

    /// Is it on its way to another step, or to values of the record?
    pub fn busy(&self) -> bool {
        self.change_from_record || self.journey.is_some()
    }

    /// Is a snapshot of the way still to be restored, so that values and state do not match?
    pub(super) fn lands(&self) -> bool {
        self.journey.as_ref().is_some_and(|journey| journey.landing.is_some())
    }

    /// The record of the run.
    pub fn past(&self) -> &Past {
        &self.past
    }

    /// Mark the present step, or remove its mark. Returns the name of a new mark; `None` if a mark was removed.
    pub fn toggle_mark(&mut self) -> Option<String> {
        let (step, marks) = (self.steps(), &mut self.past.marks);
        if marks.remove(&step).is_some() {
            return None;
        }
        let name = free_name("Mark", 1, marks.values());
        marks.insert(step, name.clone());
        Some(name)
    }

    /// Replace the marks: steps and their names.
    pub fn set_marks(&mut self, marks: BTreeMap<u64, String>) {
        self.past.marks = marks;
    }

    /// Rename a mark; without a name, remove it.
    pub fn rename_mark(&mut self, step: u64, name: Option<String>) {
        match (name, self.past.marks.get_mut(&step)) {
            (Some(name), Some(mark)) => *mark = name,
            _ => drop(self.past.marks.remove(&step)),
        }
    }

    /// Forget the distances to the run beside, because another run or none is beside this one from now on.
    pub fn forget_divergence(&mut self) {
        self.past.seen.forget_divergence();
        self.divergence = None;
    }

    /// Record how far this run and the one beside it were apart after a step.
    pub fn record_divergence(&mut self, step: u64, Divergence { mean, of_each }: Divergence) {
        self.past.seen.record_divergence(step, mean);
        self.divergence = Some(of_each);
    }

    /// Set the memory that snapshots and changes of the run may take, MiB.
    pub fn allow_past(&mut self, mebibytes: u32) {
        self.past.allow(mebibytes);
    }

    /// Has the run gone back, so that it repeats steps or changes of its record?
    pub fn repeats(&self) -> bool {
        self.journey.is_some() || self.past.goes_on(self.steps())
    }

    /// Drop the record after the present step, so that the run goes on without it.
    pub fn go_on_from_here(&mut self) {
        self.journey = None;
        self.past.truncate_after(self.steps());
    }

    /// Stop on the way to another step, at the present one.
    pub fn stop(&mut self) -> Result<(), GpuError> {
        // A landing must be completed first: values and state do not match until then.
        if self.journey.take_if(|journey| journey.landing.is_none()).is_some() {
            self.observe()?;
        }
        Ok(())
    }

    /// Go on along the way to another step, if there is one, for at most about [`FRAME`]. Returns whether it is complete, or was given up.
    pub fn travel(&mut self) -> Result<bool, GpuError> {
        let start = Instant::now();
        let mut steps = 1;
        while start.elapsed() < FRAME {
            let Some(Journey { goal, begun, snapshot_at, .. }) = self.journey else { return Ok(false) };
            if self.pending.is_some() {
                // The user's latest change must be applied first; the window does that, to show its answer.
                if !self.change_from_record {
                    return Ok(false);
                }
                if let Some(Answer::Refused(why)) = self.arrive()? {
                    (self.journey, self.trouble) = (None, Some(why));
                    return Ok(true);
                }
                std::thread::sleep(Duration::from_micros(200));
                continue;
            }
            if !begun {
                self.set_out();
                continue;
            }
            if let Some(landing) = self.journey.as_mut().and_then(|journey| journey.landing.take()) {
                self.land(landing)?;
                continue;
            }
            let now = self.steps();
            if now == snapshot_at {
                self.past.ask(&self.simulation);
            }
            if now >= goal {
                // Also make the changes that were recorded at the goal itself.
                if self.replay()? {
                    self.journey = None;
                    self.observe()?;
                    return Ok(true);
                }
                continue;
            }
            let end = if now < snapshot_at { snapshot_at } else { goal };
            self.take((end - now).min(steps) as u32)?;
            self.simulation.gpu().wait()?;
            steps *= 2;
        }
        Ok(false)
    }

    /// Choose where to start so that the goal is reached soonest: from here, from a snapshot, or from the start.
    fn set_out(&mut self) {
        let Some(journey) = &mut self.journey else { return };
        let (goal, now) = (journey.goal, self.simulation.steps());
        journey.begun = true;
        let from = self.past.before(goal).cloned();
        let at = from.as_ref().map_or(0, |moment| moment.snapshot.steps);
        let begin = if journey.landing.is_none() && now <= goal && at <= now { now } else { at };
        let left = (goal - begin.min(goal)) / LEFT;
        journey.snapshot_at = goal - left.max(1).min(goal);
        if begin == now && now <= goal && journey.landing.is_none() {
            return;
        }
        let then = self.past.go_back(from.as_ref());
        journey.landing = Some(from);
        self.meter.forget();
        self.turn_values(then.draft());
    }

    /// Restore a snapshot, or the start of the run. The simulation has the matching values already.
    fn land(&mut self, at: Option<Moment>) -> Result<(), GpuError> {
        match at {
            Some(moment) => self.simulation.restore(&moment.snapshot)?,
            None => {
                let state = State::initial(&self.scene);
                self.simulation.set_state(&state)?;
            }
        }
        self.errors = None;
        self.audits.forget();
        self.rest();
        Ok(())
    }

    /// Make the changes that the record has at this step. Returns false while one of them is still being compiled.
    pub(super) fn replay(&mut self) -> Result<bool, GpuError> {
        while !self.change_from_record {
            let (then, recast) = match self.past.take_change(self.simulation.steps()) {
                None => return Ok(true),
                Some(Changed::Mouse(mouse)) => {
                    let mouse = *mouse;
                    self.point(mouse);
                    continue;
                }
                Some(Changed::Trail(laid)) => {
                    let laid = Arc::clone(laid);
                    laid.lay(&mut self.simulation)?;
                    continue;
                }
                Some(Changed::Scene(scene, recast)) => (scene.draft(), recast.clone()),
            };
            self.turn_values(then);
            self.recasting =
                recast.filter(|_| self.pending.is_some()).map(|recast| Recasting { recast, state_undo: Rc::default() });
        }
        Ok(false)
    }

    /// Take over values of the record, without recording a new change.
    fn turn_values(&mut self, then: Draft) {
        let then = self.as_shown(then);
        if let Ok(scene) = then.validate() {
            self.values_replayed |= scene != self.scene;
            self.scene = scene;
        }
        let running = self.simulation.scene();
        let mut same = self.scene.draft();
        same.mouse = running.mouse;
        show_as(&mut same, running);
        if same == **running {
            self.simulation.set_mouse(self.scene.mouse);
            return;
        }
        (self.change_from_record, self.outdated) = (true, true);
        self.begin();
    }

    /// The draft with the present look, camera, name and source.
    pub(super) fn as_shown(&self, mut draft: Draft) -> Draft {
        show_as(&mut draft, &self.scene);
        draft
    }

    /// Move the pointer there. Returns false if the scene does not allow that place.
    pub(super) fn point(&mut self, mouse: Vec3) -> bool {
        // A place outside of what a scene may have is ignored.
        let moved = self.scene.with(|draft| draft.mouse = mouse);
        let moved = moved.map(|scene| self.scene = scene).is_ok();
        if moved {
            self.simulation.set_mouse(mouse);
        }
        moved
    }

    /// Did values of the record replace those of the scene, since the last call?
    pub fn values_replayed(&mut self) -> bool {
        std::mem::take(&mut self.values_replayed)
    }
}
