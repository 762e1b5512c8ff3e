//! Twin of `shaders/behaviors/containment.wgsl`: back into a region that the agent would leave.

use super::obstacle_avoidance::sidestep;
use crate::cpu::common::agent::Agent;
use crate::cpu::common::target::{along, nearest_image};
use crate::cpu::common::vector::dot3;
use crate::cpu::common::walls::out_of_ground;
use crate::model::random::STANDSTILL;
use crate::model::{CompiledScene, Containment};
use glam::Vec3;

const MAP: u32 = 2;

/// The acceleration before the behavior's weight, u/s².
pub fn containment_steer(model: &CompiledScene, containment: &Containment, agent: &Agent) -> Vec3 {
    let predicted = agent.position + agent.velocity * containment.prediction_time;
    let at = nearest_image(model, predicted - Vec3::from_array(containment.center));
    let half_size = Vec3::from_array(containment.size) * 0.5 - Vec3::splat(containment.margin);
    let mut outward = Vec3::ZERO;
    if containment.shape == 1 {
        let squared = dot3(at, at);
        let radius = half_size.x.max(0.0);
        if squared > radius * radius {
            outward = at;
        }
    } else if containment.shape == MAP {
        outward = out_of_ground(model, agent.position, (predicted, agent.velocity), containment.margin);
    } else {
        for axis in 0..if agent.spatial { 3 } else { 2 } {
            let beyond = (at[axis].abs() - half_size[axis].max(0.0)).max(0.0);
            outward[axis] = if at[axis] < 0.0 { -beyond } else { beyond };
        }
    }
    if dot3(outward, outward) <= STANDSTILL {
        return Vec3::ZERO;
    }
    let inward = -along(outward);
    if containment.mode == 1 {
        let leaving = dot3(agent.forward, inward) < 0.0;
        return if leaving { sidestep(agent, agent.forward, inward) } else { Vec3::ZERO } * agent.max_acceleration;
    }
    inward * agent.max_acceleration
}
