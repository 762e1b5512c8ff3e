//! Measurements of a run: how fast it is, and its digest and observables.

use crate::viewer::gaze::arrived;
use std::time::{Duration, Instant};
use steerling::gpu::{GpuError, Pending, Simulation, StepTimer, Times};
use steerling::model::{Observation, Stage};

/// The period over which speed and frame time are averaged.
const PERIOD: Duration = Duration::from_millis(500);

/// The latest measurements of a run.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// Steps per second of real time in the latest period; 0: not known.
    pub steps_per_second: f64,
    /// Mean time of a frame in the latest period, s; 0: not known.
    pub frame: f64,
    /// Time of a step on the adapter, s, from timestamps where the adapter has them; 0: not known.
    pub step: f64,
    /// Digest and observables, and the step after which they were taken.
    pub observed: Option<(u64, Observation)>,
}

/// Measures [`Figures`].
pub struct Meter {
    pub figures: Figures,
    timer: StepTimer,
    /// Is the time of a step unknown, because no step with the present passes was timed? A first step may take much longer than others.
    pub cost_unknown: bool,
    /// The start of the present period, the step at it, and the number of frames since.
    since: (Instant, u64, u32),
    /// The observation under way, and its step.
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

    /// Use the passes of this simulation from now on: the time of a step is unknown.
    pub fn set_simulation(&mut self, simulation: &Simulation) {
        self.timer = StepTimer::new(simulation);
        self.cost_unknown = true;
    }

    /// Drop the observations: their run no longer exists.
    pub fn forget(&mut self) {
        (self.figures.observed, self.coming) = (None, None);
    }

    /// Does the adapter time passes itself, by timestamps?
    pub fn times_passes(&self) -> bool {
        self.timer.times_passes()
    }

    /// Count a frame. Returns whether the period is over.
    pub fn frame(&mut self) -> bool {
        self.since.2 += 1;
        self.since.0.elapsed() >= PERIOD
    }

    /// Compute speed and frame time of the period that ends at this step.
    pub fn measure(&mut self, steps: u64) {
        let (start, first, frames) = self.since;
        let time = start.elapsed().as_secs_f64();
        self.figures.steps_per_second = (steps - first) as f64 / time;
        self.figures.frame = time / f64::from(frames);
    }

    /// Start a new period at this step.
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

    /// Request an observation of the present state, without waiting, unless one is under way.
    pub fn ask(&mut self, simulation: &Simulation) {
        if self.coming.is_none() {
            self.coming = Some((simulation.steps(), Box::new(simulation.read_observation())));
        }
    }

    /// Take over an observation that is complete. Returns whether it says that a driver cut a step off.
    pub fn arrive(&mut self) -> Result<bool, GpuError> {
        let Some((step, pending)) = arrived(&mut self.coming, |(_, read)| read)? else { return Ok(false) };
        let observation = pending.wait()?;
        // A pause may have observed a later step meanwhile, which is kept.
        let cut_off = observation.ever_cut_off;
        if !cut_off && self.figures.observed.as_ref().is_none_or(|(seen, _)| *seen < step) {
            self.figures.observed = Some((step, observation));
        }
        Ok(cut_off)
    }
}
