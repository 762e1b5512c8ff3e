//! A simulation under the hands of a user: running or paused, at some speed, with changing parameters.

use super::Pace;
use super::format::{grouped, readable};
use super::history::History;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use steerling::gpu::{Gpu, GpuError, Options, PreparedChange, Simulation, StepTimer, Times};
use steerling::model::{Change, Observation, Snapshot, State};
use steerling::scene::{ColorBy, Draft, Look, Override, Scene, SceneError};
use steerling::verify::Witness;

/// Time between two looks at the figures while running.
const LOOK: Duration = Duration::from_millis(500);

/// Time between two snapshots of a run, to which a lost device falls back.
const KEEP: Duration = Duration::from_secs(5);

/// Longest time that a user waits for the first picture.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is known about the run so far.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// Steps per second of real time, lately.
    pub steps_per_second: f64,
    /// Time of a frame, lately, s.
    pub frame: f64,
    /// Time of a step on the adapter, s; from timestamps where it has them.
    pub step: f64,
    /// Digest and observables, and the step after which they were taken.
    pub observed: Option<(u64, Observation)>,
}

/// A simulation that is watched.
pub struct Session {
    /// The scene as it was opened: what sliders reset to.
    original: Scene,
    /// The scene as the user wants it. The simulation follows as soon as its pipelines are compiled.
    scene: Scene,
    simulation: Simulation,
    timer: StepTimer,
    history: History,
    /// A change that is made ready on a thread of its own, while the window goes on.
    pending: Option<JoinHandle<Result<PreparedChange, GpuError>>>,
    /// Has the user asked for something else since that began?
    outdated: bool,
    pace: Pace,
    paused: bool,
    pause_at: Option<u64>,
    figures: Figures,
    /// Is the next step the first of its kind, which may take much longer than those before?
    cost_unknown: bool,
    /// Start of the time that the figures are taken over, with the step then, and frames since.
    since: (Instant, u64, u32),
    /// Why the run cannot go on as it is.
    trouble: Option<String>,
    /// The run as it was lately, and as it is on its way to be kept.
    kept: Option<Snapshot>,
    coming: Option<JoinHandle<Result<Snapshot, GpuError>>>,
    /// When and after which step the latest one was asked for.
    asked: (Instant, u64),
    witness: Witness,
    /// How far each agent was off the reference in the latest step that was witnessed.
    errors: Option<Vec<f32>>,
}

impl Session {
    /// Start a scene.
    pub fn new(
        gpu: &Gpu,
        scene: Scene,
        options: Options,
        paused: bool,
        pause_at: Option<u64>,
    ) -> Result<Self, GpuError> {
        // What does not fit is refused before its agents are made.
        Simulation::check(gpu, &scene, &options)?;
        let simulation = Simulation::new(gpu, &scene, &State::initial(&scene), options)?;
        let timer = StepTimer::new(&simulation);
        let mut session = Session {
            original: scene.clone(),
            scene,
            simulation,
            timer,
            history: History::default(),
            pending: None,
            outdated: false,
            pace: Pace::default(),
            paused,
            pause_at,
            figures: Figures::default(),
            cost_unknown: true,
            since: (Instant::now(), 0, 0),
            trouble: None,
            kept: None,
            coming: None,
            asked: (Instant::now(), u64::MAX),
            witness: Witness::default(),
            errors: None,
        };
        session.warm_up()?;
        session.pause_when_due();
        session.look()?;
        Ok(session)
    }

    /// Take the steps that the scene wants before its first picture, as many as a user has patience for. Who asked for a
    /// pause wants to see the very start.
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

    /// What is known about the run.
    pub fn figures(&self) -> &Figures {
        &self.figures
    }

    /// Simulated time per real time, lately; none while paused and before it is known.
    pub fn real_speed(&self) -> Option<f64> {
        let speed = self.figures.steps_per_second * f64::from(self.scene.dt);
        (!self.paused && speed > 0.0).then_some(speed)
    }

    /// The real speed, where that is less than what was asked for.
    pub fn lag(&self) -> Option<f64> {
        let asked = self.pace.factor();
        self.real_speed().filter(|real| asked.is_finite() && *real < 0.9 * asked)
    }

