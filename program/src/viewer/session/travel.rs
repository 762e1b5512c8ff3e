//! Going to a step of the run: from the nearest snapshot before it, with the changes that were made, so it is that step to the bit.

use super::audit::Audits;
use super::past::{Changed, Moment, Past};
use super::seen::Apart;
use super::{Answer, Recasting, Session};
use glam::Vec3;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use steerling::gpu::{GpuError, Simulation};
use steerling::model::State;
use steerling::scene::Draft;

/// Time that a frame may spend on the way.
const FRAME: Duration = Duration::from_millis(30);
/// This share of the way is left where a snapshot is taken, so that the next step back is a short one.
const LEFT: u64 = 8;

/// A way through the run.
pub struct Journey {
    goal: u64,
    /// Has it begun, at a place from where it only goes ahead?
    begun: bool,
    /// Where it lands as soon as the simulation has the values of then; none within for the very start.
    landing: Option<Option<Moment>>,
    /// Where a snapshot is taken.
    mark: u64,
}

impl Session {
    /// The same run once more, with the same record, on a simulation of its own: it is on its way to the step where this one is, so that what
    /// a step leaves beside the state is there too.
    ///
    /// # Errors
    /// There is no room for another simulation.
    pub fn copy(&self) -> Result<Session, GpuError> {
        let scene = self.simulation.scene();
        let pipelines = Arc::clone(self.simulation.pipelines());
        let simulation = Simulation::with_pipelines(self.simulation.gpu(), scene, &State::initial(scene), pipelines)?;
        let journey = Journey { goal: self.steps(), begun: false, landing: Some(None), mark: 0 };
        let (original, told, past) = (self.original.clone(), self.told.clone(), self.past.copy());
        let (journey, audits) = (Some(journey), Audits::unasked());
        Ok(Session { original, told, past, journey, audits, ..Session::at_rest(self.scene.clone(), simulation) })
    }

    /// Pause, and go to a step: back or ahead, with the values that held there.
    pub fn go_to(&mut self, step: u64) -> Result<(), GpuError> {
        let goal = step.max(self.past.span().0);
        self.trigger.iter_mut().for_each(|trigger| trigger.rearm(goal));
        if !self.paused {
            self.set_paused(true)?;
        }
        match &mut self.journey {
            // It may have to turn back.
            Some(journey) => (journey.begun, journey.goal) = (journey.begun && journey.goal == goal, goal),
            None => self.journey = Some(Journey { goal, begun: false, landing: None, mark: 0 }),
        }
        Ok(())
    }

    /// The step that it is on its way to.
    pub fn goal(&self) -> Option<u64> {
        self.journey.as_ref().map(|journey| journey.goal)
    }

    /// Is it on its way to another step, or to values of the record?
    pub fn busy(&self) -> bool {
        self.replays || self.journey.is_some()
    }

    /// Has it the values of a snapshot already, and not yet its state?
    pub(super) fn lands(&self) -> bool {
        self.journey.as_ref().is_some_and(|journey| journey.landing.is_some())
    }

    /// The record of the run.
    pub fn past(&self) -> &Past {
        &self.past
    }

    /// Mark the step of now under a name of its own. Returns that; none where the step was marked, and is no longer.
    pub fn toggle_mark(&mut self) -> Option<String> {
        let (step, marks) = (self.steps(), &mut self.past.marks);
        if marks.remove(&step).is_some() {
            return None;
        }
        let known = |name: &String| marks.values().any(|known| known == name);
        let name = (1u32..).map(|number| format!("Mark {number}")).find(|name| !known(name))?;
        marks.insert(step, name.clone());
        Some(name)
    }

    /// Steps that are marked, and what they are called, in place of those of now.
    pub fn set_marks(&mut self, marks: BTreeMap<u64, String>) {
        self.past.marks = marks;
    }

    /// Call a marked step so; without a name it is marked no longer.
    pub fn rename_mark(&mut self, step: u64, name: Option<String>) {
        match (name, self.past.marks.get_mut(&step)) {
            (Some(name), Some(mark)) => *mark = name,
            _ => drop(self.past.marks.remove(&step)),
        }
    }

    /// Another run is beside this one from now on, or none, as far apart as nothing yet.
    pub fn part(&mut self) {
        self.past.seen.forget_apart();
        self.apart = None;
    }

    /// After this step it was so far apart from the run beside it.
    pub fn come_apart(&mut self, step: u64, Apart { mean, of_each }: Apart) {
        self.past.seen.come_apart(step, mean);
        self.apart = Some(of_each);
    }

