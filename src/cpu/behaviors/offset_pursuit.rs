//! Twin of `shaders/behaviors/offset_pursuit.wgsl`: to a place beside the target, or past it at a distance.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::target::Goal;
use crate::model::OffsetPursuit;
use glam::Vec3;

/// u/s² before its weight.
pub fn offset_pursuit_steer(_offset_pursuit: &OffsetPursuit, _agent: &Agent, _goal: &Goal) -> Vec3 {
    Vec3::ZERO
}
