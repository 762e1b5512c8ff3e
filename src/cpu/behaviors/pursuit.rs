//! Twin of `shaders/behaviors/pursuit.wgsl`: toward where the target will be.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::target::Goal;
use crate::model::Pursuit;
use glam::Vec3;

/// u/s² before its weight.
pub fn pursuit_steer(_pursuit: &Pursuit, _agent: &Agent, _goal: &Goal) -> Vec3 {
    Vec3::ZERO
}
