//! Twin of `shaders/behaviors/close_neighbor_avoidance.wgsl`: sideways from neighbors that overlap.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::vision::{Neighbor, sees};
use crate::model::CloseNeighborAvoidance;
use glam::Vec3;

/// What is summed over the neighbors.
#[derive(Clone, Copy, Default)]
pub struct CloseNeighborAvoidanceSum {
    count: u32,
}

/// Add one neighbor.
pub fn close_neighbor_avoidance_add(
    sum: CloseNeighborAvoidanceSum,
    close_neighbor_avoidance: &CloseNeighborAvoidance,
    neighbor: &Neighbor,
) -> CloseNeighborAvoidanceSum {
    CloseNeighborAvoidanceSum { count: sum.count + u32::from(sees(close_neighbor_avoidance.vision, neighbor)) }
}

/// u/s² before its weight.
pub fn close_neighbor_avoidance_resolve(
    _sum: CloseNeighborAvoidanceSum,
    _close_neighbor_avoidance: &CloseNeighborAvoidance,
    _agent: &Agent,
) -> Vec3 {
    Vec3::ZERO
}
