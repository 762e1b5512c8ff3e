//! Twin of `shaders/common/agent.wgsl`: what a behavior knows of its own agent.

use super::goals::facing_of;
use super::vector::dot3;
use super::vehicle::POINT_MASS;
use crate::cpu::Buffers;
use crate::model::{Model, Species};
use glam::Vec3;

/// What a behavior knows of its own agent.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)] // described in the shader
pub struct Agent {
    pub id: u32,
    pub step: u32,
    pub position: Vec3,
    pub velocity: Vec3,
    pub speed: f32,
    pub forward: Vec3,
    pub radius: f32,
    pub max_speed: f32,
    pub max_acceleration: f32,
    pub time_constant: f32,
    pub interval: f32,
    pub moves_as_desired: bool,
    /// In the shader these three are known everywhere.
    pub dt: f32,
    pub seed: u32,
    pub spatial: bool,
}

/// The acceleration that makes the velocity the desired one within the time constant, u/s².
pub fn steer_to(agent: &Agent, desired: Vec3) -> Vec3 {
    (desired - agent.velocity) / agent.time_constant
}

/// The acceleration that makes the velocity another one within a time of the behavior's own, u/s².
pub fn match_velocity(agent: &Agent, velocity: Vec3, time: f32) -> Vec3 {
    let needed = if agent.moves_as_desired { agent.time_constant } else { time.max(agent.interval) };
    (velocity - agent.velocity) / needed
}

/// What an angular behavior knows besides.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)] // described in the shader
pub struct Turner {
    pub spin: Vec3,
    pub up: Vec3,
    pub max_angular_speed: f32,
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

/// The agent at a place of sorted order.
pub fn agent_at(model: &Model, buffers: &Buffers, own: &Species, id: u32, place: usize) -> Agent {
    let velocity = Vec3::from_array(buffers.sorted_velocity[place]);
    Agent {
        id,
        step: buffers.clock[0],
        position: Vec3::from_array(buffers.sorted_position[place]),
        velocity,
        speed: dot3(velocity, velocity).sqrt(),
        forward: facing_of(model, buffers, id, velocity),
        radius: own.radius,
        max_speed: own.max_speed,
        max_acceleration: own.max_force / own.mass,
        time_constant: own.time_constant,
        interval: model.world.dt * own.update_every as f32,
        moves_as_desired: own.vehicle.locomotion != POINT_MASS,
        dt: model.world.dt,
        seed: model.world.seed,
        spatial: model.spatial,
    }
}
