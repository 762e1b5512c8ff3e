//! Twin of `shaders/behaviors/leader_following.wgsl`: arrive behind the leader, and clear the leader's way.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::target::Goal;
use crate::model::LeaderFollowing;
use glam::Vec3;

/// u/s² before its weight.
pub fn leader_following_steer(_leader_following: &LeaderFollowing, _agent: &Agent, _goal: &Goal) -> Vec3 {
    Vec3::ZERO
}
