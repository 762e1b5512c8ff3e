//! Ctrl-C and SIGTERM: the first asks the program to stop in order, the second stops it at once.

use super::Failure;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Whether somebody asked the program to stop.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicUsize>);

impl Interrupt {
    /// From now on, signals only leave a mark here.
    pub fn listen() -> Result<Interrupt, Failure> {
        let interrupt = Interrupt::default();
        let again = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            let code = 128 + signal;
            flag::register_conditional_shutdown(signal, code, Arc::clone(&again))
                .and_then(|_| flag::register(signal, Arc::clone(&again)))
                .and_then(|_| flag::register_usize(signal, Arc::clone(&interrupt.0), code as usize))
                .map_err(|error| Failure::Other(format!("cannot listen for Ctrl-C: {error}")))?;
        }
        Ok(interrupt)
    }

    /// The exit code of the signal that came: 130 or 143.
    pub fn code(&self) -> Option<u8> {
        let code = self.0.load(Ordering::SeqCst);
        (code != 0).then_some(code as u8)
    }
}
