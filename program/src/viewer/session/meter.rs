//! What is measured of a run: how fast it is, and what it looks like.

use std::time::{Duration, Instant};
use steerling::gpu::{GpuError, Pending, Simulation, StepTimer, Times};
use steerling::model::{Observation, Stage};

/// Time over which figures are taken while it runs.
const PERIOD: Duration = Duration::from_millis(500);

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

/// Takes the figures.
pub struct Meter {
    pub figures: Figures,
    timer: StepTimer,
    /// Is the next step the first of its kind, which may take much longer than those before?
    pub cost_unknown: bool,
    /// Start of the time that the figures are taken over, with the step then, and frames since.
    since: (Instant, u64, u32),
    /// An observation on its way, and the step that it is of.
    coming: Option<(u64, Box<Pending<Observation>>)>,
}

impl Meter {
    pub fn new(simulation: &Simulation) -> Meter {
        Meter {
            figures: Figures::default(),
            timer: StepTimer::new(simulation),
            cost_unknown: true,
            since: (Instant::now(), simulation.steps(), 0),
            coming: None,
        }
    }

    /// The passes may be others: their time is not known.
    pub fn set_simulation(&mut self, simulation: &Simulation) {
        self.timer = StepTimer::new(simulation);
        self.cost_unknown = true;
    }

    /// What was seen is of a run that there is no more.
    pub fn forget(&mut self) {
        (self.figures.observed, self.coming) = (None, None);
    }

    /// Does the adapter measure steps itself?
    pub fn times_passes(&self) -> bool {
        self.timer.times_passes()
    }

    /// A frame is drawn. Says whether it is time for new figures.
    pub fn frame(&mut self) -> bool {
        self.since.2 += 1;
        self.since.0.elapsed() >= PERIOD
    }

    /// How fast it was since the figures started anew.
    pub fn measure(&mut self, steps: u64) {
        let (start, first, frames) = self.since;
        let time = start.elapsed().as_secs_f64();
        self.figures.steps_per_second = (steps - first) as f64 / time;
        self.figures.frame = time / f64::from(frames);
    }

    /// The time that went by does not count: the figures start anew.
    pub fn rest(&mut self, steps: u64) {
        self.since = (Instant::now(), steps, 0);
    }

    /// Take a step. Returns the time of each of its stages that was timed, s.
    pub fn timed_step(&mut self, simulation: &mut Simulation) -> Result<Vec<(&'static Stage, f64)>, GpuError> {
        let mut times = Times::default();
        self.timer.step(simulation, &mut times)?;
        if let Some(time) = times.steps.first() {
            self.figures.step = time.max(1e-9);
        }
        let stages = times.stages(simulation).into_iter();
        Ok(stages.filter_map(|(stage, times)| Some((stage, *times.first()?))).collect())
    }

    /// Ask for an observation of the state of now, if none is on its way. Nobody waits for it.
    pub fn ask(&mut self, simulation: &Simulation) {
        if self.coming.is_none() {
            self.coming = Some((simulation.steps(), Box::new(simulation.read_observation())));
        }
    }

    /// Take over an observation that has come. Says whether a driver cut a step off.
    pub fn arrive(&mut self) -> Result<bool, GpuError> {
        let Some((step, pending)) = self.coming.take() else { return Ok(false) };
        if !pending.poll_device()? {
            self.coming = Some((step, pending));
            return Ok(false);
        }
        let observation = pending.wait()?;
        // A pause meanwhile has shown a later step.
        let cut_off = observation.ever_cut_off;
        if !cut_off && self.figures.observed.as_ref().is_none_or(|(seen, _)| *seen < step) {
            self.figures.observed = Some((step, observation));
        }
        Ok(cut_off)
    }
}
