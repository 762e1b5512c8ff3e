//! Twin of `shaders/common/vector.wgsl`.

use crate::constants::LARGEST_SQUARE;
use crate::model::random::{self, STANDSTILL, STREAM_FORWARD};
use glam::Vec3;

/// Scalar product, in the shader's order of sums.
#[inline]
pub fn dot3(a: Vec3, b: Vec3) -> f32 {
    a.x * b.x + a.y * b.y + a.z * b.z
}

/// Vector product.
pub fn cross3(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}

/// A vector no longer than `longest`, of unchanged direction.
#[inline]
pub fn limit(vector: Vec3, longest: f32) -> Vec3 {
    let squared = dot3(vector, vector);
    if squared > longest * longest {
        if squared > LARGEST_SQUARE {
            return unit_or_zero(vector) * longest;
        }
        return vector * (longest / squared.sqrt());
    }
    vector
}

/// Unit vector to the right of a heading, and level: the world's up is y in space, and z above a plane. For a heading
/// straight up or down it is the one of the heading +x.
pub fn right_of(spatial: bool, forward: Vec3) -> Vec3 {
    if spatial {
        let level = (forward.x * forward.x + forward.z * forward.z).sqrt();
        if level > 1e-6 {
            return Vec3::new(-forward.z / level, 0.0, forward.x / level);
        }
        return Vec3::Z;
    }
    let level = (forward.x * forward.x + forward.y * forward.y).sqrt();
    if level > 1e-6 {
        return Vec3::new(forward.y / level, -forward.x / level, 0.0);
    }
    Vec3::NEG_Y
}

/// A vector after the smallest turn that takes one unit vector to another.
pub fn turned_along(vector: Vec3, before: Vec3, after: Vec3) -> Vec3 {
    let both = before + after;
    let half = 1.0 + dot3(before, after);
    if half < 1e-6 {
        return -vector;
    }
    vector - both * (dot3(both, vector) / half) + after * (2.0 * dot3(before, vector))
}

/// The direction of a vector, or zero where it has none. It is scaled first, so that no square leaves the range of floats.
#[inline]
pub fn unit_or_zero(vector: Vec3) -> Vec3 {
    let largest = vector.x.abs().max(vector.y.abs()).max(vector.z.abs());
    if largest < 1e-30 {
        return Vec3::ZERO;
    }
    let scaled = vector / largest;
    scaled / dot3(scaled, scaled).sqrt()
}

/// The direction of a velocity; zero where it stands still.
#[inline]
pub fn heading_of(velocity: Vec3) -> Vec3 {
    let squared = dot3(velocity, velocity);
    if squared > STANDSTILL { velocity / squared.max(STANDSTILL).sqrt() } else { Vec3::ZERO }
}

/// The unit vector perpendicular to `axis` that is nearest to `wish`; some other perpendicular one if `wish` lies along
/// the axis. In a planar world it stays in the plane.
pub fn across(axis: Vec3, wish: Vec3) -> Vec3 {
    let along = unit_or_zero(axis);
    let aside = wish - along * dot3(wish, along);
    if dot3(aside, aside) > 1e-6 {
        return unit_or_zero(aside);
    }
    let turned = Vec3::new(-along.y, along.x, 0.0);
    if dot3(turned, turned) > 1e-6 { unit_or_zero(turned) } else { Vec3::X }
}

/// A vector whose zeros have no sign.
pub fn unsigned_zeros(v: Vec3) -> Vec3 {
    Vec3::select(v.cmpeq(Vec3::ZERO), Vec3::ZERO, v)
}

/// The components of a vector as they are stored from step to step: zeros have no sign.
pub fn kept(v: Vec3) -> [f32; 3] {
    unsigned_zeros(v).to_array()
}

/// A number brought between two bounds; a zero at a bound keeps its sign.
pub fn within(x: f32, least: f32, most: f32) -> f32 {
    if x < least {
        return least;
    }
    if x > most {
        return most;
    }
    x
}

/// e^-x of an x that is not negative, to 3e-7 of its value.
#[allow(clippy::approx_constant, clippy::excessive_precision)] // the literals of the shader
pub fn decay(x: f32) -> f32 {
    let down = x.min(80.0);
    let halvings = (down * 1.442695 + 0.5).floor();
    let y = halvings * 0.693359375 - down - halvings * 0.000212194440;
    let cubic = 0.16666667 + y * (0.041666668 + y * (0.008333334 + y * 0.0013888889));
    let whole = 1.0 + y * (1.0 + y * (0.5 + y * cubic));
    whole * f32::from_bits((127 - halvings as u32) << 23)
}

/// Is this a number that can be calculated with: not NaN, not infinite, at most 1e9 in size?
pub fn is_sane(x: f32) -> bool {
    x.to_bits() & 0x7fff_ffff <= 0x4e6e_6b28
}

/// [`is_sane`] for each component.
pub fn is_sane3(v: Vec3) -> bool {
    is_sane(v.x) && is_sane(v.y) && is_sane(v.z)
}

/// A random direction of (seed, id, other, stream). In the shader it is in `random.wgsl`.
pub fn direction(seed: u32, spatial: bool, id: u32, other: u32, stream: u32) -> Vec3 {
    let hash = random::hash4([seed, id, other, stream]);
    random::unit_direction(spatial, hash[0], hash[1])
}

/// The heading of an agent; at rest a direction that is drawn once, by its id. In the shader it is in `random.wgsl`.
pub fn forward_of(seed: u32, spatial: bool, velocity: Vec3, id: u32) -> Vec3 {
    let squared = dot3(velocity, velocity);
    if squared > STANDSTILL {
        return velocity / squared.sqrt();
    }
    direction(seed, spatial, id, 0, STREAM_FORWARD)
}
