//! A simulation that a user controls: running or paused, at some speed, with changing parameters.

pub mod audit;
mod changes;
mod meter;
mod past;
pub mod seen;
mod travel;
mod trigger;

use changes::reseeded;
pub use changes::{Answer, names, refusal};
pub use meter::Figures;

use super::Pace;
use super::history::{History, StateUndo};
use audit::Audits;
use glam::Vec3;
use meter::Meter;
use past::{Changed, Past};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use steerling::gpu::{Gpu, GpuError, Options, PreparedChange, Simulation};
use steerling::model::{Recast, State};
use steerling::scene::{ColorBy, Look, Scene};
use steerling::verify::Witness;
use travel::Journey;
use trigger::Trigger;

/// The most time that steps before the first picture may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// A simulation with the scene, the record of its run, and the undo history that belong to it.
pub struct Session {
    /// The scene as it was opened: what sliders reset to.
    original: Scene,
    /// The text of the scene as it was last read or saved.
    saved_text: String,
    /// The original and the saved text before an edit of the file that is being applied.
    base_before: Option<(Scene, String)>,
    /// The scene as the user wants it. The simulation follows as soon as its pipelines are compiled.
    scene: Scene,
    simulation: Simulation,
    pub history: History,
    /// A change whose pipelines are compiled on another thread, while the run goes on.
    pending: Option<JoinHandle<Result<PreparedChange, GpuError>>>,
    /// Agents that join or are erased when `pending` is applied.
    recasting: Option<Recasting>,
    /// Has the user changed `scene` since `pending` began? Then another preparation follows it.
    outdated: bool,
    /// The speed of simulated time.
    pub pace: Pace,
    /// Number of runs stepped side by side, this one included: 1, or 2 with a run beside it. They share the time of a frame.
    pub runs_side_by_side: u32,
    paused: bool,
    pause_at: Option<u64>,
    /// The step that this run must not pass in this frame, because a film takes its next picture there.
    pub film_stop: Option<u64>,
    meter: Meter,
    /// Why the run cannot go on as it is; `None` if it can.
    trouble: Option<String>,
    past: Past,
    /// The way to another step of the run, while it is under way.
    journey: Option<Journey>,
    /// The condition at which it pauses by itself.
    trigger: Option<Trigger>,
    /// Does the change under way come from the record, not from the user?
    change_from_record: bool,
    /// Did values of the record replace those of the scene, since [`Session::values_replayed`] was called last?
    values_replayed: bool,
    witness: Witness,
    /// How far the latest step that [`Witness`] compared moved each agent off the reference, as [`Witness::step`] returns it.
    errors: Option<Vec<f32>>,
    /// The distance of each agent to the agent of the same id in the run beside it, as last measured, u.
    divergence: Option<Vec<f32>>,
    pub audits: Audits,
}

/// Agents that join or are erased, as a part of a change that is under way.
struct Recasting {
    recast: Arc<Recast>,
    /// Receives what undoes the change, once it is applied; appended to what the same drag has already put there.
    state_undo: Rc<RefCell<Option<StateUndo>>>,
}

impl Session {
    /// Start a scene, and pause after the step `pause_at`, if given.
    pub fn new(
        gpu: &Gpu,
        scene: Scene,
        options: Options,
        paused: bool,
        pause_at: Option<u64>,
    ) -> Result<Self, GpuError> {
        // A scene that does not fit is refused before its agents are made.
        Simulation::check(gpu, &scene, &options)?;
        let simulation = Simulation::new(gpu, &scene, &State::initial(&scene), options)?;
        let mut session = Session { paused, pause_at, ..Session::at_rest(scene, simulation) };
        session.warm_up()?;
        session.pause_when_due();
        session.observe()?;
        Ok(session)
    }

    /// A paused session of a simulation, with an empty record and history.
    fn at_rest(scene: Scene, simulation: Simulation) -> Session {
        Session {
            original: scene.clone(),
            saved_text: scene.source.text.clone(),
            base_before: None,
            past: Past::new(&scene),
            scene,
            history: History::default(),
            pending: None,
            recasting: None,
            outdated: false,
            pace: Pace::default(),
            runs_side_by_side: 1,
            paused: true,
            pause_at: None,
            film_stop: None,
            meter: Meter::new(&simulation),
            simulation,
            trouble: None,
            journey: None,
            trigger: None,
            change_from_record: false,
            values_replayed: false,
            witness: Witness::default(),
            errors: None,
            divergence: None,
            audits: Audits::default(),
        }
    }

