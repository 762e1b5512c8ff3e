//! Twin of `shaders/behaviors/evasion.wgsl`: away from where the target will be.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::target::Goal;
use crate::model::Evasion;
use glam::Vec3;

/// u/s² before its weight.
pub fn evasion_steer(_evasion: &Evasion, _agent: &Agent, _goal: &Goal) -> Vec3 {
    Vec3::ZERO
}
