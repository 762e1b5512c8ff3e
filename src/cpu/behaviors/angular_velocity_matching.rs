//! Twin of `shaders/behaviors/angular_velocity_matching.wgsl`: take on the angular velocity of the target.

use crate::cpu::common::agent::{Agent, Turner};
use crate::cpu::common::target::Goal;
use crate::model::AngularVelocityMatching;
use glam::Vec3;

/// The angular acceleration before the behavior's weight, rad/s².
pub fn angular_velocity_matching_turn(
    angular_velocity_matching: &AngularVelocityMatching,
    agent: &Agent,
    turner: &Turner,
    goal: &Goal,
) -> Vec3 {
    if !goal.exists {
        return Vec3::ZERO;
    }
    (goal.spin - turner.spin) / angular_velocity_matching.time_to_target.max(agent.interval)
}
