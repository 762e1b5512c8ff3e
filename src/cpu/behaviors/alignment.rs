//! Twin of `shaders/behaviors/alignment.wgsl`: toward the mean velocity of the neighbors (Reynolds 1999: average
//! velocity minus own velocity).

use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::vision::{Neighbor, sees};
use crate::model::Alignment;
use glam::Vec3;

/// What is summed over the neighbors.
#[derive(Clone, Copy, Default)]
pub struct AlignmentSum {
    velocity: Vec3,
    count: u32,
}

/// Add one neighbor.
pub fn alignment_add(sum: AlignmentSum, alignment: &Alignment, neighbor: &Neighbor) -> AlignmentSum {
    let seen = sees(alignment.vision, neighbor);
    let velocity = sum.velocity + neighbor.velocity * if seen { 1.0 } else { 0.0 };
    AlignmentSum { velocity, count: sum.count + u32::from(seen) }
}

/// u/s² before its weight.
pub fn alignment_resolve(sum: AlignmentSum, _alignment: &Alignment, agent: &Agent) -> Vec3 {
    if sum.count == 0 {
        return Vec3::ZERO;
    }
    steer_to(agent, sum.velocity / sum.count as f32)
}
