//! The run as it was lately, to which a lost device falls back.

use steerling::gpu::{GpuError, Pending, Simulation};
use steerling::model::Snapshot;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time between two snapshots of a run.
const KEEP: Duration = Duration::from_secs(5);

/// Keeps a snapshot of the run: now and then, and each time that it comes to rest.
#[derive(Default)]
pub struct Keeper {
    kept: Option<Snapshot>,
    coming: Option<Coming>,
    /// When and after which step the latest one was asked for.
    asked: Option<(Instant, u64)>,
}

/// A snapshot on its way. Neither the device nor the sorting of a million agents holds up the window.
enum Coming {
    /// The device copies the words.
    Copied(Box<Pending<Snapshot>>),
    /// A thread puts them into the order of ids.
    Sorted(JoinHandle<Option<Snapshot>>),
}

impl Keeper {
    /// Take a snapshot if it is time, and see how far the latest one has come.
    pub fn keep(&mut self, simulation: &Simulation, paused: bool) -> Result<(), GpuError> {
        self.coming = match self.coming.take() {
            Some(Coming::Copied(pending)) if pending.poll_device()? => {
                Some(Coming::Sorted(std::thread::spawn(move || pending.wait().ok())))
            }
            Some(Coming::Sorted(thread)) if thread.is_finished() => {
                self.take(thread);
                None
            }
            coming => coming,
        };
        let due = self.asked.is_none_or(|(at, step)| step != simulation.steps() && (paused || at.elapsed() >= KEEP));
        if self.coming.is_none() && due {
            self.asked = Some((Instant::now(), simulation.steps()));
            self.coming = Some(Coming::Copied(Box::new(simulation.read_snapshot())));
        }
        Ok(())
    }

    /// Is one on its way?
    pub fn busy(&self) -> bool {
        self.coming.is_some()
    }

    /// The device is lost: the latest snapshot that came off it, if there is any. The next one is taken of another device.
    pub fn fall_back(&mut self) -> Option<&Snapshot> {
        if let Some(Coming::Sorted(thread)) = self.coming.take() {
            self.take(thread);
        }
        self.asked = None;
        self.kept.as_ref()
    }

    fn take(&mut self, thread: JoinHandle<Option<Snapshot>>) {
        // What failed with the device is no snapshot.
        self.kept = thread.join().ok().flatten().or(self.kept.take());
    }
}
