//! Twin of `shaders/behaviors/obstacle_avoidance.wgsl`: sideways from the first obstacle that the body would meet.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::obstacles::{Approach, first_hit, rounded_normal};
use crate::cpu::common::prediction::SLOWEST;
use crate::cpu::common::target::along;
use crate::cpu::common::vector::{across, direction, dot3};
use crate::cpu::common::vehicle::direction_of;
use crate::model::random::STREAM_SIDE;
use crate::model::scenery::TOUCHING;
use crate::model::{CompiledScene, ObstacleAvoidance};
use glam::Vec3;

/// The unit vector perpendicular to a heading, on the side to which `away` points; if `away` lies along the heading, one drawn by the id.
pub fn sidestep(agent: &Agent, forward: Vec3, away: Vec3) -> Vec3 {
    let lateral = away - forward * dot3(away, forward);
    if dot3(lateral, lateral) > 1e-6 * dot3(away, away) {
        return along(lateral);
    }
    across(forward, direction(agent.seed, agent.spatial, agent.id, 0, STREAM_SIDE))
}

/// Corners of a box, seen from inside, count as rounded by the diameter of the body plus this many tightest turning radii.
const CORNER_ROUNDING: f32 = 3.0;

/// The acceleration before the behavior's weight, u/s².
pub fn obstacle_avoidance_steer(model: &CompiledScene, obstacle_avoidance: &ObstacleAvoidance, agent: &Agent) -> Vec3 {
    let tightest = agent.speed * agent.speed / agent.max_acceleration.max(SLOWEST);
    let least = obstacle_avoidance.min_look_ahead.max(obstacle_avoidance.turning_radii * tightest);
    let time = obstacle_avoidance.look_ahead_time;
    let forward = direction_of(agent.velocity, agent.forward);
    let course =
        Approach { forward, speed: agent.speed, min_look_ahead: least, look_ahead_time: time, is_feeler: false };
    let mut hit = first_hit(model, agent.position, course, agent.radius);
    let leaving = hit.distance <= 0.0 && dot3(hit.normal, hit.course.forward) >= 0.0;
    if !hit.exists || leaving {
        return Vec3::ZERO;
    }
    let turn = hit.course.speed * hit.course.speed / agent.max_acceleration.max(SLOWEST);
    hit.normal = rounded_normal(model, &hit, agent.position, 2.0 * agent.radius + CORNER_ROUNDING * turn);
    let nearness = 1.0 - hit.distance / hit.course.reach().max(TOUCHING);
    let shortest = if agent.moves_as_desired { agent.time_constant } else { agent.interval };
    let stopping_time = (2.0 * hit.distance / hit.course.speed.max(SLOWEST)).max(shortest);
    let brake = (obstacle_avoidance.braking * nearness * agent.max_acceleration).min(agent.speed / stopping_time);
    sidestep(agent, hit.course.forward, hit.normal) * agent.max_acceleration - forward * brake
}
