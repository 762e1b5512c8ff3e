//! Twin of `shaders/common/random.wgsl`: random numbers without state, a hash of counters (pcg4d of Jarzynski and
//! Olano, "Hash Functions for GPU Rendering", JCGT 2020).

use glam::{Vec2, Vec3};

/// Below this squared speed (u²/s²) a velocity has no direction. Twin of the constant in `vector.wgsl`.
pub const STANDSTILL: f32 = 1e-12;

/// Streams keep the uses of random numbers apart. This one is the forward direction of agents that stand still.
pub const STREAM_FORWARD: u32 = 1;
/// Directions in which coincident agents part.
pub const STREAM_COINCIDENT: u32 = 2;
/// Starting positions; only on the host.
pub const STREAM_POSITION: u32 = 3;
/// Starting velocities; only on the host.
pub const STREAM_VELOCITY: u32 = 4;

/// The phase of an agent that skips steps.
pub const STREAM_PHASE: u32 = 5;
/// The random walk of the wander target.
pub const STREAM_WANDER: u32 = 6;
/// Where the wander target starts.
pub const STREAM_WANDER_START: u32 = 7;
/// The random force of `wander_random`.
pub const STREAM_WANDER_RANDOM: u32 = 8;
/// The side to which agents on a collision course, or in each other, give way.
pub const STREAM_AVOIDANCE: u32 = 9;
/// The noise of headings.
pub const STREAM_NOISE: u32 = 10;
/// The side on which an agent passes an obstacle that is dead ahead.
pub const STREAM_SIDE: u32 = 11;
/// Places of patches of a resource; only on the host.
pub const STREAM_PATCH: u32 = 12;
/// How bodies of one species differ.
pub const STREAM_BODY: u32 = 13;
/// The side to which an agent turns if it senses as much trail on both sides.
pub const STREAM_TRAIL: u32 = 14;
/// Which agents a crowded cell shows.
pub const STREAM_CROWD: u32 = 15;
/// The draws of prioritized dithering; eight, one for each priority.
pub const STREAM_DITHER: u32 = 16;
/// The direction in which an agent flees if it is at the very place of the target.
pub const STREAM_FLEE: u32 = 24;
/// The random part of behaviors' accelerations (`jitter`). From here on there is one stream for each behavior.
pub const STREAM_JITTER: u32 = 32;

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
