//! Twin of `shaders/behaviors/containment.wgsl`: back into a region that the agent would leave.

use crate::cpu::common::agent::Agent;
use crate::model::Containment;
use glam::Vec3;

/// u/s² before its weight.
pub fn containment_steer(_containment: &Containment, _agent: &Agent) -> Vec3 {
    Vec3::ZERO
}
