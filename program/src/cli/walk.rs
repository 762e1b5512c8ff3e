//! How the program owns a simulation while it steps on another thread. After a signal, thread and simulation are abandoned.

use super::Failure;
use super::interrupt::{Interrupt, Signal};
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::{Arc, Mutex, PoisonError};
use steerling::engine::Engine;
use steerling::gpu::GpuError;
use steerling::output::{End, Host, SweepHost, Walk, Witness};

/// A simulation, several worlds, or a simulation with what draws it, shared with the thread that steps it. An abandoned thread keeps its
/// lock and its share.
#[derive(Debug)]
pub struct Shared<S = Engine> {
    simulation: Arc<Mutex<S>>,
    interrupt: Interrupt,
    bar: ProgressBar,
}

impl<S> Shared<S> {
    pub fn new(simulation: S, interrupt: &Interrupt, bar: &ProgressBar) -> Shared<S> {
        Shared { simulation: Arc::new(Mutex::new(simulation)), interrupt: interrupt.clone(), bar: bar.clone() }
    }
}

impl<S: Send + 'static> Host<S> for Shared<S> {
    type Error = Failure;
    type Stop = Signal;

    fn ask<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&mut S) -> Result<T, GpuError> + Send + 'static,
    ) -> Result<T, Failure> {
        let simulation = Arc::clone(&self.simulation);
        let work = move || ask(&mut simulation.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(self.interrupt.run_abandonable(work)??)
    }

    fn stop(&self) -> Option<Signal> {
        self.interrupt.signal()
    }

    fn progressed(&self, steps: u64) {
        self.bar.inc(steps);
    }
}

impl SweepHost for Shared {
    fn into_engine(self) -> Option<Engine> {
        Arc::into_inner(self.simulation).map(|engine| engine.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn is_stop(failure: &Failure) -> bool {
        matches!(failure, Failure::Interrupted { .. })
    }
}

impl From<Signal> for Failure {
    fn from(signal: Signal) -> Failure {
        Failure::Interrupted { code: signal.code }
    }
}

/// Run a simulation from one step to another, which is the only row that the witness sees. A signal is a failure.
pub fn walk_to(engine: Engine, from: u64, to: u64, witness: &mut impl Witness<Shared>) -> Result<Shared, Failure> {
    let (interrupt, bar) = (Interrupt::listen()?, progress_bar(to));
    let mut walk = Walk::new(Shared::new(engine, &interrupt, &bar), from, to, to.max(1));
    bar.set_position(from);
    let end = walk.go(witness)?;
    bar.finish_and_clear();
    match end {
        End::Stop(signal) => Err(signal.into()),
        _ => Ok(walk.host),
    }
}

/// A progress bar of steps on a terminal; hidden elsewhere and with --quiet.
pub fn progress_bar(steps: u64) -> ProgressBar {
    if !tracing::enabled!(tracing::Level::INFO) {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {per_sec}, {eta} left{msg}");
    ProgressBar::new(steps).with_style(style.expect("a template that is right"))
}
