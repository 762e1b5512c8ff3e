//! Twin of `shaders/behaviors/evasion.wgsl`: flee from where the target will be.

use super::flee::flee_direction;
use crate::cpu::common::agent::{Agent, steer_along};
use crate::cpu::common::prediction::predicted_way;
use crate::cpu::common::target::Goal;
use crate::cpu::common::vector::dot3;
use crate::model::Evasion;
use glam::Vec3;

/// The acceleration before the behavior's weight, u/s².
pub fn evasion_steer(evasion: &Evasion, agent: &Agent, goal: &Goal) -> Vec3 {
    if !goal.exists || goal.distance > evasion.panic_distance {
        return Vec3::ZERO;
    }
    let longest = evasion.max_prediction_time;
    let way = predicted_way(agent, goal, evasion.prediction, evasion.prediction_time, evasion.turning, longest);
    steer_along(agent, evasion.form, flee_direction(agent, way), dot3(way, way).sqrt(), agent.max_speed)
}
