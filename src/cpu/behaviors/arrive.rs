//! Twin of `shaders/behaviors/arrive.wgsl`: to the target, slowing down to stop there.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::target::Goal;
use crate::model::Arrive;
use glam::Vec3;

/// u/s² before its weight.
pub fn arrive_steer(_arrive: &Arrive, _agent: &Agent, _goal: &Goal) -> Vec3 {
    Vec3::ZERO
}
