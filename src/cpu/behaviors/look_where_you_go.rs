//! Twin of `shaders/behaviors/look_where_you_go.wgsl`: turn to the own velocity.

use crate::cpu::common::agent::Agent;
use crate::model::LookWhereYouGo;
use glam::Vec3;

/// rad/s² before its weight.
pub fn look_where_you_go_turn(_look_where_you_go: &LookWhereYouGo, _agent: &Agent) -> Vec3 {
    Vec3::ZERO
}
