//! Twin of `shaders/common/boundary.wgsl`: what happens at the two ends of each axis.

use crate::scene::Boundary;

/// A coordinate brought back into [-half_size, half_size) by whole world lengths.
pub fn wrap_coordinate(x: f32, size: f32, half_size: f32) -> f32 {
    let wrapped = x - size * ((x + half_size) / size).floor();
    if wrapped >= half_size || wrapped < -half_size {
        // Rounding put it on the far end, which is the near end.
        return -half_size;
    }
    wrapped
}

/// Acceleration away from a contained wall: none outside the margin, then rising to `strongest` at the wall, u/s².
pub fn containment_along(x: f32, half_size: f32, margin: f32, strongest: f32) -> f32 {
    let depth = x.abs() - (half_size - margin);
    if depth > 0.0 {
        let push = strongest * (depth / margin).min(1.0);
        return if x > 0.0 { -push } else { push };
    }
    0.0
}

/// One coordinate of the motion, position and velocity, after the boundary. A contained wall holds the agent and turns
/// its velocity inward, which keeps the speed.
pub fn bounded(x: f32, v: f32, size: f32, half_size: f32, boundary: Boundary) -> (f32, f32) {
    match boundary {
        Boundary::Wrap => (wrap_coordinate(x, size, half_size), v),
        Boundary::Contain if x > half_size => (half_size, -v.abs()),
        Boundary::Contain if x < -half_size => (-half_size, v.abs()),
        _ => (x, v),
    }
}
