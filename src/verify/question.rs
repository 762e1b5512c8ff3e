//! Why agents of a simulation on a GPU steer as they do. The answer comes from the reference, which computes the same steering.

use super::ulps;
use crate::cpu::{self, Execution, Why};
use crate::gpu::{Agent, GpuError, Simulation};
use crate::model::{GridChoice, Snapshot};
use crate::scene::Scene;
use glam::Vec3;

/// The question how agents steer in the step that begins with a snapshot. It needs no device, so another thread may answer it.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    scene: Scene,
    grid: GridChoice,
    mouse: Vec3,
    ids: Vec<u32>,
}

impl Question {
    /// A question about these agents of a simulation.
    pub fn new(simulation: &Simulation, ids: &[u32]) -> Question {
        let mouse = simulation.model().world.mouse.into();
        Question { scene: simulation.scene().clone(), grid: simulation.grid(), mouse, ids: ids.to_vec() }
    }

    /// The agents that the question is about.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The answer for each of these agents. It takes as long as a step of the reference without the steering of all other agents: some
    /// tenths of a second for a million agents, and 500 MB.
    ///
    /// # Errors
    /// A snapshot of another scene, [`GpuError::NoAgent`], and what the reference refuses.
    pub fn answer(&self, snapshot: &Snapshot) -> Result<Vec<Why>, GpuError> {
        let reference = cpu::Simulation::resume(&self.scene, snapshot, Execution::Parallel, self.grid);
        let mut reference = reference?;
        reference.set_mouse(self.mouse);
        Ok(reference.why(&self.ids)?)
    }
}

/// How far an agent after a step is from what `why` says of that step, in units in the last place: the largest difference of any component
/// of its velocity and, if it was kept, of its stored acceleration. Velocities are not compared if bodies collide, because contacts change
/// them afterwards. 0 means equal bits. `after` is the agent when the step is done; without it the result is `u64::MAX`.
pub fn ulps_off(why: &Why, after: Option<&Agent>, collides: bool) -> u64 {
    let Some(after) = after else { return u64::MAX };
    let velocity = (!collides).then_some((why.next_velocity, after.velocity));
    let acceleration = after.acceleration.map(|stored| (why.acceleration, stored));
    let pairs = velocity.into_iter().chain(acceleration).flat_map(|(said, found)| said.into_iter().zip(found));
    let off = |(said, found): (f32, f32)| match said.to_bits() == found.to_bits() {
        true => 0,
        // Zeros of different signs are 0 units apart, but not equal.
        false => ulps(said, found).max(1),
    };
    pairs.map(off).max().unwrap_or(0)
}
