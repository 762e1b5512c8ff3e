//! Twin of `shaders/behaviors/whiskers.wgsl`: away from walls that one of three feelers touches.

use crate::cpu::common::agent::Agent;
use crate::model::Whiskers;
use glam::Vec3;

/// u/s² before its weight.
pub fn whiskers_steer(_whiskers: &Whiskers, _agent: &Agent) -> Vec3 {
    Vec3::ZERO
}
