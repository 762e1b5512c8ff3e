//! Twin of `shaders/common/agent.wgsl`: what a behavior knows of its own agent.

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
    /// In the shader these three are known everywhere.
    pub dt: f32,
    pub seed: u32,
    pub spatial: bool,
}

/// The acceleration that makes the velocity the desired one within the time constant, u/s².
pub fn steer_to(agent: &Agent, desired: Vec3) -> Vec3 {
    (desired - agent.velocity) / agent.time_constant
}
