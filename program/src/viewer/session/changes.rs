//! How a session changes: values that are tuned, tried, undone and redone.

use super::super::format::{grouped, readable};
use super::past::Changed;
use super::{Recasting, Session};
use crate::viewer::gallery::{file_of, is_preset};
use crate::viewer::history::{History, StateUndo, UndoEntry};
use crate::viewer::trailing::Laid;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use steerling::gpu::GpuError;
use steerling::model::{Change, Recast};
use steerling::scene::{Draft, Override, Scene, SceneError, TrailFile};

/// Whether a change was accepted.
#[derive(Debug, PartialEq)]
pub enum Answer {
    /// It was accepted.
    Accepted,
    /// It was not, for this reason; everything is as before.
    Refused(String),
}

impl Session {
    /// Restart with the next seed, as one undoable change. Refused if the scene is invalid with that seed: a generated city may leave no
    /// room where agents start.
    pub fn new_seed(&mut self) -> Result<Answer, GpuError> {
        let seed = self.scene.seed.wrapping_add(1);
        if let Err(error) = self.scene.edit(reseeded(seed)) {
            return Ok(Answer::Refused(refusal(&error)));
        }
        self.history.record(self.was(), false);
        self.restart(seed)?;
        Ok(Answer::Accepted)
    }

    /// Does the scene have unsaved changes? Seed, pointer and look do not count.
    pub fn tuned(&self) -> bool {
        if self.is_rewritten() {
            return true;
        }
        let mut was = self.original.draft();
        (was.seed, was.mouse, was.look) = (self.scene.seed, self.scene.mouse, self.scene.look);
        was.source.clone_from(&self.scene.source);
        was != *self.scene
    }

    /// Does the scene have another text than was last read or saved, such as one with other species?
    fn is_rewritten(&self) -> bool {
        self.original.source.text != self.saved_text
    }

    /// Is the scene's text, of which its values are changes, in no file and no preset?
    pub fn is_unwritten(&self) -> bool {
        self.is_rewritten() || !is_preset(&self.original) && file_of(&self.original).is_none()
    }

    /// The present scene with some changes on top, and true. If that is invalid, or if the changes set a number of agents, which only
    /// fits the world of the file: the file's scene with the changes. The bool is then false if unsaved changes are lost.
    ///
    /// # Errors
    /// A change that is invalid by itself.
    pub fn tried(&self, changes: &[String]) -> Result<(Draft, bool), SceneError> {
        let now = &self.scene;
        let changes = changes.iter().map(|change| change.parse()).collect::<Result<Vec<Override>, _>>()?;
        let source = &self.original.source;
        let plain = Scene::parse(&source.text, &source.origin, &[])?;
        let alone = Scene::parse(&source.text, &source.origin, &changes)?;
        let together = || {
            let all: Vec<_> = now.changes().ok()?.into_iter().chain(changes.iter().cloned()).collect();
            Scene::parse(&source.text, &source.origin, &all).ok()
        };
        let same_agents = alone.agent_count() == plain.agent_count();
        let (tried, keeps) = match together().filter(|_| same_agents) {
            Some(scene) => (scene, true),
            // The window may have started fewer agents than the file has.
            None if same_agents => (alone.with_agents(now.agent_count())?, false),
            None => (alone, false),
        };
        let mut draft = tried.draft();
        (draft.seed, draft.look, draft.camera) = (now.seed, now.look, now.camera);
        draft.source = now.source.clone();
        Ok((self.with_pointer(draft), keeps || !self.tuned()))
    }

    /// The scene was saved to a file, as `scene`: from now on that is what sliders reset to.
    pub fn kept(&mut self, scene: Scene) {
        self.saved_text.clone_from(&scene.source.text);
        self.original = scene.clone();
        self.scene = scene;
    }

