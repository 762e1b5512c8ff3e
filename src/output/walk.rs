//! The loop that steps a simulation from row to row: what `run`, `rerun`, `sweep` and the package for Python have in common.

use super::until::Until;
use crate::engine::Engine;
use crate::gpu::GpuError;
use crate::model::Observation;
use std::time::{Duration, Instant};

/// Steps are waited for in batches of about this long, so that Ctrl-C and a progress bar react.
const BATCH: Duration = Duration::from_millis(100);

/// The most rows that are read together.
const MOST_ROWS: u64 = 1000;

/// The number of steps of the next batch, after a batch in which `steps` steps took this long.
pub fn next_batch(batch: u64, steps: u64, took: Duration) -> u64 {
    match took {
        _ if took * 2 < BATCH => (steps * 2).max(batch).min(1 << 20),
        _ if took > BATCH * 2 => (steps / 2).max(1),
        _ => batch,
    }
}

/// Why a walk ended.
#[derive(Debug, Clone, Copy)]
pub enum End<S> {
    /// All steps are done.
    Steps,
    /// The condition of `--until` was met.
    Until,
    /// It was asked to stop.
    Stop(S),
}

/// The owner of a simulation, or of several worlds side by side, which waits for it and may be asked to stop.
pub trait Host<S = Engine> {
    /// Why it cannot go on.
    type Error: From<GpuError>;
    /// Why it stops before the end.
    type Stop;

    /// Run a closure on the simulation, and wait for its result.
    ///
    /// # Errors
    /// The closure's error, or that the host waits for it no longer.
    fn ask<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&mut S) -> Result<T, GpuError> + Send + 'static,
    ) -> Result<T, Self::Error>;

    /// The reason to stop now, if there is one. Called between batches.
    fn stop(&self) -> Option<Self::Stop>;

    /// Called after this many more steps are done.
    fn progressed(&self, steps: u64);
}

/// Receives the rows of a walk, and acts at its stops.
pub trait Witness<H: Host> {
    /// Called for each row.
    ///
    /// # Errors
    /// They end the walk.
    fn row(&mut self, step: u64, seen: &Observation) -> Result<(), H::Error>;

    /// Called when the simulation is at one of the [`Walk::stops`].
    ///
    /// # Errors
    /// They end the walk.
    fn stop(&mut self, _step: u64, _host: &H) -> Result<(), H::Error> {
        Ok(())
    }
}

/// A walk without a witness.
impl<H: Host> Witness<H> for () {
    fn row(&mut self, _: u64, _: &Observation) -> Result<(), H::Error> {
        Ok(())
    }
}

/// A simulation that is stepped from row to row.
#[derive(Debug)]
pub struct Walk<H> {
    /// The owner of the simulation.
    pub host: H,
    /// Steps that are done.
    pub step: u64,
    /// Steps to do in all.
    pub steps: u64,
    /// Steps between rows.
    pub every: u64,
    /// There is no row before this step.
    pub burn_in: u64,
    /// For each kind of stop, such as checkpoints, the steps between two of them.
    pub stops: Vec<u64>,
    /// The condition that ends the walk early, if any.
    pub until: Option<Until>,
    /// The step of the latest row.
    observed: Option<u64>,
    is_met: bool,
    /// Seconds that the steps took.
    pub seconds: f64,
    /// Seconds per step of each batch.
    pub step_times: Vec<f64>,
}

impl<H: Host> Walk<H> {
    /// A walk to step `steps`, of which `step` are done, with a row every `every` steps, at least 1.
    pub fn new(host: H, step: u64, steps: u64, every: u64) -> Walk<H> {
        let (stops, step_times) = (Vec::new(), Vec::new());
        let (burn_in, until, observed, is_met, seconds) = (0, None, None, false, 0.0);
        Walk { host, step, steps, every: every.max(1), burn_in, stops, until, observed, is_met, seconds, step_times }
    }

    /// Step to the end, or until the host asks to stop. There is a row after the last step, whatever ended the walk.
    ///
    /// # Errors
    /// Errors of the host or the witness.
    pub fn go(&mut self, witness: &mut impl Witness<H>) -> Result<End<H::Stop>, H::Error> {
        let (mut batch, first) = (1, self.burn_in.div_ceil(self.every) * self.every);
        if self.step >= first && self.step.is_multiple_of(self.every) {
            self.observe(witness)?;
        }
        while self.step < self.steps && !self.is_met {
            if let Some(stop) = self.host.stop() {
                self.observe_last(witness)?;
                return Ok(End::Stop(stop));
            }
            let next_of = |every: u64| (self.step / every + 1).saturating_mul(every).min(self.steps);
            let next_row = next_of(self.every).max(first).min(self.steps);
            let next = self.stops.iter().map(|every| next_of(*every)).min().unwrap_or(self.steps);
            let now = batch.min(next - self.step);
            // Rows are read in groups, so that no step waits for one; with `--until` one by one, because each may end the run.
            let most = if self.until.is_some() { 1 } else { MOST_ROWS };
            let rows = if next_row == self.step.saturating_add(self.every) { (now / self.every).min(most) } else { 0 };
            let now = if rows > 0 { rows * self.every } else { now.min(next_row - self.step) };
            let (start, every) = (Instant::now(), self.every);
            let seen = self.host.ask(move |engine| match rows {
                0 => engine.step(now as u32).map(|()| Vec::new()),
                rows => engine.observations(rows as u32, every as u32),
            })?;
            let took = start.elapsed();
            self.seconds += took.as_secs_f64();
            self.step_times.push(took.as_secs_f64() / now as f64);
            for (row, seen) in (1..).zip(&seen) {
                self.row(witness, self.step + row * every, seen)?;
            }
            self.step += now;
            self.host.progressed(now);
            batch = next_batch(batch, now, took);
            if rows == 0 && self.step == next_row {
                self.observe(witness)?;
            }
            if self.stops.iter().any(|every| self.step.is_multiple_of(*every)) {
                witness.stop(self.step, &self.host)?;
            }
        }
        self.observe_last(witness)?;
        Ok(if self.is_met { End::Until } else { End::Steps })
    }

    fn observe_last(&mut self, witness: &mut impl Witness<H>) -> Result<(), H::Error> {
        if self.observed == Some(self.step) { Ok(()) } else { self.observe(witness) }
    }

    fn observe(&mut self, witness: &mut impl Witness<H>) -> Result<(), H::Error> {
        let seen = self.host.ask(|engine| engine.observe())?;
        self.row(witness, self.step, &seen)
    }

    fn row(&mut self, witness: &mut impl Witness<H>, step: u64, seen: &Observation) -> Result<(), H::Error> {
        self.observed = Some(step);
        self.is_met = self.until.as_mut().is_some_and(|until| until.sees(step, seen));
        witness.row(step, seen)
    }
}
