//! The camera as long as nobody touches it: it follows the agents, and goes around them.

use crate::gpu::{GpuError, Pending, Simulation};
use crate::render::View;
use std::time::{Duration, Instant};

/// Time between two looks at where the agents are.
const LOOK: Duration = Duration::from_millis(250);

/// What moves the camera.
#[derive(Default)]
pub enum Gaze {
    /// The scene, of whose agents nobody has seen yet where they are.
    #[default]
    Free,
    /// The scene: where its agents were lately, and since when that is known.
    Following { positions: Vec<u32>, since: Instant, coming: Option<Box<Pending<Vec<u32>>>> },
    /// The user.
    Touched,
}

impl Gaze {
    /// Did the user move the camera?
    pub fn touched(&self) -> bool {
        matches!(self, Gaze::Touched)
    }

    /// Move the camera by what the scene asks of it in this time.
    pub fn guide(
        &mut self,
        view: &mut View,
        simulation: &Simulation,
        elapsed: Duration,
        paused: bool,
    ) -> Result<(), GpuError> {
        let camera = simulation.scene().camera;
        if matches!(self, Gaze::Touched) {
            return Ok(());
        }
        // After a time in which nothing was drawn the camera does not jump.
        let seconds = elapsed.as_secs_f32().min(0.1);
        if !paused {
            view.turn_with(&camera, seconds);
        }
        if !camera.follow {
            return Ok(());
        }
        let Gaze::Following { positions, since, coming } = self else {
            let positions = simulation.words("position")?;
            view.follow(&positions, 1.0);
            *self = Gaze::Following { positions, since: Instant::now(), coming: None };
            return Ok(());
        };
        if coming.is_none() && since.elapsed() >= LOOK {
            *coming = Some(Box::new(simulation.read_words("position")?));
        }
        if let Some(pending) = coming.take() {
            if pending.poll_device()? {
                (*positions, *since) = (pending.wait()?, Instant::now());
            } else {
                *coming = Some(pending);
            }
        }
        view.follow(positions, View::eased(seconds));
        Ok(())
    }
}
