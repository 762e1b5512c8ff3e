//! Twin of `shaders/behaviors/separation.wgsl`: away from each neighbor, by the offset over its squared length
//! (Reynolds 1999: a repulsive force in the direction of the offset, weighted by 1/r).

use crate::cpu::common::agent::Agent;
use crate::cpu::common::vector::direction;
use crate::cpu::common::vision::{Neighbor, sees};
use crate::model::{Separation, random::STREAM_COINCIDENT};
use glam::Vec3;

/// Offsets shorter than a thousandth of the radius count as that long, so that the sum stays finite.
fn separation_floor(separation: &Separation) -> f32 {
    (separation.vision.radius_squared * 1e-6).max(1e-12)
}

/// Add one neighbor.
pub fn separation_add(sum: Vec3, separation: &Separation, neighbor: &Neighbor) -> Vec3 {
    let weight = 1.0 / neighbor.distance_squared.max(separation_floor(separation));
    sum - neighbor.offset * if sees(separation.vision, neighbor) { weight } else { 0.0 }
}

/// Coincident agents have no offset. They part along a direction of the pair: opposite for the two, the same in every
/// run.
pub fn separation_add_coincident(
    sum: Vec3,
    separation: &Separation,
    seed: u32,
    spatial: bool,
    id: u32,
    other: u32,
) -> Vec3 {
    let (low, high) = (id.min(other), id.max(other));
    let apart = direction(seed, spatial, low, high, STREAM_COINCIDENT) / separation_floor(separation).sqrt();
    sum + if id < other { apart } else { -apart }
}

/// u/s² before its weight.
pub fn separation_resolve(sum: Vec3, _separation: &Separation, _agent: &Agent) -> Vec3 {
    sum
}
