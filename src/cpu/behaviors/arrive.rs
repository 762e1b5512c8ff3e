//! Twin of `shaders/behaviors/arrive.wgsl`: to the target, slowing down to stop there.

use crate::cpu::common::agent::{Agent, match_velocity, steer_to};
use crate::cpu::common::target::{Goal, along};
use crate::cpu::common::vector::{dot3, limit};
use crate::model::Arrive;
use glam::Vec3;

const SQUARE_ROOT: u32 = 1;
const MATCH: u32 = 1;

/// The desired velocity along a way: full speed, but slowing down within `slow_radius` so as to stop at its end; u/s.
pub fn arrive_velocity(agent: &Agent, way: Vec3, slow_radius: f32) -> Vec3 {
    let distance = dot3(way, way).sqrt();
    if distance < slow_radius {
        return along(way) * (agent.max_speed * (distance / slow_radius));
    }
    along(way) * agent.max_speed
}

/// The acceleration before the behavior's weight, u/s².
pub fn arrive_steer(arrive: &Arrive, agent: &Agent, goal: &Goal) -> Vec3 {
    if !goal.exists {
        return Vec3::ZERO;
    }
    let final_velocity = if arrive.moving_target == MATCH { goal.velocity } else { Vec3::ZERO };
    if goal.distance < arrive.capture_radius {
        return match_velocity(agent, final_velocity, 0.0);
    }
    let mut approach = arrive_velocity(agent, goal.offset, arrive.slow_radius);
    if arrive.ramp == SQUARE_ROOT {
        let lag = if agent.moves_as_desired { 0.0 } else { agent.time_constant };
        let left = goal.offset + (final_velocity - agent.velocity) * lag;
        let distance = dot3(left, left).sqrt();
        let speed = (2.0 * agent.max_acceleration * distance).sqrt().min(distance / agent.interval);
        approach = along(left) * agent.max_speed.min(speed);
    }
    steer_to(agent, limit(final_velocity + approach, agent.max_speed))
}
