//! Twin of `shaders/behaviors/wall_following.wgsl`: along the nearest obstacle's surface at a distance.

use crate::cpu::common::agent::Agent;
use crate::model::WallFollowing;
use glam::Vec3;

/// u/s² before its weight.
pub fn wall_following_steer(_wall_following: &WallFollowing, _agent: &Agent) -> Vec3 {
    Vec3::ZERO
}