    /// Take the steps that the scene asks for before its first picture (`start.steps`), for at most [`PATIENCE`]. A run that begins
    /// paused takes none.
    fn warm_up(&mut self) -> Result<(), GpuError> {
        self.keep_what_shows();
        if self.paused {
            return Ok(());
        }
        let begin = Instant::now();
        let wanted = u64::from(self.scene.start.steps).min(self.pause_at.unwrap_or(u64::MAX));
        while self.steps() < wanted && begin.elapsed() < PATIENCE {
            let steps = (wanted - self.steps()).min(10) as u32;
            self.simulation.step(steps)?;
            self.simulation.gpu().wait()?;
        }
        self.past.reached(self.steps());
        Ok(())
    }

    /// The scene as it was opened.
    pub fn original(&self) -> &Scene {
        &self.original
    }

    /// The scene as the user wants it: with what was changed last, which the simulation may not follow yet.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The latest figures of the run: speed, times, observables.
    pub fn figures(&self) -> &Figures {
        &self.meter.figures
    }

    /// Simulated time per real time in the latest period; `None` while paused and before it is measured.
    pub fn real_speed(&self) -> Option<f64> {
        let speed = self.meter.figures.steps_per_second * f64::from(self.scene.dt);
        (!self.paused && speed > 0.0).then_some(speed)
    }

    /// The real speed, if it is less than 90 % of the speed that was asked for.
    pub fn lag(&self) -> Option<f64> {
        let asked = self.pace.factor();
        self.real_speed().filter(|real| asked.is_finite() && *real < 0.9 * asked)
    }

    /// Does the adapter time passes itself, by timestamps?
    pub fn times_passes(&self) -> bool {
        self.meter.times_passes()
    }

    /// Is it paused?
    pub fn paused(&self) -> bool {
        self.paused
    }

    /// Why the run cannot go on as it is; `None` if it can.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// Steps since the latest restart.
    pub fn steps(&self) -> u64 {
        self.simulation.steps()
    }

    /// Run or pause.
    pub fn set_paused(&mut self, paused: bool) -> Result<(), GpuError> {
        self.paused = paused;
        // The speed before says nothing about the speed after.
        (self.meter.figures.steps_per_second, self.meter.figures.frame) = (0.0, 0.0);
        self.rest();
        self.observe()
    }

    /// Take the steps that are due after `elapsed` real time, if the run is not paused.
    pub fn advance(&mut self, elapsed: Duration) -> Result<(), GpuError> {
        if self.paused || self.change_from_record {
            return Ok(());
        }
        let cost = self.meter.figures.step * f64::from(self.runs_side_by_side);
        let due = self.pace.due(elapsed, f64::from(self.scene.dt), cost);
        let end = self.pause_at.into_iter().chain(self.film_stop).min();
        let left = end.map_or(u64::MAX, |end| end.saturating_sub(self.steps()));
        self.go_on(u64::from(due).min(left) as u32)
    }

    /// Take `due` steps of a run that is not paused, and update the figures when a period is over.
    pub fn go_on(&mut self, due: u32) -> Result<(), GpuError> {
        self.keep_what_shows();
        let late = self.meter.frame();
        if due > 0 && (self.meter.cost_unknown || late) && self.replay()? {
            let stages = self.meter.timed_step(&mut self.simulation)?;
            if !self.meter.cost_unknown {
                self.past.seen.time(self.steps(), self.meter.figures.step, &stages);
            }
            self.take(if self.meter.cost_unknown { 0 } else { due - 1 })?;
            self.meter.cost_unknown = false;
        } else {
            self.take(due)?;
        }
        if late || self.trigger.is_some() {
            self.meter.ask(&self.simulation);
        }
        if late {
            self.meter.measure(self.steps());
            self.rest();
        }
        if self.meter.arrive()? {
            // The blocking observation finds which step was cut off, and pauses.
            self.observe()?;
        }
        self.see()?;
        self.pause_when_due();
        if self.paused { self.observe() } else { Ok(()) }
    }

