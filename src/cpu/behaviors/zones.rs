//! Twin of `shaders/behaviors/zones.wgsl`: away from neighbors that are too near; if there are none, along with near neighbors and
//! toward far ones (Couzin et al. 2002).

use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::target::COINCIDENT;
use crate::cpu::common::vector::{direction, dot3, unit_or_zero};
use crate::cpu::common::vision::{ALL_AROUND, Neighbor, sees};
use crate::model::random::{STANDSTILL, STREAM_COINCIDENT};
use crate::model::{Vision, Zones};
use glam::Vec3;

/// What is summed over the neighbors.
#[derive(Debug, Clone, Copy, Default)]
pub struct ZonesSum {
    away: Vec3,
    crowded: u32,
    course: Vec3,
}

/// Add one neighbor.
#[inline]
pub fn zones_add(sum: ZonesSum, zones: &Zones, neighbor: &Neighbor) -> ZonesSum {
    let around = Vision { cosine: ALL_AROUND, ..zones.vision };
    let near = sees(around, neighbor) && neighbor.distance() <= zones.repulsion_radius;
    let heeded = sees(zones.vision, neighbor) && !near;
    let toward = neighbor.offset / neighbor.distance().max(COINCIDENT);
    let theirs = if neighbor.distance() <= zones.orientation_radius { neighbor.heading() } else { toward };
    ZonesSum {
        away: sum.away - toward * if near { 1.0 } else { 0.0 },
        crowded: sum.crowded + u32::from(near),
        course: sum.course + theirs * if heeded { 1.0 } else { 0.0 },
    }
}

/// Coincident agents part along a direction drawn for the pair: opposite for the two, the same in every run.
pub fn zones_add_coincident(sum: ZonesSum, agent: &Agent, other: u32) -> ZonesSum {
    let (low, high) = (agent.id.min(other), agent.id.max(other));
    let apart = direction(agent.seed, agent.spatial, low, high, STREAM_COINCIDENT);
    ZonesSum { away: sum.away + if agent.id < other { apart } else { -apart }, ..sum }
}

/// The acceleration before the behavior's weight, u/s². If no neighbor is heeded, or the vectors cancel, the agent keeps its heading.
pub fn zones_resolve(sum: ZonesSum, agent: &Agent) -> Vec3 {
    let total = if sum.crowded > 0 { sum.away } else { sum.course };
    let course = if dot3(total, total) <= STANDSTILL { agent.forward } else { unit_or_zero(total) };
    steer_to(agent, course * agent.max_speed)
}
