//! Twin of `wrapped`, `containment` and `bounded_move` in `shaders/common/boundary.wgsl`; the rest, which the host needs too, is in
//! [`crate::model::boundary`].

use crate::model::CompiledScene;
use crate::model::boundary::{bounded, containment_along, wrap_coordinate};
use crate::scene::Boundary;
use glam::Vec3;

/// A position beyond an end of a wrapped axis, moved back into the world.
pub fn wrapped(model: &CompiledScene, position: Vec3) -> Vec3 {
    let along = |axis: usize| match model.boundary[axis] {
        Boundary::Wrap => wrap_coordinate(position[axis], model.world.size[axis], model.world.half_size[axis]),
        _ => position[axis],
    };
    Vec3::new(along(0), along(1), if model.spatial { along(2) } else { position.z })
}

/// Acceleration away from contained walls.
pub fn containment(model: &CompiledScene, position: Vec3, strongest: f32) -> Vec3 {
    let world = &model.world;
    let along = |axis: usize| match model.boundary[axis] {
        Boundary::Contain => containment_along(position[axis], world.half_size[axis], world.margin, strongest),
        _ => 0.0,
    };
    Vec3::new(along(0), along(1), if model.spatial { along(2) } else { 0.0 })
}

/// The end of a move after the boundary has acted on each axis: position, u, and velocity, u/s.
pub fn bounded_move(model: &CompiledScene, (position, velocity): (Vec3, Vec3)) -> (Vec3, Vec3) {
    let world = &model.world;
    let along = |axis: usize| {
        bounded(position[axis], velocity[axis], world.size[axis], world.half_size[axis], model.boundary[axis])
    };
    let (x, y) = (along(0), along(1));
    let z = if model.spatial { along(2) } else { (0.0, 0.0) };
    (Vec3::new(x.0, y.0, z.0), Vec3::new(x.1, y.1, z.1))
}
