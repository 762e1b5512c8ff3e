//! Twin of `shaders/behaviors/close_neighbor_avoidance.wgsl`: a push to the side from the neighbor that is deepest within
//! both radii and the margin, in proportion to the depth.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::vector::{across, direction, dot3, unit_or_zero};
use crate::cpu::common::vision::{Neighbor, sees};
use crate::model::{CloseNeighborAvoidance, random::STREAM_AVOIDANCE};
use glam::Vec3;

/// The deepest neighbor so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct CloseNeighborAvoidanceSum {
    depth: f32,
    room: f32,
    offset: Vec3,
    id: u32,
}

/// Add one neighbor.
#[inline]
pub fn close_neighbor_avoidance_add(
    sum: CloseNeighborAvoidanceSum,
    close_neighbor_avoidance: &CloseNeighborAvoidance,
    neighbor: &Neighbor,
    agent: &Agent,
) -> CloseNeighborAvoidanceSum {
    let room = agent.radius + neighbor.radius + close_neighbor_avoidance.margin;
    let depth = room - neighbor.distance();
    if sees(close_neighbor_avoidance.vision, neighbor) && depth > sum.depth {
        return CloseNeighborAvoidanceSum { depth, room, offset: neighbor.offset, id: neighbor.id };
    }
    sum
}

/// The acceleration before the behavior's weight, u/s².
pub fn close_neighbor_avoidance_resolve(sum: CloseNeighborAvoidanceSum, agent: &Agent) -> Vec3 {
    if sum.depth <= 0.0 {
        return Vec3::ZERO;
    }
    let aside = agent.forward * dot3(sum.offset, agent.forward) - sum.offset;
    let mut side = unit_or_zero(aside);
    if dot3(aside, aside) <= 1e-6 * (sum.room * sum.room) {
        let (low, high) = (agent.id.min(sum.id), agent.id.max(sum.id));
        let apart = direction(agent.seed, agent.spatial, low, high, STREAM_AVOIDANCE);
        side = across(agent.forward, apart * if agent.id < sum.id { 1.0 } else { -1.0 });
    }
    side * (agent.max_acceleration * (sum.depth / sum.room))
}
