//! Twin of `shaders/behaviors/boundary_walls.wgsl`: away from the edges of the world, each axis by itself.

use crate::cpu::common::agent::Agent;
use crate::model::BoundaryWalls;
use glam::Vec3;

/// u/s² before its weight.
pub fn boundary_walls_steer(_boundary_walls: &BoundaryWalls, _agent: &Agent) -> Vec3 {
    Vec3::ZERO
}
