//! Twin of `shaders/common/agent.wgsl`: an agent as its own behaviors know it.

use super::hash::body_radius;
pub use super::structs::{Agent, Turner};
use super::vector::{dot3, forward_of};
use super::vehicle::{POINT_MASS, limits_of};
use crate::constants::FORM_ACCELERATION;
pub use crate::constants::FORM_OFFSET;
use crate::cpu::Buffers;
use crate::model::{CompiledScene, Species};
use glam::Vec3;

/// The acceleration that makes the velocity the desired one within the time constant, u/s².
#[inline]
pub fn steer_to(agent: &Agent, desired: Vec3) -> Vec3 {
    (desired - agent.velocity) / agent.time_constant
}

/// The acceleration in a direction, u/s², by the form: the greatest one, or one that reaches a desired speed of `distance` or `speed`.
#[inline]
pub fn steer_along(agent: &Agent, form: u32, direction: Vec3, distance: f32, speed: f32) -> Vec3 {
    if form == FORM_ACCELERATION {
        return direction * agent.max_acceleration;
    }
    steer_to(agent, direction * if form == FORM_OFFSET { distance } else { speed })
}

/// The acceleration that reaches a velocity within `time`, but not sooner than the steering is held, u/s². Bodies that move
/// as desired always take their time constant.
pub fn match_velocity(agent: &Agent, velocity: Vec3, time: f32) -> Vec3 {
    let needed = if agent.moves_as_desired { agent.time_constant } else { time.max(agent.interval) };
    (velocity - agent.velocity) / needed
}

/// The angular acceleration that turns by a rotation and comes to rest there, rad/s².
pub fn turn_by(turner: &Turner, rotation: Vec3, slow_angle: f32, capture_angle: f32, time_to_target: f32) -> Vec3 {
    let angle = dot3(rotation, rotation).sqrt();
    let mut desired = Vec3::ZERO;
    if angle > capture_angle.max(1e-9) {
        desired = rotation * (turner.max_angular_speed * (angle / slow_angle.max(1e-6)).min(1.0) / angle);
    }
    (desired - turner.spin) / time_to_target.max(turner.interval)
}

/// The radius of an agent's body, u; at least a tenth of the mean.
#[inline]
pub fn radius_of(model: &CompiledScene, own: &Species, id: u32) -> f32 {
    match own.radius_spread {
        0.0 => own.radius,
        spread => body_radius(own.radius, spread, own.normal != 0, model.world.seed, id),
    }
}

/// The direction that an agent faces.
pub fn facing_of(model: &CompiledScene, buffers: &Buffers, id: u32, velocity: Vec3) -> Vec3 {
    if model.species[model.species_of(id)].vehicle.keeps_pose != 0 {
        return Vec3::from_array(buffers.pose[id as usize].forward);
    }
    forward_of(model.world.seed, model.spatial, velocity, id)
}

/// The agent at a sorted index.
pub fn agent_at(model: &CompiledScene, buffers: &Buffers, own: &Species, id: u32, sorted_index: usize) -> Agent {
    let velocity = Vec3::from_array(buffers.sorted_velocity[sorted_index]);
    let limits = limits_of(model, buffers, own, id);
    Agent {
        id,
        step: buffers.clock[0],
        position: Vec3::from_array(buffers.sorted_position[sorted_index]),
        velocity,
        speed: dot3(velocity, velocity).sqrt(),
        forward: facing_of(model, buffers, id, velocity),
        radius: radius_of(model, own, id),
        max_speed: limits.speed,
        max_acceleration: limits.force / limits.mass,
        time_constant: limits.time_constant,
        interval: model.world.dt * own.update_every as f32,
        moves_as_desired: own.vehicle.locomotion != POINT_MASS,
        dt: model.world.dt,
        seed: model.world.seed,
        spatial: model.spatial,
    }
}
