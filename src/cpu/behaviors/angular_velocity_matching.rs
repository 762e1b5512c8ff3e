//! Twin of `shaders/behaviors/angular_velocity_matching.wgsl`: to the angular velocity of the target.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::target::Goal;
use crate::model::AngularVelocityMatching;
use glam::Vec3;

/// rad/s² before its weight.
pub fn angular_velocity_matching_turn(
    _angular_velocity_matching: &AngularVelocityMatching,
    _agent: &Agent,
    _goal: &Goal,
) -> Vec3 {
    Vec3::ZERO
}
