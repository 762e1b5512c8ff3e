//! Twin of `shaders/behaviors/path_following.wgsl`: along a path, within its radius.

use crate::cpu::common::agent::Agent;
use crate::model::PathFollowing;
use glam::Vec3;

/// u/s² before its weight.
pub fn path_following_steer(_path_following: &PathFollowing, _agent: &Agent) -> Vec3 {
    Vec3::ZERO
}
