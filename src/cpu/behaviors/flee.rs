//! Twin of `shaders/behaviors/flee.wgsl`: away from the target at full speed.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::target::Goal;
use crate::model::Flee;
use glam::Vec3;

/// u/s² before its weight.
pub fn flee_steer(_flee: &Flee, _agent: &Agent, _goal: &Goal) -> Vec3 {
    Vec3::ZERO
}