    /// Take over the scene's edited file, with the user's changes on top, as one undoable change. `before` is the scene of the file
    /// before the edit. The bool is false if the user's changes cannot be combined with the new file and were dropped.
    pub fn reread(&mut self, before: &Scene, file: &Scene) -> Result<(Answer, bool), GpuError> {
        let now = &self.scene;
        let resized = |scene: Scene, like: &Scene| match like.agent_count() == before.agent_count() {
            true => Ok(scene),
            false => scene.with_agents(like.agent_count()),
        };
        // A scene with other species than its file cannot be expressed as changes of that file.
        let rewritten = self.is_rewritten();
        let original = match if rewritten { Ok(file.clone()) } else { resized(file.clone(), &self.original) } {
            Ok(original) => original,
            Err(error) => return Ok((Answer::Refused(refusal(&error)), true)),
        };
        let together = || {
            let mut plain = now.with_agents_of(&self.original)?.draft();
            (plain.mouse, plain.camera) = (self.original.mouse, self.original.camera);
            let changes = plain.changed_since(&self.original).into_iter();
            let changes = changes.map(|(key, value)| Override { key, value });
            let all: Vec<_> = file.source.overrides.iter().cloned().chain(changes).collect();
            resized(Scene::parse(&file.source.text, &file.source.origin, &all)?, now)
        };
        let together = if rewritten { None } else { together().ok() };
        let (scene, keeps) = together.map_or((original.clone(), false), |scene: Scene| (scene, true));
        let mut draft = self.with_pointer(scene.draft());
        // Seed and look of the window stay, unless the edit changed them in the file.
        if file.seed == before.seed {
            draft.seed = now.seed;
        }
        if file.look == before.look {
            draft.look = now.look;
        }
        let (was, text) = (self.was(), file.source.text.clone());
        let base = (self.original.clone(), self.saved_text.clone());
        let original = original.edit(|original| {
            (original.seed, original.look) = (draft.seed, draft.look);
            Ok(())
        });
        let answer = self.turn_into(draft, was, false)?;
        if answer == Answer::Accepted {
            self.saved_text = text;
            // An original that is invalid with the present seed stays as it was.
            self.original = original.unwrap_or_else(|_| self.original.clone());
            self.base_before = self.changing().then_some(base);
        }
        Ok((answer, keeps))
    }

    /// Take over values that the user changed. While `held` (a slider is dragged), further changes belong to the same undo.
    pub fn tune(&mut self, draft: Draft, held: bool) -> Result<Answer, GpuError> {
        let before = self.was();
        self.turn_into(draft, before, held)
    }

    /// Take these values over, and record `before` in the history.
    fn turn_into(&mut self, draft: Draft, before: UndoEntry, held: bool) -> Result<Answer, GpuError> {
        if draft == before.draft {
            return Ok(Answer::Accepted);
        }
        let answer = self.take_over(draft)?;
        if answer == Answer::Accepted {
            self.history.record(before, held);
        }
        Ok(answer)
    }

    /// Go on with a scene of another text, such as one with a species more: from now on sliders reset to its values. It is one undoable
    /// change.
    pub fn rewrite(&mut self, scene: &Scene) -> Result<Answer, GpuError> {
        let (before, mouse) = (self.was(), self.scene.mouse);
        let answer = self.turn_into(Draft { mouse, ..scene.draft() }, before, false)?;
        if answer == Answer::Accepted {
            self.original = scene.clone();
        }
        Ok(answer)
    }

    fn was(&self) -> UndoEntry {
        UndoEntry { draft: self.scene.draft(), original: self.original.clone(), state_undo: Rc::default() }
    }

    /// Let agents join or erase some: `scene` has their new number. It is one undoable change, and part of the record. While the brush is
    /// `held`, further agents belong to the same undo.
    pub fn recast(&mut self, scene: Scene, recast: Recast, held: bool) -> Result<Answer, GpuError> {
        if self.changing() {
            return Ok(Answer::Refused("Nothing was changed: wait until the current change is complete".to_owned()));
        }
        let before = self.was();
        let state_undo = self.history.going_on().filter(|_| held).unwrap_or_else(|| Rc::clone(&before.state_undo));
        let answer = self.change(scene.draft());
        if answer == Answer::Accepted {
            self.recasting = Some(Recasting { recast: Arc::new(recast), state_undo });
            if !held {
                self.history.close();
            }
            self.history.record(before, held);
        }
        Ok(answer)
    }

