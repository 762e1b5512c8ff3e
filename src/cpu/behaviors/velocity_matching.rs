//! Twin of `shaders/behaviors/velocity_matching.wgsl`: to the velocity of the target.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::target::Goal;
use crate::model::VelocityMatching;
use glam::Vec3;

/// u/s² before its weight.
pub fn velocity_matching_steer(_velocity_matching: &VelocityMatching, _agent: &Agent, _goal: &Goal) -> Vec3 {
    Vec3::ZERO
}
