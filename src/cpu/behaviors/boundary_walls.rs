//! Twin of `shaders/behaviors/boundary_walls.wgsl`: away from the edges of the world, each axis by itself.

use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::target::along;
use crate::model::{BoundaryWalls, CompiledScene};
use glam::Vec3;

/// The acceleration before the behavior's weight, u/s².
pub fn boundary_walls_steer(model: &CompiledScene, boundary_walls: &BoundaryWalls, agent: &Agent) -> Vec3 {
    let mut desired = agent.velocity;
    let mut any = false;
    for axis in 0..if agent.spatial { 3 } else { 2 } {
        if agent.position[axis].abs() > model.world.half_size[axis] - boundary_walls.distance {
            desired[axis] = if agent.position[axis] < 0.0 { agent.max_speed } else { -agent.max_speed };
            any = true;
        }
    }
    if !any {
        return Vec3::ZERO;
    }
    steer_to(agent, along(desired) * agent.max_speed)
}
