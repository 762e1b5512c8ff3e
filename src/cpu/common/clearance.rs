//! Twin of `shaders/common/clearance.wgsl`.

use glam::Vec3;

/// Distance of a position from a surface.
#[derive(Debug, Clone, Copy)]
pub struct Clearance {
    /// To the surface, u; negative on the solid side.
    pub distance: f32,
    /// Gradient of the distance, of unit length.
    pub normal: Vec3,
}

/// The point of a surface that a position is put on.
#[derive(Debug, Clone, Copy)]
pub struct Ground {
    /// Point of the surface, u.
    pub point: Vec3,
    /// Unit normal of the surface there.
    pub up: Vec3,
}

/// The clearance, negated if the inside of the shape is the free side (`within`).
pub fn facing(Clearance { distance, normal }: Clearance, within: bool) -> Clearance {
    if within { Clearance { distance: -distance, normal: -normal } } else { Clearance { distance, normal } }
}
