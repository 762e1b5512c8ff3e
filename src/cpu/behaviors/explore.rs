//! Twin of `shaders/behaviors/explore.wgsl`: toward what was visited least.

use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::target::Goal;
use crate::model::Explore;
use crate::model::random::STANDSTILL;
use glam::Vec3;

/// u/s² before its weight.
pub fn explore_steer(_explore: &Explore, agent: &Agent, goal: &Goal) -> Vec3 {
    if !goal.exists || goal.distance * goal.distance <= STANDSTILL {
        return Vec3::ZERO;
    }
    steer_to(agent, goal.offset * (agent.max_speed / goal.distance))
}
