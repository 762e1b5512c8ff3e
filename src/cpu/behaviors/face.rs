//! Twin of `shaders/behaviors/face.wgsl`: turn to the target.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::target::Goal;
use crate::model::Face;
use glam::Vec3;

/// rad/s² before its weight.
pub fn face_turn(_face: &Face, _agent: &Agent, _goal: &Goal) -> Vec3 {
    Vec3::ZERO
}
