//! Ctrl-C, SIGTERM and the hangup of a terminal: the first signal asks the program to stop in order, a later one stops it
//! at once.
//!
//! A command listens as soon as it has something to lose. Before that, while it reads its inputs and opens the device,
//! signals end it as they end any program. From then on all work that may wait for a driver, which may compile for minutes when
//! a pass first runs, is done on another thread. After a signal the command stops waiting for that thread and abandons it.

use super::Failure;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Signals that come within this time count as one: programs that send one often send two.
const ONE: Duration = Duration::from_millis(500);
/// Interval at which signals are polled.
const LOOK: Duration = Duration::from_millis(20);
/// How long work may go on after a signal. With the time to notice the signal and to end, the program stops within two seconds.
const PATIENCE: Duration = Duration::from_millis(1500);

/// A signal that came.
#[derive(Debug, Clone, Copy)]
pub struct Signal {
    /// Such as `SIGINT`.
    pub name: &'static str,
    /// Exit code: 128 plus the number of the signal.
    pub code: u8,
    /// When it was noticed.
    pub at: Instant,
}

/// Whether the program was asked to stop.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<OnceLock<Signal>>);

impl Interrupt {
    /// Handle signals from now on: the first one is only recorded here, a later one ends the program.
    pub fn listen() -> Result<Interrupt, Failure> {
        let fault = |error| Failure::Other(format!("cannot listen for Ctrl-C: {error}"));
        let again = Arc::new(AtomicBool::new(false));
        let mut came = Vec::new();
        for (name, signal) in signals() {
            let (code, flag) = (128 + signal, Arc::new(AtomicBool::new(false)));
            flag::register_conditional_shutdown(signal, code, Arc::clone(&again)).map_err(fault)?;
            flag::register(signal, Arc::clone(&flag)).map_err(fault)?;
            came.push((name, code as u8, flag));
        }
        let interrupt = Interrupt::default();
        let first = Arc::clone(&interrupt.0);
        let watch = move || {
            let (name, code) = loop {
                match came.iter().find(|(_, _, flag)| flag.load(Ordering::SeqCst)) {
                    Some((name, code, _)) => break (*name, *code),
                    None => std::thread::sleep(LOOK),
                }
            };
            first.get_or_init(|| Signal { name, code, at: Instant::now() });
            std::thread::sleep(ONE);
            again.store(true, Ordering::SeqCst);
        };
        std::thread::Builder::new().name("signals".to_owned()).spawn(watch).map_err(fault)?;
        Ok(interrupt)
    }

    /// The first signal that came.
    pub fn signal(&self) -> Option<Signal> {
        self.0.get().copied()
    }

    /// Did a signal come longer ago than `time`?
    pub fn older_than(&self, time: Duration) -> bool {
        self.signal().is_some_and(|signal| signal.at.elapsed() > time)
    }

    /// A failure if a signal came.
    pub fn check(&self) -> Result<(), Failure> {
        self.signal().map_or(Ok(()), |signal| Err(Failure::Interrupted { code: signal.code }))
    }

    /// Do `work` on another thread, and wait for it. After a signal wait no longer than `PATIENCE`, then abandon the thread.
    ///
    /// # Errors
    /// [`Failure::Interrupted`] if the thread was abandoned.
    pub fn run_abandonable<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
        let ((done, result), begin) = (channel(), Instant::now());
        // Sending fails if the receiver no longer waits.
        rayon::spawn(move || drop(done.send(catch_unwind(AssertUnwindSafe(work)))));
        loop {
            match result.recv_timeout(LOOK) {
                Ok(done) => return Ok(done.unwrap_or_else(|panic| resume_unwind(panic))),
                Err(RecvTimeoutError::Timeout) if !self.older_than(PATIENCE) || begin.elapsed() < PATIENCE => {}
                Err(_) => return Err(Failure::Interrupted { code: self.signal().map_or(130, |signal| signal.code) }),
            }
        }
    }
}

/// The signals that ask the program to stop in order, with their names.
fn signals() -> Vec<(&'static str, i32)> {
    #[cfg(unix)]
    let hangup = (!hangup_is_ignored()).then_some(("SIGHUP", signal_hook::consts::SIGHUP));
    #[cfg(not(unix))]
    let hangup = None;
    [("SIGINT", SIGINT), ("SIGTERM", SIGTERM)].into_iter().chain(hangup).collect()
}

/// Was the program started so that it outlives its terminal, as by `nohup`? Also true where the system does not tell.
#[cfg(unix)]
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| mask & (1 << (signal_hook::consts::SIGHUP - 1)) != 0)
}
