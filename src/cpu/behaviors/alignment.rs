//! Twin of `shaders/behaviors/alignment.wgsl`: toward the mean velocity of the neighbors, or toward their mean heading
//! (Reynolds 1999), or in the direction of one of these at full speed.

use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::vector::{dot3, unit_or_zero};
use crate::cpu::common::vehicle::direction_of;
use crate::cpu::common::vision::{Neighbor, sees};
use crate::model::{Alignment, random::STANDSTILL};
use glam::Vec3;

/// Value of the parameter `mode`.
pub const ALIGN_HEADINGS: u32 = 1;
/// Value of the parameter `mode`. Modes from this one on go at full speed.
pub const ALIGN_FULL_SPEED: u32 = 2;
/// Value of the parameter `mode`.
pub const ALIGN_COURSE: u32 = 3;

/// What is summed over the neighbors.
#[derive(Debug, Clone, Copy, Default)]
pub struct AlignmentSum {
    velocity: Vec3,
    count: u32,
}

/// Add one neighbor.
#[inline]
pub fn alignment_add(sum: AlignmentSum, alignment: &Alignment, neighbor: &Neighbor) -> AlignmentSum {
    let seen = sees(alignment.vision, neighbor);
    let by_heading = [ALIGN_HEADINGS, ALIGN_COURSE].contains(&alignment.mode);
    let theirs = if by_heading { neighbor.heading() } else { neighbor.velocity };
    let counts = seen && (!by_heading || dot3(theirs, theirs) > 0.0);
    let velocity = sum.velocity + theirs * if seen { 1.0 } else { 0.0 };
    AlignmentSum { velocity, count: sum.count + u32::from(counts) }
}

/// The acceleration before the behavior's weight, u/s².
pub fn alignment_resolve(sum: AlignmentSum, alignment: &Alignment, agent: &Agent) -> Vec3 {
    if sum.count == 0 {
        return Vec3::ZERO;
    }
    if alignment.mode == ALIGN_HEADINGS {
        return align_headings(sum.velocity, sum.count, agent);
    }
    if alignment.mode >= ALIGN_FULL_SPEED {
        return align_to_course(sum.velocity, agent);
    }
    steer_to(agent, sum.velocity / sum.count as f32)
}

/// The acceleration that aligns the direction of the agent's velocity with the mean of `count` headings, given by their sum, u/s².
pub fn align_headings(headings: Vec3, count: u32, agent: &Agent) -> Vec3 {
    if count == 0 {
        return Vec3::ZERO;
    }
    (headings / count as f32 - direction_of(agent.velocity, agent.forward)) * (agent.max_speed / agent.time_constant)
}

/// The acceleration toward the direction of a sum of velocities or headings, at full speed, u/s².
pub fn align_to_course(sum: Vec3, agent: &Agent) -> Vec3 {
    if dot3(sum, sum) <= STANDSTILL {
        return Vec3::ZERO;
    }
    steer_to(agent, unit_or_zero(sum) * agent.max_speed)
}
