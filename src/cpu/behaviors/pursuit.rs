//! Twin of `shaders/behaviors/pursuit.wgsl`: seek where the target will be.

use crate::cpu::common::agent::{Agent, FORM_OFFSET, steer_along};
use crate::cpu::common::prediction::predicted_way;
use crate::cpu::common::target::{Goal, along};
use crate::cpu::common::vector::dot3;
use crate::model::Pursuit;
use glam::Vec3;

/// The acceleration before the behavior's weight, u/s².
pub fn pursuit_steer(pursuit: &Pursuit, agent: &Agent, goal: &Goal) -> Vec3 {
    let longest = pursuit.max_prediction_time;
    let way = predicted_way(agent, goal, pursuit.prediction, pursuit.prediction_time, pursuit.turning, longest);
    let toward = along(way);
    let at_hand = toward == Vec3::ZERO && pursuit.form != FORM_OFFSET;
    if !goal.exists || at_hand {
        return Vec3::ZERO;
    }
    steer_along(agent, pursuit.form, toward, dot3(way, way).sqrt(), agent.max_speed)
}
