//! Twin of `shaders/behaviors/global_alignment.wgsl`: toward the mean velocity of all agents of the world: unlimited vision.

use crate::cpu::common::agent::Agent;
use crate::model::GlobalAlignment;
use glam::Vec3;

/// u/s² before its weight.
pub fn global_alignment_steer(_global_alignment: &GlobalAlignment, _agent: &Agent) -> Vec3 {
    Vec3::ZERO
}
