//! Twin of `shaders/behaviors/flee.wgsl`: away from the target at full speed.

use crate::cpu::common::agent::{Agent, steer_along};
use crate::cpu::common::target::{Goal, along};
use crate::cpu::common::vector::direction;
use crate::model::Flee;
use crate::model::random::STREAM_FLEE;
use glam::Vec3;

/// Unit vector away from the end of a way; if the way is too short to have a direction, one drawn by the id.
pub fn flee_direction(agent: &Agent, way: Vec3) -> Vec3 {
    let toward = along(way);
    if toward != Vec3::ZERO {
        return -toward;
    }
    direction(agent.seed, agent.spatial, agent.id, 0, STREAM_FLEE)
}

/// The acceleration before the behavior's weight, u/s².
pub fn flee_steer(flee: &Flee, agent: &Agent, goal: &Goal) -> Vec3 {
    if !goal.exists || goal.distance > flee.panic_distance {
        return Vec3::ZERO;
    }
    steer_along(agent, flee.form, flee_direction(agent, goal.offset), goal.distance, agent.max_speed)
}
