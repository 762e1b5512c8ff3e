//! Rotations as unit quaternions, as the shaders compute them.

use crate::constants::PI;
use glam::{Vec3, Vec4};

/// Twin of `half_turn` in `shaders/common/angle.wgsl`: a rotation of at most half a turn as a unit quaternion.
#[allow(clippy::excessive_precision)] // the literals of the shader, to the digit
pub fn half_turn(rotation: Vec3) -> Vec4 {
    let q2 = (rotation.x * rotation.x + rotation.y * rotation.y + rotation.z * rotation.z) * 0.0625;
    let s = 1.0 + q2 * (-0.16666667 + q2 * (0.008333334 + q2 * (-0.00019841270 + q2 * 0.0000027557319)));
    let c = 1.0 + q2 * (-0.5 + q2 * (0.041666668 + q2 * (-0.0013888889 + q2 * 0.000024801588)));
    let half_cosine = 1.0 - 2.0 * q2 * s * s;
    (rotation * (0.5 * s * c)).extend(half_cosine)
}

/// A rotation about a unit vector by an angle in full turns, as a unit quaternion.
pub fn quaternion_of(axis: Vec3, angle: f32) -> Vec4 {
    let least = angle - (angle + 0.5).floor();
    half_turn(axis * (least * (2.0 * PI)))
}
