//! Twin of `shaders/behaviors/wander.wgsl`: toward a target that strolls on a circle ahead.

use crate::cpu::common::agent::Agent;
use crate::model::Wander;
use glam::Vec3;

/// u/s² before its weight.
pub fn wander_steer(_wander: &Wander, _agent: &Agent) -> Vec3 {
    Vec3::ZERO
}
