//! Twin of `shaders/behaviors/stay_on_path.wgsl`: back to a path that the agent would leave.

use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::paths::nearest_on_path;
use crate::cpu::common::target::{along, nearest_image};
use crate::model::{CompiledScene, StayOnPath};
use glam::Vec3;

/// The acceleration before the behavior's weight, u/s².
pub fn stay_on_path_steer(model: &CompiledScene, stay_on_path: &StayOnPath, agent: &Agent) -> Vec3 {
    let path = &model.scenery.paths[stay_on_path.path as usize];
    let predicted = agent.position + agent.velocity * stay_on_path.prediction_time;
    let ahead = nearest_on_path(model, path, predicted);
    if ahead.distance <= ahead.radius {
        return Vec3::ZERO;
    }
    let way = nearest_image(model, ahead.point - agent.position);
    steer_to(agent, along(way) * agent.max_speed)
}
