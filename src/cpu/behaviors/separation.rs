//! Twin of `shaders/behaviors/separation.wgsl`: away from each neighbor, by the offset over its squared length
//! (Reynolds 1999: a repulsive force in the direction of the offset, weighted by 1/r).

use crate::cpu::common::vector::direction;
use crate::cpu::common::vision::{Neighbor, sees};
use crate::model::{Model, Separation, random::STREAM_COINCIDENT};
use glam::Vec3;

/// Add one neighbor.
pub fn separation_add(sum: Vec3, separation: &Separation, neighbor: &Neighbor) -> Vec3 {
    let floor_squared = separation.shortest * separation.shortest;
    let weight = 1.0 / neighbor.distance_squared.max(floor_squared);
    sum - neighbor.offset * if sees(separation.vision, neighbor) { weight } else { 0.0 }
}

/// Coincident agents have no offset. They part along a direction of the pair: opposite for the two, the same in every
/// run.
pub fn separation_add_coincident(model: &Model, sum: Vec3, separation: &Separation, id: u32, other: u32) -> Vec3 {
    let (low, high) = (id.min(other), id.max(other));
    let apart = direction(model.world.seed, model.spatial, low, high, STREAM_COINCIDENT) / separation.shortest;
    sum + if id < other { apart } else { -apart }
}

/// u/s² before its weight.
pub fn separation_resolve(sum: Vec3) -> Vec3 {
    sum
}