    /// Take steps while paused. If a change of the record has to be compiled on the way, the rest is a way to another step.
    pub fn step(&mut self, steps: u32) -> Result<(), GpuError> {
        if !self.paused || self.journey.is_some() {
            return Ok(());
        }
        let goal = self.steps() + u64::from(steps);
        self.keep_what_shows();
        self.take(steps)?;
        if self.steps() < goal { self.go_to(goal) } else { self.observe() }
    }

    /// Take steps, and make the changes that the record has between them. Stops early at a change that has to be compiled first.
    fn take(&mut self, mut steps: u32) -> Result<(), GpuError> {
        while self.replay()? && steps > 0 {
            let next = self.past.next_change().map_or(u64::MAX, |at| at - self.steps());
            let now = next.min(steps.into()) as u32;
            self.take_in_row(now)?;
            steps -= now;
        }
        self.past.reached(self.steps());
        Ok(())
    }

    /// Take steps. The last one is compared with the reference where colors show errors, and audited where an audit is due.
    fn take_in_row(&mut self, steps: u32) -> Result<(), GpuError> {
        self.errors = None;
        let witnessed = self.scene.look.color == ColorBy::Error;
        let audits = self.journey.is_none() && self.audits.due(&self.simulation, self.paused);
        if !witnessed && !audits {
            return self.simulation.step(steps);
        }
        self.simulation.step(steps - 1)?;
        let audit = audits.then(|| self.audits.begin(&mut self.simulation));
        if witnessed {
            self.errors = Some(self.witness.step(&mut self.simulation)?);
        } else {
            self.simulation.step(1)?;
        }
        if let Some(audit) = audit {
            self.audits.end(audit, &self.simulation)?;
            self.keep_what_shows();
        }
        Ok(())
    }

    /// Per-agent values that colors show and that the simulation does not have, in the order of ids: the error against the reference in
    /// the latest step, or the distance to the same agent of the run beside.
    pub fn values(&self) -> Option<&[f32]> {
        match self.scene.look.color {
            ColorBy::Error => self.errors.as_deref(),
            ColorBy::Divergence => self.divergence.as_deref(),
            _ => None,
        }
    }

    /// Let steps keep accelerations if colors show them.
    fn keep_what_shows(&mut self) {
        self.simulation.keep_accelerations(self.scene.look.color == ColorBy::Force);
    }

    /// Move the target `mouse`, in scenes that have it.
    pub fn set_mouse(&mut self, point: Vec3) {
        // A run that repeats its record has the pointer of the record.
        if self.scene.follows_mouse() && point.is_finite() && !self.repeats() {
            let mouse = if self.scene.world.spatial { point } else { point.with_z(0.0) };
            if self.point(mouse) {
                self.past.change(self.steps(), Changed::Mouse(mouse));
            }
        }
    }

    /// Start a new period of the figures, so that the time since the last one does not count.
    pub fn rest(&mut self) {
        self.meter.rest(self.simulation.steps());
    }

    /// Restart from step 0, with this seed and the parameters as they are now.
    pub fn restart(&mut self, seed: u32) -> Result<(), GpuError> {
        // The restart takes `self.scene`, which has the change under way already.
        self.drop_changes();
        self.audits.forget();
        self.scene = self.scene.edit(reseeded(seed))?;
        if let Ok(original) = self.original.edit(reseeded(seed)) {
            self.original = original;
        }
        let failed = self.simulation.restart(&self.scene).err();
        if failed.is_some() {
            self.simulation.gpu().check()?;
            // These values cannot be run; the old ones can.
            self.scene = self.simulation.scene().edit(reseeded(seed))?;
            self.give_up();
            self.simulation.restart(&self.scene)?;
        }
        self.values_replayed = true;
        self.meter.set_simulation(&self.simulation);
        self.past.begin_anew(&self.scene);
        self.history.forget_states();
        self.warm_up()?;
        self.meter.forget();
        self.errors = None;
        self.rest();
        self.observe()?;
        if let Some(error) = failed {
            self.trouble = Some(error.to_string());
        }
        Ok(())
    }

