//! Twin of `shaders/behaviors/alignment.wgsl`: toward the mean velocity of the neighbors, or toward their
//! mean heading at full speed (Reynolds 1999: the average velocity, or the average unit forward vector).

use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::vector::{dot3, unit_or_zero};
use crate::cpu::common::vision::{Neighbor, sees};
use crate::model::{Alignment, random::STANDSTILL};
use glam::Vec3;

/// Value of the parameter `mode`.
pub const ALIGN_HEADINGS: u32 = 1;

/// What is summed over the neighbors.
#[derive(Debug, Clone, Copy, Default)]
pub struct AlignmentSum {
    velocity: Vec3,
    count: u32,
}

/// Add one neighbor.
pub fn alignment_add(sum: AlignmentSum, alignment: &Alignment, neighbor: &Neighbor) -> AlignmentSum {
    let seen = sees(alignment.vision, neighbor);
    let theirs = if alignment.mode == ALIGN_HEADINGS { neighbor.heading } else { neighbor.velocity };
    let velocity = sum.velocity + theirs * if seen { 1.0 } else { 0.0 };
    AlignmentSum { velocity, count: sum.count + u32::from(seen) }
}

/// u/s² before its weight.
pub fn alignment_resolve(sum: AlignmentSum, alignment: &Alignment, agent: &Agent) -> Vec3 {
    if sum.count == 0 {
        return Vec3::ZERO;
    }
    if alignment.mode == ALIGN_HEADINGS {
        return align_to_heading(sum.velocity, agent);
    }
    steer_to(agent, sum.velocity / sum.count as f32)
}

/// Toward the direction of a sum of unit vectors, at full speed.
pub fn align_to_heading(headings: Vec3, agent: &Agent) -> Vec3 {
    if dot3(headings, headings) <= STANDSTILL {
        return Vec3::ZERO;
    }
    steer_to(agent, unit_or_zero(headings) * agent.max_speed)
}
