//! Twin of `shaders/behaviors/offset_pursuit.wgsl`: to a place beside the target, or past it at a distance.

use super::arrive::arrive_velocity;
use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::prediction::{closing_time, intercept_time};
use crate::cpu::common::target::{COINCIDENT, Goal, along};
use crate::cpu::common::vector::dot3;
use crate::model::OffsetPursuit;
use glam::Vec3;

const FLY_BY: u32 = 1;

/// Unit vector to the right of a heading, and level. For one straight up or down it is as after climbing from +x.
pub fn right_of(forward: Vec3) -> Vec3 {
    let level = (forward.x * forward.x + forward.y * forward.y).sqrt();
    if level > COINCIDENT {
        return Vec3::new(forward.y / level, -forward.x / level, 0.0);
    }
    Vec3::new(0.0, -1.0, 0.0)
}

/// A vector of a target's frame (ahead, right, up) in the world's.
fn offset_pursuit_to_world(spatial: bool, local: Vec3, heading: Vec3) -> Vec3 {
    let forward = if dot3(heading, heading) > 0.0 { heading } else { Vec3::X };
    let right = right_of(forward);
    let level = Vec3::new(
        forward.x * local.x + right.x * local.y,
        forward.y * local.x + right.y * local.y,
        forward.z * local.x,
    );
    if spatial {
        let up = Vec3::new(right.y * forward.z, -right.x * forward.z, right.x * forward.y - right.y * forward.x);
        return level + up * local.z;
    }
    level
}

/// The way, as the target sees it, along a tangent of the sphere around the target; inside the sphere, straight aside.
fn offset_pursuit_tangent(agent: &Agent, goal: &Goal, distance: f32) -> Vec3 {
    let ahead = along(goal.offset);
    let relative = agent.velocity - goal.velocity;
    let mut aside = along(relative - ahead * dot3(relative, ahead));
    if aside == Vec3::ZERO {
        aside = right_of(ahead);
    }
    let sine = (distance / goal.distance.max(COINCIDENT)).min(1.0);
    let cosine = (1.0 - sine * sine).sqrt();
    (ahead * cosine + aside * sine) * goal.distance
}

/// u/s² before its weight.
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
    let place = goal.offset + offset_pursuit_to_world(agent.spatial, local, goal.forward);
    let way = place + goal.velocity * closing_time(agent, place, goal.velocity).min(longest);
    steer_to(agent, arrive_velocity(agent, way, offset_pursuit.slow_radius))
}
