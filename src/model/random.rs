//! Twin of `shaders/common/random.wgsl`: random numbers without state, a hash of counters (pcg4d of Jarzynski and
//! Olano, "Hash Functions for GPU Rendering", JCGT 2020).

pub use crate::constants::{
    STANDSTILL, STREAM_AVOIDANCE, STREAM_BODY, STREAM_COINCIDENT, STREAM_CROWD, STREAM_DITHER, STREAM_FLEE,
    STREAM_FORWARD, STREAM_JITTER, STREAM_NOISE, STREAM_PHASE, STREAM_SIDE, STREAM_TRAIL, STREAM_WANDER,
    STREAM_WANDER_RANDOM, STREAM_WANDER_START,
};
use glam::{Vec2, Vec3};

/// Starting positions; only on the host.
pub const STREAM_POSITION: u32 = 3;
/// Starting velocities; only on the host.
pub const STREAM_VELOCITY: u32 = 4;

/// Places of patches of a resource; only on the host.
pub const STREAM_PATCH: u32 = 12;

/// Four well mixed words from four counters.
pub fn hash4(counters: [u32; 4]) -> [u32; 4] {
    let [mut x, mut y, mut z, mut w] = counters.map(|c| c.wrapping_mul(1664525).wrapping_add(1013904223));
    let mix = |x: &mut u32, y: &mut u32, z: &mut u32, w: &mut u32| {
        *x = x.wrapping_add(y.wrapping_mul(*w));
        *y = y.wrapping_add(z.wrapping_mul(*x));
        *z = z.wrapping_add(x.wrapping_mul(*y));
        *w = w.wrapping_add(y.wrapping_mul(*z));
    };
    mix(&mut x, &mut y, &mut z, &mut w);
    [x, y, z, w] = [x ^ (x >> 16), y ^ (y >> 16), z ^ (z >> 16), w ^ (w >> 16)];
    mix(&mut x, &mut y, &mut z, &mut w);
    [x, y, z, w]
}

/// Uniform in [0, 1), exact: 24 bits of the hash.
#[allow(clippy::excessive_precision)] // the literal of the shader: 2^-24
pub fn unit_interval(hash: u32) -> f32 {
    (hash >> 8) as f32 * 5.9604644775390625e-8
}

/// Uniform on -sqrt(3) to sqrt(3), which has unit variance.
pub fn unit_variance(hash: u32) -> f32 {
    (unit_interval(hash) - 0.5) * 3.4641016
}

/// Cosine and sine of an angle that is an eighth of a turn at most, plus a number of quarter turns.
#[allow(clippy::excessive_precision)] // the literals of the shader, to the digit
fn quarters_and(quarters: u32, angle: f32) -> Vec2 {
    let a2 = angle * angle;
    let s = angle * (1.0 + a2 * (-0.16666667 + a2 * (0.008333334 + a2 * (-0.00019841270 + a2 * 0.0000027557319))));
    let c = 1.0 + a2 * (-0.5 + a2 * (0.041666668 + a2 * (-0.0013888889 + a2 * 0.000024801588)));
    match quarters & 3 {
        0 => Vec2::new(c, s),
        1 => Vec2::new(-s, c),
        2 => Vec2::new(-c, -s),
        _ => Vec2::new(s, -c),
    }
}

/// Cosine and sine of any angle, rad. The error is below 4e-7 up to two turns, and grows with the angle beyond.
#[allow(clippy::excessive_precision, clippy::approx_constant)] // the literals of the shader, to the digit
pub fn rotation(angle: f32) -> Vec2 {
    let quarters = (angle * 0.63661977 + 0.5).floor();
    let rest = angle - quarters * 1.5707964 + quarters * 4.3711388e-8;
    quarters_and((quarters as i32 & 3) as u32, rest)
}

/// Uniform on the unit circle.
#[allow(clippy::excessive_precision, clippy::approx_constant)] // the literals of the shader, to the digit
pub fn unit_circle(hash: u32) -> Vec2 {
    let angle = (((hash >> 6) & 0xffffff) as f32 * 5.9604644775390625e-8 - 0.5) * 1.5707963;
    quarters_and(hash >> 30, angle)
}

/// A random direction that lies in the world: on the circle in a planar one, on the sphere in a spatial one.
pub fn unit_direction(spatial: bool, first: u32, second: u32) -> Vec3 {
    let circle = unit_circle(first);
    if spatial {
        let z = 2.0 * unit_interval(second) - 1.0;
        let radius = (1.0 - z * z).sqrt();
        return Vec3::new(circle.x * radius, circle.y * radius, z);
    }
    Vec3::new(circle.x, circle.y, 0.0)
}
