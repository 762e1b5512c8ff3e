//! Twin of `shaders/behaviors/forage.wgsl`: toward the nearest resource.

use crate::cpu::common::agent::Agent;
use crate::model::Forage;
use glam::Vec3;

/// u/s² before its weight.
pub fn forage_steer(_forage: &Forage, _agent: &Agent) -> Vec3 {
    Vec3::ZERO
}