    /// Snapshots of the run may take so many MiB.
    pub fn allow_past(&mut self, mebibytes: u32) {
        self.past.allow(mebibytes);
    }

    /// Does the run repeat what is known of it, because it was gone back in?
    pub fn repeats(&self) -> bool {
        self.journey.is_some() || self.past.goes_on(self.steps())
    }

    /// Whatever was behind this step, it is open again.
    pub fn go_on_from_here(&mut self) {
        self.journey = None;
        self.past.cut(self.steps());
    }

    /// Stay where the way has come to.
    pub fn stop(&mut self) -> Result<(), GpuError> {
        // The values of then are under way.
        if self.journey.take_if(|journey| journey.landing.is_none()).is_some() {
            self.observe()?;
        }
        Ok(())
    }

    /// Go on along the way, if there is one, for about a frame. Says whether it has come to its end.
    pub fn travel(&mut self) -> Result<bool, GpuError> {
        let start = Instant::now();
        let mut steps = 1;
        while start.elapsed() < FRAME {
            let Some(Journey { goal, begun, mark, .. }) = self.journey else { return Ok(false) };
            if self.pending.is_some() {
                // What the user changed last comes first, and the panel takes it over.
                if !self.replays {
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
            if now == mark {
                self.past.ask(&self.simulation);
            }
            if now >= goal {
                // Changes at the goal count there.
                if self.replay()? {
                    self.journey = None;
                    self.observe()?;
                    return Ok(true);
                }
                continue;
            }
            let end = if now < mark { mark } else { goal };
            self.take((end - now).min(steps) as u32)?;
            self.simulation.gpu().wait()?;
            steps *= 2;
        }
        Ok(false)
    }

    /// Choose from where the goal is reached soonest: from here, from a snapshot, or from the start.
    fn set_out(&mut self) {
        let Some(journey) = &mut self.journey else { return };
        let (goal, now) = (journey.goal, self.simulation.steps());
        journey.begun = true;
        let from = self.past.before(goal).cloned();
        let at = from.as_ref().map_or(0, |moment| moment.snapshot.steps);
        let begin = if journey.landing.is_none() && now <= goal && at <= now { now } else { at };
        let left = (goal - begin.min(goal)) / LEFT;
        journey.mark = goal - left.max(1).min(goal);
        if begin == now && now <= goal && journey.landing.is_none() {
            return;
        }
        let then = self.past.go_back(from.as_ref());
        journey.landing = Some(from);
        self.meter.forget();
        self.turn_values(then.draft());
    }

    /// Be at a moment of the run, or at its start. The simulation has its values.
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

    /// Make the changes that the record has at this step. Says whether the run may go on at once.
    pub(super) fn replay(&mut self) -> Result<bool, GpuError> {
        while !self.replays {
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
                recast.filter(|_| self.pending.is_some()).map(|recast| Recasting { recast, back: Rc::default() });
        }
        Ok(false)
    }

    /// Take over values of the record, as a change that is no new one.
    fn turn_values(&mut self, then: Draft) {
        let then = self.as_shown(then);
        if let Ok(scene) = then.validate() {
            self.turned |= scene != self.scene;
            self.scene = scene;
        }
        let running = self.simulation.scene();
        let mut same = self.scene.draft();
        (same.mouse, same.look, same.camera) = (running.mouse, running.look, running.camera);
        (same.name, same.source) = (running.name.clone(), running.source.clone());
        if same == **running {
            self.simulation.set_mouse(self.scene.mouse);
            return;
        }
        (self.replays, self.outdated) = (true, true);
        self.begin();
    }

    /// Values of another moment, shown as it is shown now.
    pub(super) fn as_shown(&self, mut draft: Draft) -> Draft {
        let Draft { look, camera, name, source, .. } = self.scene.draft();
        (draft.look, draft.camera, draft.name, draft.source) = (look, camera, name, source);
        draft
    }

    /// The pointer is there now.
    pub(super) fn point(&mut self, mouse: Vec3) -> bool {
        // A point beyond all worlds is left alone.
        let moved = self.scene.with(|draft| draft.mouse = mouse);
        let moved = moved.map(|scene| self.scene = scene).is_ok();
        if moved {
            self.simulation.set_mouse(mouse);
        }
        moved
    }

    /// Were values turned to others of the record since this was asked last?
    pub fn turned(&mut self) -> bool {
        std::mem::take(&mut self.turned)
    }
}
