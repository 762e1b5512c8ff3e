//! Twin of `shaders/behaviors/interpose.wgsl`: to the place between two targets.

use super::arrive::arrive_velocity;
use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::prediction::closing_time;
use crate::cpu::common::target::{Goal, nearest_image};
use crate::model::{CompiledScene, Interpose};
use glam::Vec3;

/// The acceleration before the behavior's weight, u/s².
pub fn interpose_steer(model: &CompiledScene, interpose: &Interpose, agent: &Agent, goal: &Goal, other: &Goal) -> Vec3 {
    if !goal.exists || !other.exists {
        return Vec3::ZERO;
    }
    let between = nearest_image(model, other.offset - goal.offset);
    let place = nearest_image(model, goal.offset + between * interpose.share);
    let velocity = goal.velocity + (other.velocity - goal.velocity) * interpose.share;
    let way = place + velocity * closing_time(agent, place, velocity);
    steer_to(agent, arrive_velocity(agent, way, interpose.slow_radius))
}
