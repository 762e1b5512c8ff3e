//! Twin of `shaders/behaviors/align.wgsl`: turn to the heading of the target.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::target::Goal;
use crate::model::Align;
use glam::Vec3;

/// rad/s² before its weight.
pub fn align_turn(_align: &Align, _agent: &Agent, _goal: &Goal) -> Vec3 {
    Vec3::ZERO
}
