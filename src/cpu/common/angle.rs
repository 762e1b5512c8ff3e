//! Twin of `shaders/common/angle.wgsl`: angles and rotations by polynomials. A rotation is a vector: its direction is the
//! axis (right-handed), its length the angle, rad.
#![allow(clippy::excessive_precision, clippy::approx_constant)] // the literals of the shader, to the digit

use super::vector::{cross3, dot3};
use crate::constants::PI;
pub use crate::model::turn::half_turn;
use glam::{Vec3, Vec4};

/// The angle whose sine and cosine are proportional to these two numbers, rad, in (-π, π].
pub fn angle_of(sine: f32, cosine: f32) -> f32 {
    let opposite = sine.abs();
    let adjacent = cosine.abs();
    let t = opposite.min(adjacent) / opposite.max(adjacent).max(1e-30);
    let u = t * t;
    let low = -0.1424722
        + u * (0.10877985
            + u * (-0.08213697 + u * (0.055027105 + u * (-0.028489854 + u * (0.009566876 - u * 0.0015092046)))));
    let mut angle = t * (1.0 + u * (-0.3333318 + u * (0.19996436 + u * low)));
    if opposite > adjacent {
        angle = 0.5 * PI - angle;
    }
    if cosine < 0.0 {
        angle = PI - angle;
    }
    if sine < 0.0 { -angle } else { angle }
}

/// The rotation by the least angle that brings one unit vector to another. Between opposite ones it is half a turn about
/// `up`, in a planar world to the left.
pub fn rotation_between(spatial: bool, start: Vec3, end: Vec3, up: Vec3) -> Vec3 {
    let cosine = dot3(start, end);
    if spatial {
        let axis = cross3(start, end);
        let sine = dot3(axis, axis).sqrt();
        // The axis between nearly opposite vectors would be nothing but rounding errors.
        if sine > if cosine > 0.0 { 1e-7 } else { 1e-5 } {
            return axis * (angle_of(sine, cosine) / sine);
        }
        return if cosine > 0.0 { axis } else { up * PI };
    }
    Vec3::new(0.0, 0.0, angle_of(start.x * end.y - start.y * end.x, cosine))
}

/// A vector turned by a unit quaternion.
pub fn turned(spatial: bool, vector: Vec3, quaternion: Vec4) -> Vec3 {
    let half_axis = quaternion.truncate();
    let half_cosine = quaternion.w;
    if spatial {
        let once = cross3(half_axis, vector);
        let twice = cross3(half_axis, once);
        return vector + once * (2.0 * half_cosine) + twice * 2.0;
    }
    let sine = 2.0 * half_axis.z * half_cosine;
    let cosine = 1.0 - 2.0 * half_axis.z * half_axis.z;
    Vec3::new(vector.x * cosine - vector.y * sine, vector.x * sine + vector.y * cosine, 0.0)
}

/// A vector turned by a rotation of at most half a turn.
pub fn rotate(spatial: bool, vector: Vec3, rotation: Vec3) -> Vec3 {
    turned(spatial, vector, half_turn(rotation))
}
