//! A simulation under the hands of a user: running or paused, at some speed, with changing parameters.

use super::Pace;
use crate::gpu::{Gpu, GpuError, Options, Simulation, StepTimer, Times};
use crate::model::{Observation, State};
use crate::scene::{Draft, Scene};
use std::time::{Duration, Instant};

/// Time between two looks at the figures while running.
const LOOK: Duration = Duration::from_millis(500);

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
    /// The scene as it runs.
    scene: Scene,
    options: Options,
    simulation: Simulation,
    timer: StepTimer,
    /// Steps of the simulation object at the latest restart; below zero, wrapped, where that was another object's.
    first: u64,
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
        let simulation = Simulation::new(gpu, &scene, &State::initial(&scene), options.clone())?;
        let timer = StepTimer::new(&simulation);
        let mut session = Session {
            original: scene.clone(),
            scene,
            options,
            simulation,
            timer,
            first: 0,
            pace: Pace::default(),
            paused,
            pause_at,
            figures: Figures::default(),
            cost_unknown: true,
            since: (Instant::now(), 0, 0),
            trouble: None,
        };
        session.pause_when_due();
        session.look()?;
        Ok(session)
    }

    /// The scene as it was opened.
    pub fn original(&self) -> &Scene {
        &self.original
    }

    /// The scene as it runs.
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

    /// Does the adapter measure steps itself?
    pub fn has_timestamps(&self) -> bool {
        self.timer.has_timestamps()
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
        self.simulation.steps().wrapping_sub(self.first)
    }

    /// Run or pause.
    pub fn set_paused(&mut self, paused: bool) -> Result<(), GpuError> {
        self.paused = paused;
        self.rest();
        self.look()
    }

    /// Take steps as `elapsed` asks for, if the run is not paused.
    pub fn advance(&mut self, elapsed: Duration) -> Result<(), GpuError> {
        if self.paused {
            return Ok(());
        }
        let due = self.pace.due(elapsed, f64::from(self.scene.dt), self.figures.step);
        let left = self.pause_at.map_or(u64::MAX, |end| end.saturating_sub(self.steps()));
        let due = u64::from(due).min(left) as u32;
        self.since.2 += 1;
        let late = self.since.0.elapsed() >= LOOK;
        if due > 0 && (self.cost_unknown || late) {
            self.timed_step()?;
            self.simulation.step(if self.cost_unknown { 0 } else { due - 1 })?;
            self.cost_unknown = false;
        } else {
            self.simulation.step(due)?;
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
        self.simulation.step(steps)?;
        self.look()
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

    /// Back to the start, with this seed and the parameters as they are now.
    pub fn restart(&mut self, seed: u32) -> Result<(), GpuError> {
        if seed != self.scene.seed {
            let reseeded = |draft: &mut Draft| {
                draft.seed = seed;
                Ok(())
            };
            (self.original, self.scene) = (self.original.edit(reseeded)?, self.scene.edit(reseeded)?);
            // The flow field may depend on the seed.
            if self.scene.uses("flow_field") { self.rebuild()? } else { self.simulation.set_parameters(&self.scene)? }
        }
        self.simulation.set_state(&State::initial(&self.scene))?;
        self.first = self.simulation.steps();
        self.trouble = None;
        self.figures.observed = None;
        self.rest();
        self.look()
    }

    /// Take over changed parameters, or say why not and go on with those of before.
    pub fn change(&mut self, draft: Draft) -> Result<Result<(), String>, GpuError> {
        let scene = match draft.validate() {
            Ok(scene) => scene,
            Err(error) => return Ok(Err(format!("{} stays as it is: {}", error.key, error.message))),
        };
        let before = std::mem::replace(&mut self.scene, scene);
        // The simulation has read the flow field only if somebody followed it then.
        let follows = self.scene.uses("flow_field") && !before.uses("flow_field");
        let changed = if follows { self.rebuild() } else { self.simulation.set_parameters(&self.scene) };
        if let Err(error) = changed {
            self.simulation.gpu().check()?;
            self.scene = before;
            self.simulation.set_parameters(&self.scene)?;
            return Ok(Err(error.to_string()));
        }
        self.timer = StepTimer::new(&self.simulation);
        self.cost_unknown = true;
        Ok(Ok(()))
    }

    /// Make the simulation anew, with the agents as they are.
    fn rebuild(&mut self) -> Result<(), GpuError> {
        let (gpu, steps) = (self.simulation.gpu().clone(), self.steps());
        self.simulation = Simulation::new(&gpu, &self.scene, &self.simulation.state()?, self.options.clone())?;
        self.timer = StepTimer::new(&self.simulation);
        self.first = 0u64.wrapping_sub(steps);
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::AdapterChoice;

    fn session(name: &str, overrides: &[&str]) -> Session {
        let overrides: Vec<_> = overrides.iter().map(|text| text.parse().expect("an override")).collect();
        let scene = Scene::open(name, &overrides).and_then(|scene| scene.with_agents(500)).expect("a scene");
        let gpu = Gpu::open(&AdapterChoice::Best).expect("a GPU");
        Session::new(&gpu, scene, Options::default(), true, None).expect("a session")
    }

    fn digest_after(session: &mut Session, steps: u32) -> String {
        session.step(steps).expect("steps");
        session.figures().observed.expect("an observation").1.digest_hex()
    }

    #[test]
    fn a_flow_field_can_be_followed_later() {
        let mut session = session("wind", &["species.0.behaviors.flow_field.enabled=false"]);
        digest_after(&mut session, 5);
        let state = session.simulation().state().expect("a state");
        let enable = |draft: &mut Draft| draft.species[0].enable("flow_field").map(drop);
        let scene = session.scene().edit(enable).expect("a scene");
        assert_eq!(session.change(scene.draft()).expect("a change"), Ok(()));
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
        let why = changed.change(scene).expect("no failure of the device").expect_err("a refusal");
        assert!(why.contains("min_speed"), "{why}");
        assert_eq!(changed.scene(), changed.original());
        assert_eq!(digest_after(&mut changed, 3), digest_after(&mut session("flock", &[]), 3));
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
}