    /// Lay units of the trail on the ground, or take some away, and make `begun` the trail that the scene begins with. It is one undoable
    /// change, and part of the record.
    pub fn lay_trail(&mut self, laid: Laid, begun: TrailFile) -> Result<Answer, GpuError> {
        let busy = self.recasting.is_some() || self.journey.is_some() || self.change_from_record;
        if busy || !self.simulation.model().has_trail() {
            return Ok(Answer::Refused("Nothing was changed: no trail can be laid now".to_owned()));
        }
        let (before, step) = (self.was(), self.steps());
        let mut draft = self.scene.draft();
        draft.ground.iter_mut().for_each(|ground| ground.trail = Some(begun.clone()));
        let begins_alike = Laid::between(&self.scene, &draft).is_empty();
        if !begins_alike && let Answer::Refused(why) = self.change(draft) {
            return Ok(Answer::Refused(why));
        }
        let done = laid.lay(&mut self.simulation)?;
        if done.is_empty() && begins_alike {
            return Ok(Answer::Refused("There is no trail here that can be erased".to_owned()));
        }
        *before.state_undo.borrow_mut() = Some(StateUndo::Trail(step, done.taken_back()));
        self.past.change(step, Changed::Trail(Arc::new(done)));
        self.history.close();
        self.history.record(before, false);
        Ok(Answer::Accepted)
    }

    /// Replace this run and its values by another run, and keep the undo history. One undo brings back the latest values of this run: those
    /// at the end of its record, if it had gone back. Returns whether they differ from those of the other run.
    pub fn give_way_to(&mut self, other: Session) -> bool {
        self.drop_changes();
        let mut gone = std::mem::replace(self, other);
        let was = UndoEntry { draft: gone.latest(), ..gone.was() };
        (self.pace, self.pause_at, self.trigger) = (gone.pace, gone.pause_at, gone.trigger.take());
        self.audits = std::mem::take(&mut gone.audits);
        self.audits.forget();
        if names(&gone.original) == names(&self.scene) {
            self.original = was.original.clone();
        }
        self.saved_text.clone_from(&gone.saved_text);
        let [before, now] = [was.draft.clone(), self.latest()].map(|draft| self.with_pointer(self.as_shown(draft)));
        let others = before != now;
        self.history = std::mem::take(&mut gone.history);
        if others {
            self.history.record(was, false);
        }
        others
    }

    /// The present values, or if the run has gone back, those at the end of its record.
    fn latest(&self) -> Draft {
        if self.repeats() { self.past.last_scene().draft() } else { self.scene.draft() }
    }

    /// Undo the latest change. False if there is none, and on the way to another step.
    pub fn undo(&mut self) -> Result<bool, GpuError> {
        self.turn_by(History::undo)
    }

    /// Redo the change that was undone last. False if there is none, and on the way to another step.
    pub fn redo(&mut self) -> Result<bool, GpuError> {
        self.turn_by(History::redo)
    }

    fn turn_by(&mut self, turn: fn(&mut History, UndoEntry) -> Option<UndoEntry>) -> Result<bool, GpuError> {
        if self.busy() {
            return Ok(false);
        }
        // Undoing a change of agents needs the state after that change: wait until the change under way is applied.
        while self.changing() && (self.recasting.is_some() || self.history.recasts()) {
            self.arrive()?;
            std::thread::sleep(Duration::from_micros(200));
        }
        // If the run has gone back, it may have these values already: then go on to the next entry of the history.
        loop {
            let now = self.was();
            let forth = Rc::clone(&now.state_undo);
            let Some(UndoEntry { draft, original, state_undo }) = turn(&mut self.history, now) else {
                return Ok(false);
            };
            let state_undo = state_undo.borrow().clone();
            // A stroke laid in an earlier run is part of this run's trail from step 0.
            let (laid_at, laid) = match &state_undo {
                Some(StateUndo::Trail(laid_at, laid)) => (*laid_at, laid.clone()),
                _ => (0, Laid::between(&self.scene, &draft)),
            };
            let step = self.steps();
            let laid = laid.faded(step.saturating_sub(laid_at), &self.scene);
            // If the run has gone back before the stroke, its units are not on the ground.
            let lays = step >= laid_at && !laid.is_empty();
            if lays {
                let done = laid.lay(&mut self.simulation)?;
                *forth.borrow_mut() = Some(StateUndo::Trail(step, done.taken_back()));
                self.past.change(step, Changed::Trail(Arc::new(done)));
            }
            if self.as_shown(draft.clone()) != self.as_shown(self.scene.draft()) {
                let turned = self.turn_to(draft, original)?;
                if let Some(StateUndo::Agents(recast)) = state_undo.filter(|_| turned && self.changing()) {
                    self.recasting = Some(Recasting { recast: Arc::new(recast), state_undo: forth });
                }
                return Ok(turned || lays);
            }
            if lays {
                return Ok(true);
            }
        }
    }

