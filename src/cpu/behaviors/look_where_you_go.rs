//! Twin of `shaders/behaviors/look_where_you_go.wgsl`: turn to the direction of the agent's own velocity.

use crate::cpu::common::agent::{Agent, Turner, turn_by};
use crate::cpu::common::angle::rotation_between;
use crate::model::LookWhereYouGo;
use crate::model::random::STANDSTILL;
use glam::Vec3;

/// The angular acceleration before the behavior's weight, rad/s².
pub fn look_where_you_go_turn(look_where_you_go: &LookWhereYouGo, agent: &Agent, turner: &Turner) -> Vec3 {
    if agent.speed * agent.speed <= STANDSTILL {
        return Vec3::ZERO;
    }
    let error = rotation_between(agent.spatial, agent.forward, agent.velocity / agent.speed, turner.up);
    turn_by(
        turner,
        error,
        look_where_you_go.slow_angle,
        look_where_you_go.capture_angle,
        look_where_you_go.time_to_target,
    )
}
