//! Twin of `shaders/behaviors/separation.wgsl`: away from each neighbor, with a strength of
//! 1/distance^exponent (Reynolds 1999: a repulsive force in the direction of the offset, weighted by 1/r).

use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::vector::{direction, dot3, unit_or_zero};
use crate::cpu::common::vision::{Neighbor, sees};
use crate::model::{Separation, random::STREAM_COINCIDENT};
use glam::Vec3;

const SEPARATION_DESIRED: u32 = 1;

/// Offsets shorter than a thousandth of the radius count as that long, so that the sum stays finite.
fn separation_floor(separation: &Separation) -> f32 {
    (separation.vision.radius_squared * 1e-6).max(1e-12)
}

/// The factor of an offset with this squared length: 1/distance^(exponent + 1).
fn separation_falloff(squared: f32, exponent: u32) -> f32 {
    let distance = squared.sqrt();
    match exponent {
        0 => 1.0 / distance,
        1 => 1.0 / squared,
        2 => 1.0 / (squared * distance),
        _ => 1.0 / (squared * squared),
    }
}

/// Add one neighbor.
#[inline]
pub fn separation_add(sum: Vec3, separation: &Separation, neighbor: &Neighbor) -> Vec3 {
    // The shader subtracts zero instead: the same bits, but at the cost of a division.
    if !sees(separation.vision, neighbor) {
        return sum;
    }
    let squared = neighbor.distance_squared.max(separation_floor(separation));
    sum - neighbor.offset * separation_falloff(squared, separation.exponent)
}

/// Coincident agents have no offset. They part along a direction drawn for the pair: opposite for the two, the same in
/// every run.
pub fn separation_add_coincident(sum: Vec3, separation: &Separation, agent: &Agent, other: u32) -> Vec3 {
    let (low, high) = (agent.id.min(other), agent.id.max(other));
    let least = separation_floor(separation).sqrt();
    let mut apart = direction(agent.seed, agent.spatial, low, high, STREAM_COINCIDENT) / least;
    if separation.exponent != 1 {
        apart *= separation_falloff(least * least, separation.exponent) * (least * least);
    }
    sum + if agent.id < other { apart } else { -apart }
}

/// The acceleration before the behavior's weight. Times the weight it is in u/s².
pub fn separation_resolve(sum: Vec3, separation: &Separation, agent: &Agent) -> Vec3 {
    if separation.form != SEPARATION_DESIRED {
        return sum;
    }
    let away = unit_or_zero(sum);
    if dot3(away, away) == 0.0 { Vec3::ZERO } else { steer_to(agent, away * agent.max_speed) }
}
