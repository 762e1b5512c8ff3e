//! Twin of `shaders/common/target.wgsl`: what an agent heads for, once it is found.

pub use super::structs::{Goal, Nearest};
pub use crate::constants::COINCIDENT;
use crate::cpu::common::vector::dot3;
use crate::model::{CompiledScene, Vision};
use crate::scene::Boundary;
use glam::Vec3;

/// Unit vector along a way; 0 where the way is too short to have a direction.
pub fn along(way: Vec3) -> Vec3 {
    let distance = dot3(way, way).sqrt();
    if distance > COINCIDENT {
        return way / distance;
    }
    Vec3::ZERO
}

/// Keep the nearer of this candidate and the nearest so far.
pub fn nearest_add(
    nearest: Nearest,
    query: Vision,
    offset: Vec3,
    distance_squared: f32,
    forward: Vec3,
    sorted_index: u32,
) -> Nearest {
    let in_view = dot3(offset, forward) >= distance_squared.sqrt() * query.cosine;
    let nearer = !nearest.found || distance_squared < nearest.distance_squared;
    if distance_squared <= query.radius_squared && in_view && nearer {
        return Nearest { found: true, sorted_index, distance_squared };
    }
    nearest
}

/// An offset to the nearest image on wrapped axes, u.
pub fn nearest_image(model: &CompiledScene, offset: Vec3) -> Vec3 {
    let mut image = offset;
    for axis in 0..if model.spatial { 3 } else { 2 } {
        if model.boundary[axis] == Boundary::Wrap {
            let size = model.world.size[axis];
            image[axis] -= size * (image[axis] / size + 0.5).floor();
        }
    }
    image
}

/// A target at an offset.
pub fn goal_at(offset: Vec3, velocity: Vec3, forward: Vec3) -> Goal {
    Goal { exists: true, offset, distance: dot3(offset, offset).sqrt(), velocity, forward, spin: Vec3::ZERO }
}
