//! Twin of `shaders/behaviors/follow_trail.wgsl`: along the trail on the ground, by three sensors.

use crate::cpu::Buffers;
use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::ground::trail_at;
use crate::cpu::common::vector::{across, right_of};
use crate::model::random::{STREAM_TRAIL, hash4, unit_direction};
use crate::model::{CompiledScene, FollowTrail};
use glam::Vec3;

/// The acceleration before the behavior's weight, u/s².
pub fn follow_trail_steer(model: &CompiledScene, buffers: &Buffers, follow_trail: &FollowTrail, agent: &Agent) -> Vec3 {
    let hash = hash4([agent.seed, agent.id, agent.step, STREAM_TRAIL]);
    let sine = (1.0 - follow_trail.sensor_angle * follow_trail.sensor_angle).max(0.0).sqrt();
    let mut side = right_of(agent.spatial, agent.forward);
    if agent.spatial {
        side = across(agent.forward, unit_direction(true, hash[0], hash[1]));
    }
    let right = agent.forward * follow_trail.sensor_angle + side * sine;
    let left = agent.forward * follow_trail.sensor_angle - side * sine;
    let sensed = |way: Vec3| trail_at(model, buffers, agent.position + way * follow_trail.sensor_distance);
    let (ahead, at_right, at_left) = (sensed(agent.forward), sensed(right), sensed(left));
    let most = at_right.max(at_left);
    if ahead.max(most) == 0 {
        return Vec3::ZERO;
    }
    let mut way = agent.forward;
    if most > ahead {
        let to_right = at_right > at_left || (at_right == at_left && hash[2] >> 31 == 1);
        way = if to_right { right } else { left };
    }
    steer_to(agent, way * agent.max_speed)
}
