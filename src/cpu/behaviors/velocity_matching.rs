//! Twin of `shaders/behaviors/velocity_matching.wgsl`: take on the velocity of the target.

use crate::cpu::common::agent::{Agent, match_velocity};
use crate::cpu::common::target::Goal;
use crate::model::VelocityMatching;
use glam::Vec3;

/// The acceleration before the behavior's weight, u/s².
pub fn velocity_matching_steer(velocity_matching: &VelocityMatching, agent: &Agent, goal: &Goal) -> Vec3 {
    if !goal.exists {
        return Vec3::ZERO;
    }
    match_velocity(agent, goal.velocity, velocity_matching.time_to_target)
}