    /// The scene that the run began with, in the present look, and false. If anything was changed since, the run does not follow from
    /// that scene: then the scene as it is now, and true.
    pub fn began_with(&self) -> (Scene, bool) {
        let start = self.past.untouched().filter(|_| self.pending.is_none() && !self.outdated);
        match start.and_then(|start| self.as_shown(start.draft()).validate().ok()) {
            Some(start) => (start, false),
            None => (self.scene.clone(), true),
        }
    }

    /// Set the look of the scene, also of the one that sliders reset to: it concerns the renderer alone.
    pub fn show_as(&mut self, look: Look) -> &Scene {
        for scene in [&mut self.scene, &mut self.original] {
            let changed = scene.with(|draft| draft.look = look);
            if let Ok(changed) = changed {
                *scene = changed;
            }
        }
        &self.scene
    }

    /// Take a snapshot of the run when one is due: at intervals, and each time that it comes to rest.
    pub fn keep(&mut self) -> Result<(), GpuError> {
        // On the way to another step, the values or the state may not be those of the step yet.
        if self.change_from_record || self.lands() {
            return Ok(());
        }
        self.past.keep(&self.simulation, self.paused && self.journey.is_none())
    }

    /// Is a snapshot being copied, or a way to another step under way? Then frames go on although the run is paused.
    pub fn restless(&self) -> bool {
        self.past.busy() || self.journey.is_some()
    }

    /// Go on upon another device, because this one was lost: from the latest snapshot, or from the start if none fits.
    ///
    /// # Errors
    /// The other device fails too.
    pub fn move_to(&mut self, gpu: &Gpu, options: Options) -> Result<(), GpuError> {
        let now = self.steps();
        self.drop_changes();
        self.audits.forget();
        let scene = self.scene.clone();
        self.simulation = Simulation::new(gpu, &scene, &State::initial(&scene), options)?;
        let kept = self.past.fall_back(now);
        match kept.map_or(Ok(false), |kept| self.simulation.restore(&kept.snapshot).map(|()| true)) {
            Ok(true) => self.past.change(self.steps(), Changed::Scene(Box::new(scene), None)),
            Ok(false) => self.past.begin_anew(&scene),
            Err(error) => {
                // The snapshot has another number of agents: a change of it had just begun.
                tracing::debug!("the snapshot does not fit: {error}");
                self.simulation.gpu().check()?;
                self.past.begin_anew(&scene);
            }
        }
        self.meter.forget();
        self.meter.set_simulation(&self.simulation);
        self.rest();
        self.observe()
    }

    /// Drop the change and the way to another step that are under way.
    fn drop_changes(&mut self) {
        if let Some(pending) = self.pending.take() {
            drop(pending.join());
        }
        (self.recasting, self.journey, self.change_from_record, self.outdated) = (None, None, false, false);
    }

    /// Update digest and observables, and wait for them. A step that the driver cut off pauses the run.
    pub fn observe(&mut self) -> Result<(), GpuError> {
        if self.meter.figures.observed.as_ref().is_some_and(|(step, _)| *step == self.steps()) {
            return Ok(());
        }
        match self.simulation.observe() {
            Ok(observation) => {
                self.meter.figures.observed = Some((self.steps(), observation));
                self.trouble = None;
                self.see()
            }
            Err(error @ GpuError::CutOff { .. }) => {
                self.paused = true;
                self.meter.figures.observed = None;
                self.trouble = Some(error.to_string());
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// One line about the current state, for logs.
    pub fn log_line(&mut self) -> Result<String, GpuError> {
        self.observe()?;
        let digest = self.meter.figures.observed.as_ref().map_or("-".to_owned(), |(_, seen)| seen.digest_hex());
        Ok(format!("step {} digest {digest} paused {}", self.steps(), self.paused))
    }

    fn pause_when_due(&mut self) {
        if self.pause_at.is_some_and(|end| self.steps() >= end) {
            self.pause_at = None;
            self.paused = true;
        }
    }
}
