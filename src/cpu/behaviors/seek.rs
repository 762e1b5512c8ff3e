//! Twin of `shaders/behaviors/seek.wgsl`: toward the target at full speed.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::target::Goal;
use crate::model::Seek;
use glam::Vec3;

/// u/s² before its weight.
pub fn seek_steer(_seek: &Seek, _agent: &Agent, _goal: &Goal) -> Vec3 {
    Vec3::ZERO
}