    fn turn_to(&mut self, draft: Draft, original: Scene) -> Result<bool, GpuError> {
        // Look, camera, name, source and pointer are no values to undo: keep the present ones.
        let mut draft = self.with_pointer(self.as_shown(draft));
        // The original must have the same species as the scene. Only if these change does it come from the history too.
        let others = names(&draft) != names(&self.original);
        if others {
            draft.source = original.source.clone();
        }
        let turned = self.take_over(draft)? == Answer::Accepted;
        if turned && others {
            self.original = original.with(|draft| (draft.seed, draft.look) = (self.scene.seed, self.scene.look))?;
        }
        Ok(turned)
    }

    /// The draft with the present place of the pointer; in a world of another size, where that may lie outside, with its own.
    fn with_pointer(&self, draft: Draft) -> Draft {
        let mouse = if draft.world.size == self.scene.world.size { self.scene.mouse } else { draft.mouse };
        Draft { mouse, ..draft }
    }

    /// Clean up after a change that could not be run, once `scene` is as before it: restore the original, if the change had replaced it,
    /// and drop the change's entry from the history.
    pub(super) fn give_up(&mut self) {
        if let Some((original, text)) = self.base_before.take() {
            (self.original, self.saved_text) = (original, text);
        } else if let Some(was) = self.history.latest()
            && names(&self.original) != names(&self.scene)
            && names(&was.original) == names(&self.scene)
        {
            self.original = was.original.clone();
        }
        let values = |draft: &Draft| self.with_pointer(self.as_shown(draft.clone()));
        if self.history.latest().is_some_and(|was| values(&was.draft) == values(&self.scene)) {
            self.history.forget_latest();
        }
    }

    /// Change to these values, and restart if the seed differs, or the time step: the time of a step is its number times the time step.
    fn take_over(&mut self, draft: Draft) -> Result<Answer, GpuError> {
        let seed = draft.seed;
        let restarts = (seed, draft.dt) != (self.scene.seed, self.scene.dt);
        let answer = self.change(draft);
        if answer == Answer::Accepted && restarts {
            self.restart(seed)?;
            self.watch_again();
        }
        Ok(answer)
    }

    /// Begin to take over changed values. The run goes on with the old ones until [`Session::arrive`] says that the new ones are
    /// ready, or why they cannot be used. Values that make no valid scene are refused at once.
    ///
    /// The run differs from now on, so what the record has after the present step is dropped.
    pub fn change(&mut self, draft: Draft) -> Answer {
        if self.busy() {
            let goal = grouped(self.goal().unwrap_or(self.steps()));
            return Answer::Refused(format!("Nothing was changed: wait until the run has gone to step {goal}"));
        }
        match draft.validate() {
            Ok(scene) if scene == self.scene => return Answer::Accepted,
            Ok(scene) => self.scene = scene,
            Err(error) => return Answer::Refused(refusal(&error)),
        }
        self.past.truncate_after(self.steps());
        self.outdated = true;
        self.begin();
        Answer::Accepted
    }

    /// Prepare the latest change, if none is under way.
    pub(super) fn begin(&mut self) {
        if self.pending.is_none() && std::mem::take(&mut self.outdated) {
            let preparation = self.simulation.prepare(&self.scene);
            self.pending = Some(std::thread::spawn(move || preparation.run()));
        }
    }

