//! Twin of `shaders/behaviors/cohesion.wgsl`: toward the mean position of the neighbors (Reynolds 1999), in proportion
//! to its distance. The mean is taken of offsets, so that it holds across a seam and far from the origin.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::vision::{Neighbor, sees};
use crate::model::Cohesion;
use glam::Vec3;

/// What is summed over the neighbors.
#[derive(Clone, Copy, Default)]
pub struct CohesionSum {
    offset: Vec3,
    count: u32,
}

/// Add one neighbor.
pub fn cohesion_add(sum: CohesionSum, cohesion: &Cohesion, neighbor: &Neighbor) -> CohesionSum {
    let seen = sees(cohesion.vision, neighbor);
    let offset = sum.offset + neighbor.offset * if seen { 1.0 } else { 0.0 };
    CohesionSum { offset, count: sum.count + u32::from(seen) }
}

/// u before its weight.
pub fn cohesion_resolve(sum: CohesionSum, _cohesion: &Cohesion, _agent: &Agent) -> Vec3 {
    if sum.count == 0 {
        return Vec3::ZERO;
    }
    sum.offset / sum.count as f32
}
