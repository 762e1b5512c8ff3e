//! Twin of `shaders/behaviors/leader_following.wgsl`: arrive behind the leader, and clear the leader's way.

use super::arrive::arrive_velocity;
use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::target::{Goal, along};
use crate::cpu::common::vector::{dot3, right_of};
use crate::model::LeaderFollowing;
use glam::Vec3;

/// The acceleration before the behavior's weight, u/s².
pub fn leader_following_steer(leader_following: &LeaderFollowing, agent: &Agent, goal: &Goal) -> Vec3 {
    if !goal.exists {
        return Vec3::ZERO;
    }
    let ahead = -dot3(goal.offset, goal.forward);
    let across = -goal.offset - goal.forward * ahead;
    let half_width = leader_following.clear_width * 0.5;
    if ahead > 0.0 && ahead < leader_following.clear_length && dot3(across, across) < half_width * half_width {
        let mut aside = along(across);
        if aside == Vec3::ZERO {
            aside = right_of(agent.spatial, goal.forward);
        }
        return steer_to(agent, aside * agent.max_speed);
    }
    let way = goal.offset - goal.forward * leader_following.distance;
    steer_to(agent, arrive_velocity(agent, way, leader_following.slow_radius))
}
