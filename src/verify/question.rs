//! Why agents of a simulation on a GPU steer as they do: the reference is asked, which steers as they do.

use super::refused;
use crate::cpu::{self, Execution, Why};
use crate::gpu::{GpuError, Simulation};
use crate::model::{GridChoice, Snapshot};
use crate::scene::Scene;
use glam::Vec3;

/// Asks how agents steer in the step that begins with a snapshot. It needs no device, so another thread may answer it.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    scene: Scene,
    grid: GridChoice,
    mouse: Vec3,
    ids: Vec<u32>,
}

impl Question {
    /// About these agents of a simulation.
    pub fn new(simulation: &Simulation, ids: &[u32]) -> Question {
        let mouse = simulation.model().world.mouse.into();
        Question { scene: simulation.scene().clone(), grid: simulation.grid(), mouse, ids: ids.to_vec() }
    }

    /// The answer for each of them. It takes the reference the time of a step without the steering of all others: some tenths of a
    /// second for a million agents, and 500 MB.
    ///
    /// # Errors
    /// A snapshot of another scene, [`GpuError::NoAgent`], and what the reference refuses.
    pub fn answer(&self, snapshot: &Snapshot) -> Result<Vec<Why>, GpuError> {
        let reference = cpu::Simulation::resume(&self.scene, snapshot, Execution::Parallel, self.grid);
        let mut reference = reference.map_err(refused)?;
        reference.set_mouse(self.mouse);
        reference.why(&self.ids).map_err(refused)
    }
}
