//! Twin of `shaders/behaviors/flow_field.wgsl`: the field at the predicted position is the desired velocity, and its
//! difference from the agent's velocity is the steering (Reynolds 1999).

use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::angle::{half_turn, turned};
use crate::cpu::common::field::{is_outside_field, sample_field};
use crate::cpu::common::vector::dot3;
use crate::model::{CompiledScene, FlowField, random::STANDSTILL};
use glam::Vec3;

const BRAKE: u32 = 1;
const ENDS: u32 = 1;

/// The field at the predicted position, u/s.
fn flow_field_ahead(model: &CompiledScene, flow_field: &FlowField, agent: &Agent) -> Vec3 {
    let ahead = agent.position + agent.velocity * flow_field.prediction_time;
    if flow_field.outside == ENDS && is_outside_field(model, ahead) {
        return Vec3::ZERO;
    }
    let sampled = sample_field(model, ahead);
    if flow_field.turn == 0.0 {
        return sampled;
    }
    turned(agent.spatial, sampled, half_turn(Vec3::new(0.0, 0.0, flow_field.turn)))
}

/// The acceleration before the behavior's weight, u/s².
pub fn flow_field_steer(model: &CompiledScene, flow_field: &FlowField, agent: &Agent) -> Vec3 {
    let sampled = flow_field_ahead(model, flow_field, agent);
    let squared = dot3(sampled, sampled);
    if squared <= STANDSTILL {
        return if flow_field.still == BRAKE { steer_to(agent, Vec3::ZERO) } else { Vec3::ZERO };
    }
    let mut desired = sampled;
    if flow_field.mode == 1 {
        desired = sampled * (agent.max_speed / squared.sqrt());
    }
    steer_to(agent, desired)
}