    /// Does the adapter measure steps itself?
    pub fn times_passes(&self) -> bool {
        self.timer.times_passes()
    }

    /// Speed of the run.
    pub fn pace(&mut self) -> &mut Pace {
        &mut self.pace
    }

    /// Is it paused?
    pub fn paused(&self) -> bool {
        self.paused
    }

    /// Why the run cannot go on as it is.
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
        // How fast it was says nothing about how fast it will be.
        (self.figures.steps_per_second, self.figures.frame) = (0.0, 0.0);
        self.rest();
        self.look()
    }

    /// Take steps as `elapsed` asks for, if the run is not paused.
    pub fn advance(&mut self, elapsed: Duration) -> Result<(), GpuError> {
        if self.paused {
            return Ok(());
        }
        self.keep_what_shows();
        let due = self.pace.due(elapsed, f64::from(self.scene.dt), self.figures.step);
        let left = self.pause_at.map_or(u64::MAX, |end| end.saturating_sub(self.steps()));
        let due = u64::from(due).min(left) as u32;
        self.since.2 += 1;
        let late = self.since.0.elapsed() >= LOOK;
        if due > 0 && (self.cost_unknown || late) {
            self.timed_step()?;
            self.take(if self.cost_unknown { 0 } else { due - 1 })?;
            self.cost_unknown = false;
        } else {
            self.take(due)?;
        }
        if late {
            let (start, first, frames) = self.since;
            let time = start.elapsed().as_secs_f64();
            self.figures.steps_per_second = (self.steps() - first) as f64 / time;
            self.figures.frame = time / f64::from(frames);
            self.look()?;
            self.rest();
        }
        self.pause_when_due();
        if self.paused { self.look() } else { Ok(()) }
    }

    /// Take steps while paused.
    pub fn step(&mut self, steps: u32) -> Result<(), GpuError> {
        if !self.paused {
            return Ok(());
        }
        self.keep_what_shows();
        self.take(steps)?;
        self.look()
    }

    /// Take steps, the last of them beside the reference where colors tell of errors.
    fn take(&mut self, steps: u32) -> Result<(), GpuError> {
        if steps == 0 {
            return Ok(());
        }
        self.errors = None;
        if self.scene.look.color != ColorBy::Error {
            return self.simulation.step(steps);
        }
        self.simulation.step(steps - 1)?;
        self.errors = Some(self.witness.step(&mut self.simulation)?);
        Ok(())
    }

    /// How far each agent, in the order of ids, was off the reference in the latest step, where colors tell of it.
    pub fn errors(&self) -> Option<&[f32]> {
        self.errors.as_deref().filter(|_| self.scene.look.color == ColorBy::Error)
    }

    /// Steps keep what the picture tells.
    fn keep_what_shows(&mut self) {
        self.simulation.keep_accelerations(self.scene.look.color == ColorBy::Force);
    }

    /// Move the target `mouse`, in scenes that have it.
    pub fn set_mouse(&mut self, point: glam::Vec3) {
        if self.scene.follows_mouse() && point.is_finite() {
            let mouse = if self.scene.world.spatial { point } else { point.with_z(0.0) };
            // A point beyond all worlds is left alone.
            let moved = self.scene.edit(|draft| {
                draft.mouse = mouse;
                Ok(())
            });
            if let Ok(scene) = moved {
                self.scene = scene;
                self.simulation.set_mouse(mouse);
            }
        }
    }

    /// The time that went by does not count: the figures start anew.
    pub fn rest(&mut self) {
        self.since = (Instant::now(), self.steps(), 0);
    }

    /// Back to the start, with this seed and the parameters as they are now: what follows is a run of that seed.
    pub fn restart(&mut self, seed: u32) -> Result<(), GpuError> {
        // A change that is under way is part of it.
        if let Some(pending) = self.pending.take() {
            drop(pending.join());
        }
        let reseeded = |draft: &mut Draft| {
            draft.seed = seed;
            Ok(())
        };
        (self.original, self.scene) = (self.original.edit(reseeded)?, self.scene.edit(reseeded)?);
        if let Err(error) = self.simulation.restart(&self.scene) {
            self.simulation.gpu().check()?;
            // The parameters cannot be run: those of before can.
            self.scene = self.simulation.scene().edit(reseeded)?;
            self.simulation.restart(&self.scene)?;
            self.trouble = Some(error.to_string());
        } else {
            self.trouble = None;
        }
        self.changed();
        self.warm_up()?;
        self.figures.observed = None;
        (self.kept, self.coming, self.asked, self.errors) = (None, None, (Instant::now(), u64::MAX), None);
        self.rest();
        self.look()
    }

    /// Another start, with the next seed: a change of its own.
    pub fn new_seed(&mut self) -> Result<(), GpuError> {
        self.history.record(self.scene.draft(), false);
        self.restart(self.scene.seed.wrapping_add(1))
    }

    /// Is there something that would be lost with the scene: a value that is not that of its file? Seed, pointer and look are
    /// no work of anybody's.
    pub fn tuned(&self) -> bool {
        let mut was = self.original.draft();
        (was.seed, was.mouse, was.look) = (self.scene.seed, self.scene.mouse, self.scene.look);
        was.source.clone_from(&self.scene.source);
        was != *self.scene
    }

    /// The values of now with some changes; and whether the values of now are in it. They are not where they do not go with the
    /// changes, or where these mean numbers of agents, and so a world, of the file.
    ///
    /// # Errors
    /// A change that no scene can have.
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
            // A window may show fewer agents than the file has.
            None if same_agents => (alone.with_agents(now.agent_count())?, false),
            None => (alone, false),
        };
        let mut draft = tried.draft();
        (draft.seed, draft.mouse, draft.look, draft.camera) = (now.seed, now.mouse, now.look, now.camera);
        draft.source = now.source.clone();
        Ok((draft, keeps || !self.tuned()))
    }

    /// The scene was kept in a file, as this one: that is what sliders reset to now.
    pub fn kept(&mut self, scene: Scene) {
        self.original = scene.clone();
        self.scene = scene;
    }

    /// Take over values that the user changed. As long as `held`, they are one change with those of before.
    ///
    /// # Errors
    /// As [`Session::change`], in the inner result.
    pub fn tune(&mut self, draft: Draft, held: bool) -> Result<Result<(), String>, GpuError> {
        let before = self.scene.draft();
        let changed = self.take_over(draft)?;
        if changed.is_ok() {
            self.history.record(before, held);
        }
        Ok(changed)
    }

    /// Nobody holds a slider any more: what is changed next is a change of its own.
    pub fn let_go(&mut self) {
        self.history.close();
    }

    /// Is there something to take back?
    pub fn can_undo(&self) -> bool {
        self.history.can_undo()
    }

    /// Is there something to do again?
    pub fn can_redo(&self) -> bool {
        self.history.can_redo()
    }

    /// Take back the latest change of values. False where there is none.
    pub fn undo(&mut self) -> Result<bool, GpuError> {
        let draft = self.history.undo(self.scene.draft());
        draft.map_or(Ok(false), |draft| self.turn_to(draft))
    }

    /// Make the change again that was taken back last. False where there is none.
    pub fn redo(&mut self) -> Result<bool, GpuError> {
        let draft = self.history.redo(self.scene.draft());
        draft.map_or(Ok(false), |draft| self.turn_to(draft))
    }

    fn turn_to(&mut self, mut draft: Draft) -> Result<bool, GpuError> {
        // What is no value of the flock went on meanwhile, and the file may be another.
        let Draft { mouse, look, camera, name, source, .. } = self.scene.draft();
        (draft.mouse, draft.look, draft.camera, draft.name, draft.source) = (mouse, look, camera, name, source);
        self.take_over(draft).map(|changed| changed.is_ok())
    }

    /// Change to these values; another seed is another start.
    fn take_over(&mut self, draft: Draft) -> Result<Result<(), String>, GpuError> {
        let seed = draft.seed;
        let restarts = seed != self.scene.seed;
        let changed = self.change(draft);
        if changed.is_ok() && restarts {
            self.restart(seed)?;
        }
        Ok(changed)
    }

    /// Show the scene in another look, which concerns the renderer alone.
    pub fn show_as(&mut self, look: Look) -> &Scene {
        for scene in [&mut self.scene, &mut self.original] {
            let changed = scene.edit(|draft| {
                draft.look = look;
                Ok(())
            });
            if let Ok(changed) = changed {
                *scene = changed;
            }
        }
        &self.scene
    }

    /// Begin to take over changed parameters. The run goes on with those of before until [`Session::arrive`] says that
    /// they are taken over, or why they cannot be.
    ///
    /// # Errors
    /// Why they are no scene; then nothing changes.
    pub fn change(&mut self, draft: Draft) -> Result<(), String> {
        self.scene = draft.validate().map_err(|error| refusal(&error))?;
        self.outdated = true;
        self.begin();
        Ok(())
    }

    /// Prepare the latest change, if none is under way.
    fn begin(&mut self) {
        if self.pending.is_none() && std::mem::take(&mut self.outdated) {
            let preparation = self.simulation.prepare(&self.scene);
            self.pending = Some(std::thread::spawn(move || preparation.run()));
        }
    }

    /// Is a change under way?
    pub fn changing(&self) -> bool {
        self.pending.is_some()
    }

    /// Take over a change that is ready. None where there is nothing new; else whether it was taken over, or why not: then the
    /// parameters are those of before again.
    pub fn arrive(&mut self) -> Result<Option<Result<(), String>>, GpuError> {
        let Some(pending) = self.pending.take_if(|pending| pending.is_finished()) else { return Ok(None) };
        let prepared = pending.join().unwrap_or_else(|_| Err(GpuError::Device("the compiler failed".to_owned())));
        let applied = prepared.and_then(|prepared| self.simulation.apply(prepared));
        if matches!(applied, Ok(Change::Restart)) {
            (self.figures.observed, self.trouble) = (None, None);
            (self.kept, self.coming) = (None, None);
            self.warm_up()?;
            self.rest();
        }
        if let Err(error) = applied {
            self.simulation.gpu().check()?;
            if !self.outdated {
                self.scene = self.simulation.scene().clone();
            }
            self.begin();
            let why = match error {
                GpuError::Scene(error) => refusal(&error),
                GpuError::TooLarge { agents, fits, .. } | GpuError::OutOfMemory { agents, fits, .. } => format!(
                    "{} agents do not fit into the memory of this device; up to {} do",
                    grouped(agents.into()),
                    grouped(fits.into())
                ),
                error => error.to_string(),
            };
            return Ok(Some(Err(why)));
        }
        // The pointer went on meanwhile.
        self.simulation.set_mouse(self.scene.mouse);
        self.changed();
        if self.paused {
            self.look()?;
        }
        self.begin();
        Ok(Some(Ok(())))
    }

    /// Keep a snapshot of the run now and then, and each time that it comes to rest.
    pub fn keep(&mut self) {
        if let Some(done) = self.coming.take_if(|coming| coming.is_finished()) {
            // What failed with the device is no snapshot.
            self.kept = done.join().ok().and_then(Result::ok).or(self.kept.take());
        }
        let (at, step) = self.asked;
        if self.coming.is_none() && step != self.steps() && (self.paused || at.elapsed() >= KEEP) {
            let pending = self.simulation.read_snapshot();
            self.asked = (Instant::now(), self.steps());
            self.coming = Some(std::thread::spawn(move || pending.wait()));
        }
    }

    /// Go on upon another device, because this one was lost: from the latest snapshot, or anew where none fits.
    ///
    /// # Errors
    /// The other device fails too.
    pub fn move_to(&mut self, gpu: &Gpu, options: Options) -> Result<(), GpuError> {
        if let Some(coming) = self.coming.take() {
            self.kept = coming.join().ok().and_then(Result::ok).or(self.kept.take());
        }
        if let Some(pending) = self.pending.take() {
            drop(pending.join());
        }
        let scene = self.scene.clone();
        self.simulation = Simulation::new(gpu, &scene, &State::initial(&scene), options)?;
        if let Some(kept) = &self.kept
            && let Err(error) = self.simulation.restore(kept)
        {
            // That of another number of agents, before a change that had just begun.
            tracing::debug!("the snapshot does not fit: {error}");
            self.simulation.gpu().check()?;
        }
        self.outdated = false;
        self.asked = (Instant::now(), self.steps());
        self.figures.observed = None;
        self.changed();
        self.rest();
        self.look()
    }

    /// The passes may be others: their time is not known.
    fn changed(&mut self) {
        self.timer = StepTimer::new(&self.simulation);
        self.cost_unknown = true;
    }

    /// Update digest and observables. A step that the driver cut off pauses the run.
    pub fn look(&mut self) -> Result<(), GpuError> {
        if self.figures.observed.is_some_and(|(step, _)| step == self.steps()) {
            return Ok(());
        }
        match self.simulation.observe() {
            Ok(observation) => {
                self.figures.observed = Some((self.steps(), observation));
                self.trouble = None;
                Ok(())
            }
            Err(error @ GpuError::CutOff { .. }) => {
                self.paused = true;
                self.figures.observed = None;
                self.trouble = Some(error.to_string());
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// One line about the current state, for logs.
    pub fn log_line(&mut self) -> Result<String, GpuError> {
        self.look()?;
        let digest = self.figures.observed.as_ref().map_or("-".to_owned(), |(_, seen)| seen.digest_hex());
        Ok(format!("step {} digest {digest} paused {}", self.steps(), self.paused))
    }

    fn timed_step(&mut self) -> Result<(), GpuError> {
        let mut times = Times::default();
        self.timer.step(&mut self.simulation, &mut times)?;
        if let Some(time) = times.steps.first() {
            self.figures.step = time.max(1e-9);
        }
        Ok(())
    }

    fn pause_when_due(&mut self) {
        if self.pause_at.is_some_and(|end| self.steps() >= end) {
            self.pause_at = None;
            self.paused = true;
        }
    }
}

/// Why a change is not taken over. It may be about another key than the one that was changed, which is said as the panel does.
fn refusal(error: &SceneError) -> String {
    let name = error.key.rsplit('.').next().map(readable).unwrap_or_default();
    format!("Nothing was changed: {name} {}", error.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use steerling::cpu;
    use steerling::gpu::AdapterChoice;

    fn session(name: &str, overrides: &[&str]) -> Session {
        let overrides: Vec<_> = overrides.iter().map(|text| text.parse().expect("an override")).collect();
        let scene = Scene::open(name, &overrides).and_then(|scene| scene.with_agents(500)).expect("a scene");
        let gpu = Gpu::open(&AdapterChoice::Best).expect("a GPU");
        Session::new(&gpu, scene, Options::default(), true, None).expect("a session")
    }

    /// Wait until a change has arrived.
    fn settle(session: &mut Session) -> Result<(), String> {
        loop {
            if let Some(arrived) = session.arrive().expect("no failure of the device") {
                return arrived;
            }
            std::thread::yield_now();
        }
    }

    fn digest_after(session: &mut Session, steps: u32) -> String {
        session.step(steps).expect("steps");
        session.figures().observed.expect("an observation").1.digest_hex()
    }

    #[test]
    fn a_flow_field_can_be_followed_later() {
        // A field that stays as it is: the other simulation begins at its start.
        let still = ["field.times=[]", "field.turns=[]"];
        let disabled = "species.0.behaviors.flow_field.enabled=false";
        let mut session = session("wind", &[disabled, still[0], still[1]]);
        digest_after(&mut session, 5);
        let state = session.simulation().state().expect("a state");
        let enable = |draft: &mut Draft| draft.species[0].enable("flow_field").map(drop);
        let scene = session.scene().edit(enable).expect("a scene");
        assert_eq!(session.change(scene.draft()), Ok(()));
        assert_eq!(settle(&mut session), Ok(()));
        assert_eq!(session.steps(), 5, "the run goes on");
        let later = digest_after(&mut session, 5);
        assert_eq!(session.steps(), 10);

        let gpu = session.simulation().gpu();
        let mut fresh = Simulation::new(gpu, &scene, &state, Options::default()).expect("a simulation");
        fresh.step(5).expect("steps");
        assert_eq!(later, fresh.observe().expect("an observation").digest_hex());
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        let mut changed = session("flock", &[]);
        let mut scene = changed.scene().draft();
        scene.species[0].min_speed = scene.species[0].max_speed * 2.0;
        let why = changed.change(scene).expect_err("a refusal");
        assert!(why.contains("Min speed must be at most"), "{why}");
        assert_eq!(changed.scene(), changed.original());
        assert_eq!(digest_after(&mut changed, 3), digest_after(&mut session("flock", &[]), 3));
    }

    #[test]
    fn a_new_seed_is_taken_back_by_itself() {
        let mut session = session("flock", &[]);
        let mut draft = session.scene().draft();
        draft.species[0].max_speed += 3.0;
        let (seed, fast) = (draft.seed, draft.species[0].max_speed);
        session.tune(draft, false).expect("a device").expect("a scene");
        session.new_seed().expect("a restart");
        assert_eq!(session.scene().seed, seed + 1);
        assert!(session.undo().expect("a device"));
        assert_eq!((session.scene().seed, session.scene().species[0].max_speed), (seed, fast));
        assert!(session.undo().expect("a device"));
        assert_ne!(session.scene().species[0].max_speed, fast);
    }

    #[test]
    fn what_is_tried_keeps_what_was_tuned() {
        let mut session = session("flock", &[]);
        let mut draft = session.scene().draft();
        draft.species[0].max_speed += 3.0;
        let fast = draft.species[0].max_speed;
        session.tune(draft, false).expect("a device").expect("a scene");
        let tried = |change: &str| session.tried(&[change.to_owned()]);
        let (draft, keeps) = tried("species.0.behaviors.cohesion.weight=3").expect("a change");
        let cohesion = draft.species[0].behaviors.iter().find(|b| b.spec.name == "cohesion").expect("cohesion").weight;
        assert_eq!((draft.species[0].max_speed, cohesion, keeps), (fast, 3.0, true));
        // The latest word counts.
        let (draft, keeps) = tried("species.0.max_speed=20").expect("a change");
        assert_eq!((draft.species[0].max_speed, keeps), (20.0, true));
        // Numbers of agents are those of the file, with its world.
        let (draft, keeps) = tried("species.0.count=77").expect("a change");
        assert_eq!((draft.species[0].count, keeps), (77, false));
        assert_ne!(draft.species[0].max_speed, fast);
        assert!(tried("species.0.nothing=1").is_err());
    }

    #[test]
    fn restarts_repeat_the_run_and_new_seeds_do_not() {
        for scene in ["flock", "wind"] {
            let mut session = session(scene, &[]);
            let first = digest_after(&mut session, 4);
            session.restart(session.scene().seed).expect("a restart");
            assert_eq!(session.steps(), 0);
            assert_eq!(first, digest_after(&mut session, 4), "{scene}");
            session.restart(99).expect("a restart");
            assert_ne!(first, digest_after(&mut session, 4), "{scene}");
            assert_eq!(session.steps(), 4);
        }
    }

    /// The window's restart is a run with that seed, for every preset.
    #[test]
    fn a_restart_with_another_seed_is_a_run_with_that_seed() {
        let gpu = Gpu::open(&AdapterChoice::Best).expect("a GPU");
        for preset in steerling::scene::PRESETS {
            let mut scene = Scene::open(preset.name, &[]).expect("a preset");
            if scene.agent_count() > 10_000 {
                scene = scene.with_agents(10_000).expect("a scene");
            }
            let mut session = Session::new(&gpu, scene, Options::default(), true, None).expect("a session");
            digest_after(&mut session, 3);
            session.restart(99).expect("a restart");
            let seed = |draft: &mut Draft| {
                draft.seed = 99;
                Ok(())
            };
            let scene = session.original().edit(seed).expect("a scene");
            let mut fresh = cpu::Simulation::new(&scene, &State::initial(&scene), Default::default()).expect("a scene");
            fresh.step(3);
            assert_eq!(digest_after(&mut session, 3), fresh.observe().digest_hex(), "{}", preset.name);
        }
    }

    #[test]
    fn every_change_can_be_taken_back_and_made_again() {
        let mut session = session("flock", &[]);
        let first = session.scene().clone();
        let weight = |session: &Session| session.scene().species[0].get("cohesion", "weight").expect("a weight");
        let tune = |session: &mut Session, value: f32, held: bool| {
            let mut draft = session.scene().draft();
            draft.species[0].set("cohesion", "weight", value).expect("a weight");
            assert_eq!(session.tune(draft, held).expect("no failure"), Ok(()));
        };
        // A drag is one change.
        (1..=3).for_each(|value| tune(&mut session, value as f32 * 0.25, true));
        session.let_go();
        tune(&mut session, 2.0, true);
        session.let_go();
        let last = session.scene().clone();
        assert!(session.tuned());
        assert!(session.undo().expect("no failure"));
        assert_eq!(weight(&session), steerling::scene::Setting::Number(0.75));
        assert!(session.undo().expect("no failure"));
        assert_eq!(*session.scene(), first);
        assert!(!session.tuned());
        assert!(!session.undo().expect("no failure"), "there is nothing before");
        assert!(session.redo().expect("no failure") && session.redo().expect("no failure"));
        assert_eq!(*session.scene(), last);
        assert!(!session.redo().expect("no failure"), "there is nothing after");
        // A change after an undo ends what could be done again.
        session.undo().expect("no failure");
        tune(&mut session, 9.0, false);
        assert!(!session.can_redo());
        // Another seed is a change too, and another start.
        digest_after(&mut session, 2);
        let mut draft = session.scene().draft();
        draft.seed = 77;
        assert_eq!(session.tune(draft, false).expect("no failure"), Ok(()));
        assert_eq!((session.steps(), session.scene().seed), (0, 77));
        session.undo().expect("no failure");
        assert_eq!(session.scene().seed, first.seed);
    }

    /// What is tuned in the window, and kept, is the run of the file.
    #[test]
    fn a_kept_scene_reopens_with_an_equal_digest() {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, behavior) in [("flock", "wander"), ("wind", "cohesion"), ("nature_of_code", "arrive")] {
            let mut session = session(name, &[]);
            let plain = digest_after(&mut session, 6);
            let mut draft = session.scene().with_agents(700).expect("a scene").draft();
            draft.species[0].enable(behavior).expect("a behavior");
            draft.species[0].max_speed *= 1.3;
            draft.world.boundary[0] = steerling::scene::Boundary::Contain;
            assert_eq!(session.tune(draft, false).expect("no failure"), Ok(()), "{name}");
            assert_eq!(settle(&mut session), Ok(()));
            session.restart(5).expect("a restart");
            let tuned = digest_after(&mut session, 6);
            assert_ne!(plain, tuned, "{name}: nothing changed");
            let path = folder.path().join(format!("{name}.toml"));
            let path = path.to_str().expect("UTF-8");
            std::fs::write(path, session.scene().to_toml(path).expect("a text")).expect("a file");
            let scene = Scene::open(path, &[]).expect("a scene");
            let gpu = session.simulation().gpu();
            let mut again = Session::new(gpu, scene, Options::default(), true, None).expect("a session");
            assert_eq!(digest_after(&mut again, 6), tuned, "{name}");
        }
    }

    /// Somebody follows the flow field for the first time: what everybody remembers stays.
    #[test]
    fn ticking_a_behavior_keeps_what_agents_remember() {
        let field = "field={ source = \"uniform\", speed = 1.0 }";
        let mut session = session("foraging_ants", &[field]);
        digest_after(&mut session, 40);
        let before = session.simulation().words(steerling::model::BufferId::Memory).expect("words");
        let mut draft = session.scene().draft();
        draft.species[0].enable("flow_field").expect("a behavior");
        assert_eq!(session.change(draft), Ok(()));
        assert_eq!(settle(&mut session), Ok(()));
        assert_eq!(before, session.simulation().words(steerling::model::BufferId::Memory).expect("words"));
        assert!(before.iter().any(|word| *word != 0), "something is remembered");
    }
}
