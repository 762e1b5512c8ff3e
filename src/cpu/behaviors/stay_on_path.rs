//! Twin of `shaders/behaviors/stay_on_path.wgsl`: back to a path that the agent would leave.

use crate::cpu::common::agent::Agent;
use crate::model::StayOnPath;
use glam::Vec3;

/// u/s² before its weight.
pub fn stay_on_path_steer(_stay_on_path: &StayOnPath, _agent: &Agent) -> Vec3 {
    Vec3::ZERO
}
