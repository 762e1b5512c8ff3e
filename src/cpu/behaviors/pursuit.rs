//! Twin of `shaders/behaviors/pursuit.wgsl`: seek where the target will be.

use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::prediction::predicted_way;
use crate::cpu::common::target::{Goal, along};
use crate::model::Pursuit;
use glam::Vec3;

/// u/s² before its weight.
pub fn pursuit_steer(pursuit: &Pursuit, agent: &Agent, goal: &Goal) -> Vec3 {
    let longest = pursuit.max_prediction_time;
    let way = predicted_way(agent, goal, pursuit.prediction, pursuit.prediction_time, pursuit.turning, longest);
    let toward = along(way);
    if !goal.exists || toward == Vec3::ZERO {
        return Vec3::ZERO;
    }
    steer_to(agent, toward * agent.max_speed)
}
