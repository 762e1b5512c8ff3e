//! Twin of `shaders/behaviors/target_speed.wgsl`: to a speed, along the heading.

use crate::cpu::common::agent::Agent;
use crate::model::TargetSpeed;
use glam::Vec3;

/// u/s² before its weight.
pub fn target_speed_steer(_target_speed: &TargetSpeed, _agent: &Agent) -> Vec3 {
    Vec3::ZERO
}
