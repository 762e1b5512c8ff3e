//! Twin of `shaders/common/fixed_point.wgsl`: sums whose order does not matter.

pub use crate::constants::FIXED_POINT;

/// A float as an integer with 20 binary digits after the point.
pub fn fixed_point(x: f32) -> u32 {
    (x * FIXED_POINT + 0.5).floor() as i32 as u32
}

/// The value of a 64-bit sum of such integers. Its sign is taken off first, and the rest is converted in pieces that are
/// exact, so that nothing cancels.
#[allow(clippy::excessive_precision)] // the literal of the shader: 2^-20
pub fn from_fixed_point(sum: u64) -> f32 {
    let negative = sum >> 63 != 0;
    let size = if negative { sum.wrapping_neg() } else { sum };
    let (least, most) = (size as u32, (size >> 32) as u32);
    let size = most as f32 * 4096.0 + (least >> 16) as f32 * 0.0625 + (least & 0xffff) as f32 * 9.5367431640625e-7;
    if negative { -size } else { size }
}
