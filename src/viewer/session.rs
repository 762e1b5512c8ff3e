//! A simulation under the hands of a user: running or paused, at some speed, with changing parameters.

use super::Pace;
use crate::gpu::{Gpu, GpuError, Options, Simulation, StepTimer, Times};
use crate::model::{Observation, State};
use crate::scene::Scene;
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
    /// Steps of the simulation object at the latest restart.
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
        let simulation = start(gpu, &scene, &options)?;
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
        self.simulation.steps() - self.first
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

    /// The time that went by does not count: the figures start anew.
    pub fn rest(&mut self) {
        self.since = (Instant::now(), self.steps(), 0);
    }

    /// Back to the start, with this seed and the parameters as they are now.
    pub fn restart(&mut self, seed: u32) -> Result<(), GpuError> {
        let gpu = self.simulation.gpu().clone();
        if seed == self.scene.seed {
            self.simulation.set_state(&State::initial(&self.scene))?;
            // Nobody has looked for neighbors yet.
            self.simulation.write_words("neighbors", &vec![0; self.scene.agent_count() as usize]);
            self.first = self.simulation.steps();
        } else {
            // A flow field may depend on the seed, so everything is made anew.
            self.scene.seed = seed;
            self.original.seed = seed;
            self.simulation = start(&gpu, &self.scene, &self.options)?;
            self.timer = StepTimer::new(&self.simulation);
            self.first = 0;
        }
        self.trouble = None;
        self.figures.observed = None;
        self.rest();
        self.look()
    }

    /// Take over changed parameters, or say why not and go on with those of before.
    pub fn change(&mut self, scene: Scene) -> Result<Result<(), String>, GpuError> {
        if let Err(error) = scene.check() {
            return Ok(Err(format!("{} stays as it is: {}", error.key, error.message)));
        }
        if let Err(error) = self.simulation.set_parameters(&scene) {
            self.simulation.gpu().check()?;
            self.simulation.set_parameters(&self.scene)?;
            return Ok(Err(error.to_string()));
        }
        self.timer = StepTimer::new(&self.simulation);
        self.cost_unknown = true;
        self.scene = scene;
        Ok(Ok(()))
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

fn start(gpu: &Gpu, scene: &Scene, options: &Options) -> Result<Simulation, GpuError> {
    // What does not fit is refused before its agents are made.
    Simulation::check(gpu, scene, options)?;
    Simulation::new(gpu, scene, &State::initial(scene), options.clone())
}
