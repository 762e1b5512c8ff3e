//! Twin of `shaders/behaviors/obstacle_avoidance.wgsl`: sideways from the first obstacle that the body would meet.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::obstacles::{
    Approach, Hit, SEEN_FROM_OUTSIDE, SHAPE_BOX, first_hit, from_obstacle, into_frame, out_of_frame,
};
use crate::cpu::common::prediction::SLOWEST;
use crate::cpu::common::target::along;
use crate::cpu::common::vector::{across, direction, dot3};
use crate::model::random::STREAM_SIDE;
use crate::model::scenery::TOUCHING;
use crate::model::{CompiledScene, ObstacleAvoidance};
use glam::Vec3;

/// The unit vector perpendicular to a heading on the side of `away`; where it has no side, one that the id decides.
pub fn sidestep(agent: &Agent, forward: Vec3, away: Vec3) -> Vec3 {
    let lateral = away - forward * dot3(away, forward);
    if dot3(lateral, lateral) > 1e-6 {
        return along(lateral);
    }
    across(forward, direction(agent.seed, agent.spatial, agent.id, 0, STREAM_SIDE))
}

/// How many times as large as the tightest turn the corners of a box count, from within.
const ROUNDING: f32 = 3.0;

/// Which way is away from an obstacle where the body would touch it.
fn obstacle_avoidance_away(model: &CompiledScene, hit: &Hit, agent: &Agent) -> Vec3 {
    let obstacle = &model.obstacles[hit.obstacle as usize];
    let touch = agent.position + hit.course.forward * hit.distance;
    let at = into_frame(model, obstacle, from_obstacle(model, obstacle, touch));
    let size = Vec3::from_array(obstacle.size);
    if obstacle.shape != SHAPE_BOX || obstacle.seen_from == SEEN_FROM_OUTSIDE || !at.abs().cmple(size).all() {
        return hit.normal;
    }
    let turn = hit.course.speed * hit.course.speed / agent.max_acceleration.max(SLOWEST);
    let flat = (size - Vec3::splat(2.0 * agent.radius + ROUNDING * turn)).max(Vec3::ZERO);
    let beyond = (at.abs() - flat).max(Vec3::ZERO);
    along(out_of_frame(model, obstacle, Vec3::select(at.cmplt(Vec3::ZERO), beyond, -beyond)))
}

/// u/s² before its weight.
pub fn obstacle_avoidance_steer(model: &CompiledScene, obstacle_avoidance: &ObstacleAvoidance, agent: &Agent) -> Vec3 {
    let (least, time) = (obstacle_avoidance.min_look_ahead, obstacle_avoidance.look_ahead_time);
    let course = Approach { forward: agent.forward, speed: agent.speed, least, time, feels: false };
    let mut hit = first_hit(model, agent.position, course, agent.radius);
    let leaving = hit.distance <= 0.0 && dot3(hit.normal, hit.course.forward) >= 0.0;
    if !hit.exists || leaving {
        return Vec3::ZERO;
    }
    hit.normal = obstacle_avoidance_away(model, &hit, agent);
    let nearness = 1.0 - hit.distance / hit.course.reach().max(TOUCHING);
    let stopping_time = (2.0 * hit.distance / hit.course.speed.max(SLOWEST)).max(agent.dt);
    let brake = (obstacle_avoidance.braking * nearness * agent.max_acceleration).min(agent.speed / stopping_time);
    sidestep(agent, hit.course.forward, hit.normal) * agent.max_acceleration - agent.forward * brake
}
