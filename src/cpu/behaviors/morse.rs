//! Twin of `shaders/behaviors/morse.wgsl`: near neighbors repel, far ones attract, by a Morse potential, at a speed of its
//! own (D'Orsogna et al. 2006).

use crate::cpu::common::agent::Agent;
use crate::cpu::common::target::COINCIDENT;
use crate::cpu::common::vector::{decay, direction};
use crate::cpu::common::vision::{Neighbor, sees};
use crate::model::Morse;
use crate::model::random::STREAM_COINCIDENT;
use glam::Vec3;

/// Acceleration toward a neighbor at a distance, u/s²: the slope of the potential.
fn morse_pull(morse: &Morse, distance: f32) -> f32 {
    let attraction = morse.attraction / morse.attraction_length * decay(distance / morse.attraction_length);
    attraction - morse.repulsion / morse.repulsion_length * decay(distance / morse.repulsion_length)
}

/// Add one neighbor.
#[inline]
pub fn morse_add(sum: Vec3, morse: &Morse, neighbor: &Neighbor) -> Vec3 {
    let toward = neighbor.offset / neighbor.distance().max(COINCIDENT);
    let pull = morse_pull(morse, neighbor.distance());
    sum + toward * if sees(morse.vision, neighbor) { pull } else { 0.0 }
}

/// Coincident agents have no offset. They are pushed apart, or pulled, along a direction drawn for the pair, opposite for the two.
pub fn morse_add_coincident(sum: Vec3, morse: &Morse, agent: &Agent, other: u32) -> Vec3 {
    let (low, high) = (agent.id.min(other), agent.id.max(other));
    let apart = direction(agent.seed, agent.spatial, low, high, STREAM_COINCIDENT);
    sum - if agent.id < other { apart } else { -apart } * morse_pull(morse, 0.0)
}

/// The acceleration before the behavior's weight, u/s².
pub fn morse_resolve(sum: Vec3, morse: &Morse, agent: &Agent) -> Vec3 {
    sum + agent.velocity * (morse.propulsion - morse.friction * (agent.speed * agent.speed))
}
