//! Twin of `shaders/behaviors/explore.wgsl`: toward the ground cell that was visited least.

use crate::cpu::Buffers;
use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::ground::least_visited;
use crate::model::random::STANDSTILL;
use crate::model::{CompiledScene, Explore};
use glam::Vec3;

/// The acceleration before the behavior's weight, u/s².
pub fn explore_steer(model: &CompiledScene, buffers: &Buffers, explore: &Explore, agent: &Agent) -> Vec3 {
    let goal = least_visited(model, buffers, agent, explore.reach);
    if !goal.exists || goal.distance * goal.distance <= STANDSTILL {
        return Vec3::ZERO;
    }
    steer_to(agent, goal.offset * (agent.max_speed / goal.distance))
}
