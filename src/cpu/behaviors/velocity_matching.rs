//! Twin of `shaders/behaviors/velocity_matching.wgsl`: to the velocity of the target.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::target::Goal;
use crate::model::VelocityMatching;
use glam::Vec3;

/// u/s² before its weight.
pub fn velocity_matching_steer(velocity_matching: &VelocityMatching, agent: &Agent, goal: &Goal) -> Vec3 {
    if !goal.exists {
        return Vec3::ZERO;
    }
    (goal.velocity - agent.velocity) / velocity_matching.time_to_target.max(agent.dt)
}