    /// Is a change under way?
    pub fn changing(&self) -> bool {
        self.pending.is_some()
    }

    /// Apply a change that is prepared; `None` if none is ready. If it is refused, the old values stay.
    pub fn arrive(&mut self) -> Result<Option<Answer>, GpuError> {
        let Some(pending) = self.pending.take_if(|pending| pending.is_finished()) else { return Ok(None) };
        let prepared = pending.join().unwrap_or_else(|_| Err(GpuError::Device("the compiler failed".to_owned())));
        let recasting = self.recasting.take();
        let before = recasting.as_ref().map(|_| self.simulation.snapshot()).transpose()?;
        let applied = prepared.and_then(|prepared| self.simulation.apply(prepared));
        // The state goes on with the agents that joined or were erased, if the recast still fits the number of agents.
        let recast =
            recasting.zip(before).filter(|_| matches!(applied, Ok(Change::Restart))).and_then(|(to, before)| {
                let (snapshot, back) =
                    before.recast(&to.recast, self.simulation.scene(), self.simulation.model()).ok()?;
                // A snapshot that is no state of this scene is dropped: then the run starts anew.
                self.simulation.restore(&snapshot).ok()?;
                let mut undo = to.state_undo.borrow_mut();
                let both = match &*undo {
                    Some(StateUndo::Agents(before)) => back.then(before).unwrap_or(back),
                    _ => back,
                };
                *undo = Some(StateUndo::Agents(both));
                drop(undo);
                Some((to.recast, snapshot))
            });
        if recast.is_some() {
            self.meter.forget();
            self.audits.forget();
            self.errors = None;
        }
        let change_from_record = std::mem::take(&mut self.change_from_record);
        if let Err(error) = applied {
            self.simulation.gpu().check()?;
            if !self.outdated {
                let mut values = self.simulation.scene().draft();
                // Look, camera, name and source stay.
                if names(&values) == names(&self.scene) {
                    values = self.as_shown(values);
                }
                self.scene = values.validate().unwrap_or_else(|_| self.simulation.scene().clone());
                self.give_up();
            }
            self.begin();
            let why = match error {
                GpuError::Scene(error) => refusal(&error),
                GpuError::TooLarge { agents, fits, .. } | GpuError::OutOfMemory { agents, fits, .. } => {
                    let [agents, fits] = [agents, fits].map(|count| grouped(count.into()));
                    format!("{agents} agents do not fit into the memory of this device; up to {fits} do")
                }
                error => error.to_string(),
            };
            return Ok(Some(Answer::Refused(why)));
        }
        self.base_before = None;
        // The pointer may have moved meanwhile.
        let mouse = self.scene.mouse;
        self.simulation.set_mouse(mouse);
        let scene = self.simulation.scene().with(|draft| draft.mouse = mouse)?;
        if recast.is_none() && !change_from_record && applied.is_ok_and(|change| change == Change::Restart) {
            self.meter.forget();
            self.audits.forget();
            self.trouble = None;
            self.past.begin_anew(&scene);
            self.history.forget_states();
            self.watch_again();
            self.warm_up()?;
            self.rest();
        } else if !change_from_record {
            self.past.change(self.steps(), Changed::Scene(Box::new(scene), recast.map(|(recast, _)| recast)));
        }
        self.meter.set_simulation(&self.simulation);
        if self.paused && self.journey.is_none() {
            self.observe()?;
        }
        self.begin();
        Ok(Some(Answer::Accepted))
    }
}

/// An edit that sets the seed of a scene.
pub(super) fn reseeded(seed: u32) -> impl Fn(&mut Draft) -> Result<(), SceneError> {
    move |draft| {
        draft.seed = seed;
        Ok(())
    }
}

/// The names of the species.
pub fn names(scene: &Draft) -> Vec<&str> {
    scene.species.iter().map(|species| species.name.as_str()).collect()
}

/// Why a change was refused, for the user. It names the key of the error, which may be another than the changed one, as the panel does.
pub fn refusal(error: &SceneError) -> String {
    let name = error.key.rsplit('.').next().map(readable).unwrap_or_default();
    format!("Nothing was changed: {name} {}", error.message)
}
