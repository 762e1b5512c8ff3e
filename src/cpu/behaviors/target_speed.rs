//! Twin of `shaders/behaviors/target_speed.wgsl`: speed up or slow down to a given speed, along the heading.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::vector::limit;
use crate::model::TargetSpeed;
use glam::Vec3;

/// The acceleration before the behavior's weight, u/s².
pub fn target_speed_steer(target_speed: &TargetSpeed, agent: &Agent) -> Vec3 {
    let change = (target_speed.speed - agent.speed) / agent.time_constant;
    limit(agent.forward * change, agent.max_acceleration)
}
