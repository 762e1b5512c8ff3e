//! Twin of `shaders/behaviors/separation.wgsl`: away from each neighbor, by the offset over its squared length
//! (Reynolds 1999: a repulsive force in the direction of the offset, weighted by 1/r).

use crate::cpu::common::{vector::direction, vision::Neighbor};
use crate::model::{Model, Separation, random::STREAM_COINCIDENT};
use glam::Vec3;

/// Add one neighbor.
pub fn separation_add(model: &Model, sum: Vec3, separation: &Separation, neighbor: &Neighbor, id: u32, other: u32) -> Vec3 {
    if neighbor.distance_squared == 0.0 {
        // Coincident agents part along a direction of the pair: opposite for the two, the same in every run.
        let (low, high) = (id.min(other), id.max(other));
        let apart = direction(model.world.seed, model.spatial, low, high, STREAM_COINCIDENT) / separation.shortest;
        return sum + if id < other { apart } else { -apart };
    }
    let floor_squared = separation.shortest * separation.shortest;
    sum - neighbor.offset * (1.0 / neighbor.distance_squared.max(floor_squared))
}

/// u/s² before its weight.
pub fn separation_resolve(sum: Vec3) -> Vec3 {
    sum
}
