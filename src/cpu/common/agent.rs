//! Twin of `shaders/common/agent.wgsl`: an agent as its own behaviors know it.

use super::hash::body_radius;
use super::vector::{dot3, forward_of};
use super::vehicle::{POINT_MASS, limits_of};
use crate::cpu::Buffers;
use crate::model::{CompiledScene, Species};
use glam::Vec3;

/// An agent as its own behaviors know it.
#[derive(Debug, Clone, Copy)]
pub struct Agent {
    /// Its id.
    pub id: u32,
    /// Number of the step, for random numbers.
    pub step: u32,
    /// Position, u.
    pub position: Vec3,
    /// Velocity, u/s.
    pub velocity: Vec3,
    /// Speed, u/s.
    pub speed: f32,
    /// Which way it faces, a unit vector.
    pub forward: Vec3,
    /// Body radius, u.
    pub radius: f32,
    /// Greatest speed, u/s.
    pub max_speed: f32,
    /// Greatest force over mass, u/s².
    pub max_acceleration: f32,
    /// Time within which a desired velocity is reached, s.
    pub time_constant: f32,
    /// Time for which its steering is held, s.
    pub interval: f32,
    /// Does its body (kinematic, turn-first) follow the desired velocity itself, whatever the force?
    pub moves_as_desired: bool,
    /// Time step, s. In the shader this and the two members below are global.
    pub dt: f32,
    /// Seed of all random numbers.
    pub seed: u32,
    /// Has the world a third dimension?
    pub spatial: bool,
}

/// The acceleration that makes the velocity the desired one within the time constant, u/s².
#[inline]
pub fn steer_to(agent: &Agent, desired: Vec3) -> Vec3 {
    (desired - agent.velocity) / agent.time_constant
}

const FORM_ACCELERATION: u32 = 1;
/// The form of seek and flee whose desired speed is the distance to the target, in u/s.
pub const FORM_OFFSET: u32 = 2;

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

/// What an angular behavior knows of its agent in addition.
#[derive(Debug, Clone, Copy)]
pub struct Turner {
    /// Angular velocity, rad/s; along z in a planar world.
    pub spin: Vec3,
    /// Up, a unit vector.
    pub up: Vec3,
    /// Greatest angular speed, rad/s.
    pub max_angular_speed: f32,
    /// Time for which its turning is held, s.
    pub interval: f32,
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
