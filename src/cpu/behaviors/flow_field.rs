//! Twin of `shaders/behaviors/flow_field.wgsl`: the field at the predicted position is the desired velocity, and the
//! difference to the own velocity is the steering (Reynolds 1999).

use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::vector::dot3;
use crate::model::{FlowField, random::STANDSTILL};
use glam::Vec3;

/// Where the field is sampled.
pub fn flow_field_predict(flow_field: &FlowField, agent: &Agent) -> Vec3 {
    agent.position + agent.velocity * flow_field.prediction_time
}

/// u/s² before its weight. Where the field is zero it has no direction, and nothing is desired.
pub fn flow_field_steer(flow_field: &FlowField, agent: &Agent, sampled: Vec3) -> Vec3 {
    let squared = dot3(sampled, sampled);
    if squared <= STANDSTILL {
        return Vec3::ZERO;
    }
    let mut desired = sampled;
    if flow_field.mode == 1 {
        desired = sampled * (agent.max_speed / squared.sqrt());
    }
    steer_to(agent, desired)
}
