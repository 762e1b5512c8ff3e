//! Twin of `shaders/behaviors/social_force.wgsl`: people keep away from each other and from walls, and push where bodies touch
//! (Helbing and Molnár 1995; Helbing, Farkas and Vicsek 2000).

use crate::cpu::common::agent::{Agent, radius_of};
use crate::cpu::common::obstacles::nearest_wall;
use crate::cpu::common::target::COINCIDENT;
use crate::cpu::common::vector::{decay, direction, dot3};
use crate::cpu::common::vision::{Neighbor, sees};
use crate::model::random::STREAM_COINCIDENT;
use crate::model::{CompiledScene, SocialForce};
use glam::Vec3;

/// e^-x. For bodies that overlap x is negative.
fn social_force_falloff(x: f32) -> f32 {
    let fall = decay(x.max(-20.0).abs());
    if x < 0.0 { 1.0 / fall } else { fall }
}

/// The push and friction that a touching body exerts on the agent: `away` points from that body to the agent, and `relative` is its
/// velocity relative to the agent.
fn social_force_contact(social_force: &SocialForce, overlap: f32, away: Vec3, relative: Vec3) -> Vec3 {
    let sliding = relative - away * dot3(relative, away);
    (away * social_force.stiffness + sliding * social_force.friction) * overlap.max(0.0)
}

/// Add one neighbor.
#[inline]
pub fn social_force_add(sum: Vec3, social_force: &SocialForce, neighbor: &Neighbor, agent: &Agent) -> Vec3 {
    let distance = neighbor.distance().max(COINCIDENT);
    let away = -neighbor.offset / distance;
    let step = neighbor.velocity * social_force.step_time;
    let after = -neighbor.offset - step;
    let distance_after = dot3(after, after).sqrt();
    let both = distance + distance_after;
    let short = 0.5 * (both * both - dot3(step, step)).max(0.0).sqrt();
    let slope = (away + after / distance_after.max(COINCIDENT)) * (both / (4.0 * short.max(COINCIDENT)));
    let room = agent.radius + neighbor.radius;
    let repelled =
        slope * (social_force.repulsion * social_force_falloff((short - room) / social_force.repulsion_length));
    let attended = -dot3(repelled, agent.forward) >= dot3(repelled, repelled).sqrt() * social_force.attention;
    let contact = social_force_contact(social_force, room - distance, away, neighbor.velocity - agent.velocity);
    let push = repelled * if attended { 1.0 } else { social_force.inattention } + contact;
    sum + if sees(social_force.vision, neighbor) { push } else { Vec3::ZERO }
}

/// Coincident agents have no offset. They part along a direction drawn for the pair: opposite for the two.
pub fn social_force_add_coincident(
    model: &CompiledScene,
    sum: Vec3,
    social_force: &SocialForce,
    agent: &Agent,
    other: u32,
) -> Vec3 {
    let (low, high) = (agent.id.min(other), agent.id.max(other));
    let apart = direction(agent.seed, agent.spatial, low, high, STREAM_COINCIDENT);
    let room = agent.radius + radius_of(model, &model.species[model.species_of(other)], other);
    let repulsion = social_force.repulsion * social_force_falloff(-room / social_force.repulsion_length);
    sum + if agent.id < other { apart } else { -apart } * (repulsion + social_force.stiffness * room)
}

/// The acceleration before the behavior's weight, u/s².
pub fn social_force_resolve(model: &CompiledScene, sum: Vec3, social_force: &SocialForce, agent: &Agent) -> Vec3 {
    let wall = nearest_wall(model, agent.position, 0.0);
    if !wall.exists {
        return sum;
    }
    let gap = wall.distance - agent.radius;
    let repulsion = social_force.wall_repulsion * social_force_falloff(gap / social_force.wall_length);
    sum + wall.normal * repulsion + social_force_contact(social_force, -gap, wall.normal, -agent.velocity)
}
