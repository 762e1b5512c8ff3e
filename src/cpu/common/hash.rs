//! Twin of `shaders/common/hash.wgsl`: random properties of bodies. The hash itself is in [`crate::model::random`].

use crate::model::random::{STREAM_BODY, hash4, unit_interval};

/// How far a body's property number `which` differs from the mean of its species, in spreads.
#[allow(clippy::excessive_precision)] // the literal of the shader
pub fn deviation(seed: u32, id: u32, which: u32, normal: bool) -> f32 {
    let [x, y, z, w] = hash4([seed, id, which, STREAM_BODY]).map(unit_interval);
    if normal { (x + y + z + w - 2.0) * 1.7320508 } else { 2.0 * x - 1.0 }
}

/// The radius of a body, u; at least a tenth of the mean.
pub fn body_radius(mean: f32, spread: f32, normal: bool, seed: u32, id: u32) -> f32 {
    (mean + spread * deviation(seed, id, 3, normal)).max(mean * 0.1)
}
