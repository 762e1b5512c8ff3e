//! Twin of `shaders/behaviors/cohesion.wgsl`: toward the mean position of the neighbors, in proportion to its distance,
//! by seeking it, or in its direction alone (Reynolds 1999 names the last two).

use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::vector::{dot3, unit_or_zero};
use crate::cpu::common::vision::{Neighbor, sees};
use crate::model::Cohesion;
use glam::Vec3;

const COHESION_SEEK: u32 = 1;
const COHESION_DIRECTION: u32 = 2;

/// What is summed over the neighbors.
#[derive(Debug, Clone, Copy, Default)]
pub struct CohesionSum {
    offset: Vec3,
    count: u32,
}

/// Add one neighbor.
#[inline]
pub fn cohesion_add(sum: CohesionSum, cohesion: &Cohesion, neighbor: &Neighbor) -> CohesionSum {
    let seen = sees(cohesion.vision, neighbor);
    let offset = sum.offset + neighbor.offset * if seen { 1.0 } else { 0.0 };
    CohesionSum { offset, count: sum.count + u32::from(seen) }
}

/// The acceleration before the behavior's weight. Times the weight it is in u/s².
pub fn cohesion_resolve(sum: CohesionSum, cohesion: &Cohesion, agent: &Agent) -> Vec3 {
    if sum.count == 0 {
        return Vec3::ZERO;
    }
    let toward = unit_or_zero(sum.offset);
    match cohesion.form {
        COHESION_SEEK if dot3(toward, toward) == 0.0 => Vec3::ZERO,
        COHESION_SEEK => steer_to(agent, toward * agent.max_speed),
        COHESION_DIRECTION => toward,
        _ => sum.offset / sum.count as f32,
    }
}
