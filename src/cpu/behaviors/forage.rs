//! Twin of `shaders/behaviors/forage.wgsl`: toward the nearest resource.

use crate::cpu::Buffers;
use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::ground::nearest_resource;
use crate::model::random::STANDSTILL;
use crate::model::{CompiledScene, Forage};
use glam::Vec3;

/// The acceleration before the behavior's weight, u/s².
pub fn forage_steer(model: &CompiledScene, buffers: &Buffers, forage: &Forage, agent: &Agent) -> Vec3 {
    let goal = nearest_resource(model, buffers, agent, forage.search_radius);
    if !goal.exists {
        return Vec3::ZERO;
    }
    let speed = agent.max_speed * (goal.distance / forage.slow_radius.max(1e-6)).min(1.0);
    let mut desired = Vec3::ZERO;
    if goal.distance * goal.distance > STANDSTILL {
        desired = goal.offset * (speed / goal.distance);
    }
    steer_to(agent, desired)
}
