//! Twin of `shaders/behaviors/waypoint_following.wgsl`: to the points of a path, one after the other.

use crate::cpu::common::agent::Agent;
use crate::model::WaypointFollowing;
use glam::Vec3;

/// u/s² before its weight.
pub fn waypoint_following_steer(_waypoint_following: &WaypointFollowing, _agent: &Agent) -> Vec3 {
    Vec3::ZERO
}
