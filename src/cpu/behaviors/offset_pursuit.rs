//! Twin of `shaders/behaviors/offset_pursuit.wgsl`: to a place beside the target, or past it at a distance.

use super::arrive::arrive_velocity;
use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::prediction::{closing_time, intercept_time};
use crate::cpu::common::target::{COINCIDENT, Goal, along};
use crate::cpu::common::vector::{cross3, dot3, right_of};
use crate::model::OffsetPursuit;
use glam::Vec3;

const FLY_BY: u32 = 1;

/// A vector of a target's frame (ahead, right, up), in the frame of the world.
fn offset_pursuit_to_world(spatial: bool, local: Vec3, heading: Vec3) -> Vec3 {
    let forward = if dot3(heading, heading) > 0.0 { heading } else { Vec3::X };
    let right = right_of(spatial, forward);
    let level = forward * local.x + right * local.y;
    if spatial { level + cross3(right, forward) * local.z } else { level }
}

/// The acceleration that arrives at a place in the target's frame (ahead, right, up), u/s².
pub fn offset_pursuit_accompany(agent: &Agent, goal: &Goal, local: Vec3, slow_radius: f32, longest: f32) -> Vec3 {
    let place = goal.offset + offset_pursuit_to_world(agent.spatial, local, goal.forward);
    let way = place + goal.velocity * closing_time(agent, place, goal.velocity).min(longest);
    steer_to(agent, arrive_velocity(agent, way, slow_radius))
}

/// The way, relative to the target's motion, along a tangent of a sphere around the target, on the side to which the agent already
/// moves; inside the sphere, straight aside.
fn offset_pursuit_tangent(agent: &Agent, goal: &Goal, distance: f32) -> Vec3 {
    let ahead = along(goal.offset);
    let relative = agent.velocity - goal.velocity;
    let mut aside = along(relative - ahead * dot3(relative, ahead));
    if aside == Vec3::ZERO {
        aside = right_of(agent.spatial, ahead);
    }
    let sine = (distance / goal.distance.max(COINCIDENT)).min(1.0);
    let cosine = (1.0 - sine * sine).sqrt();
    (ahead * cosine + aside * sine) * goal.distance
}

/// The acceleration before the behavior's weight, u/s².
pub fn offset_pursuit_steer(offset_pursuit: &OffsetPursuit, agent: &Agent, goal: &Goal) -> Vec3 {
    if !goal.exists {
        return Vec3::ZERO;
    }
    let longest = offset_pursuit.max_prediction_time;
    if offset_pursuit.mode == FLY_BY {
        let tangent = offset_pursuit_tangent(agent, goal, offset_pursuit.distance);
        let t = intercept_time(agent, tangent, goal.velocity).min(longest);
        let toward = along(tangent + goal.velocity * t);
        if toward == Vec3::ZERO {
            return Vec3::ZERO;
        }
        return steer_to(agent, toward * agent.max_speed);
    }
    let local = Vec3::from_array(offset_pursuit.offset);
    offset_pursuit_accompany(agent, goal, local, offset_pursuit.slow_radius, longest)
}
