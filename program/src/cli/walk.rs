//! The steps of a run with their rows: what `run`, `rerun` and `sweep` do alike.

use super::Failure;
use super::interrupt::{Interrupt, Signal};
use crate::until::Until;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use steerling::engine::{Engine, EngineError};
use steerling::model::Observation;

/// Steps are waited for in batches of about this long, so that Ctrl-C and the progress bar react.
const BATCH: Duration = Duration::from_millis(100);

/// Rows that are read together at most.
const MOST_ROWS: u64 = 1000;

/// Why a walk ended.
#[derive(Debug, Clone, Copy)]
pub enum End {
    /// All steps are done.
    Steps,
    /// What `--until` asks for has happened.
    Until,
    /// Somebody asked to stop.
    Signal(Signal),
}

/// What looks on while a simulation steps.
pub trait Witness {
    /// A row is there.
    fn row(&mut self, step: u64, seen: &Observation) -> Result<(), Failure>;

    /// The simulation stands at one of the stops.
    fn stop(&mut self, _step: u64, _engine: &Shared) -> Result<(), Failure> {
        Ok(())
    }
}

/// Nobody looks on.
impl Witness for () {
    fn row(&mut self, _: u64, _: &Observation) -> Result<(), Failure> {
        Ok(())
    }
}

/// A simulation that is shared with the thread that steps, which a signal leaves alone with it.
#[derive(Debug)]
pub struct Shared {
    engine: Arc<Mutex<Engine>>,
    interrupt: Interrupt,
}

impl Shared {
    /// Ask the simulation, or leave it to what it does.
    pub fn ask<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&mut Engine) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Failure> {
        Ok(self.interrupt.patiently_with(&self.engine, ask)??)
    }
}

/// A simulation on its way.
#[derive(Debug)]
pub struct Walk {
    pub engine: Shared,
    /// Steps that are done.
    pub step: u64,
    /// Steps to do in all.
    pub steps: u64,
    /// Steps from row to row.
    pub every: u64,
    /// There is no row before this step.
    pub burn_in: u64,
    /// Steps from stop to stop, of each kind of stop.
    pub stops: Vec<u64>,
    /// What ends it before.
    pub until: Option<Until>,
    /// The step of the latest row.
    observed: Option<u64>,
    is_met: bool,
    /// Seconds that the steps took.
    pub seconds: f64,
    /// Seconds per step of each batch.
    pub step_times: Vec<f64>,
}

impl Walk {
    /// A walk of so many steps, of which some are done.
    pub fn new(engine: Engine, interrupt: &Interrupt, step: u64, steps: u64, every: u64) -> Walk {
        let engine = Shared { engine: Arc::new(Mutex::new(engine)), interrupt: interrupt.clone() };
        let (stops, step_times) = (Vec::new(), Vec::new());
        let (burn_in, until, observed, is_met, seconds) = (0, None, None, false, 0.0);
        Walk { engine, step, steps, every, burn_in, stops, until, observed, is_met, seconds, step_times }
    }

    /// The simulation again, unless a thread has been left alone with it.
    pub fn into_engine(self) -> Option<Engine> {
        Arc::into_inner(self.engine.engine).map(|engine| engine.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Go on to the end, or until somebody asks to stop. The last step has a row, whatever ended it.
    pub fn go(&mut self, witness: &mut impl Witness, bar: &ProgressBar) -> Result<End, Failure> {
        let (mut batch, first) = (1, self.burn_in.div_ceil(self.every) * self.every);
        if self.step >= first && self.step.is_multiple_of(self.every) {
            self.observe(witness)?;
        }
        while self.step < self.steps && !self.is_met {
            if let Some(signal) = self.engine.interrupt.signal() {
                self.observe_last(witness)?;
                return Ok(End::Signal(signal));
            }
            let next_of = |every: u64| (self.step / every + 1).saturating_mul(every).min(self.steps);
            let next_row = next_of(self.every).max(first).min(self.steps);
            let next = self.stops.iter().map(|every| next_of(*every)).min().unwrap_or(self.steps);
            let now = batch.min(next - self.step);
            // No step waits for a row, unless the row may be the last.
            let most = if self.until.is_some() { 1 } else { MOST_ROWS };
            let rows = if next_row == self.step.saturating_add(self.every) { (now / self.every).min(most) } else { 0 };
            let now = if rows > 0 { rows * self.every } else { now.min(next_row - self.step) };
            let (start, every) = (Instant::now(), self.every);
            let seen = self.engine.ask(move |engine| match rows {
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
            bar.inc(now);
            batch = match took {
                _ if took * 2 < BATCH => (now * 2).max(batch).min(1 << 20),
                _ if took > BATCH * 2 => (now / 2).max(1),
                _ => batch,
            };
            if rows == 0 && self.step == next_row {
                self.observe(witness)?;
            }
            if self.stops.iter().any(|every| self.step.is_multiple_of(*every)) {
                witness.stop(self.step, &self.engine)?;
            }
        }
        self.observe_last(witness)?;
        Ok(if self.is_met { End::Until } else { End::Steps })
    }

    fn observe_last(&mut self, witness: &mut impl Witness) -> Result<(), Failure> {
        if self.observed == Some(self.step) { Ok(()) } else { self.observe(witness) }
    }

    fn observe(&mut self, witness: &mut impl Witness) -> Result<(), Failure> {
        let seen = self.engine.ask(|engine| engine.observe())?;
        self.row(witness, self.step, &seen)
    }

    fn row(&mut self, witness: &mut impl Witness, step: u64, seen: &Observation) -> Result<(), Failure> {
        self.observed = Some(step);
        self.is_met = self.until.as_mut().is_some_and(|until| until.sees(step, seen));
        witness.row(step, seen)
    }
}

/// A bar of steps on a terminal, nothing elsewhere and nothing with --quiet.
pub fn progress_bar(steps: u64) -> ProgressBar {
    if !tracing::enabled!(tracing::Level::INFO) {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {per_sec}, {eta} left{msg}");
    ProgressBar::new(steps).with_style(style.expect("a template that is right"))
}
