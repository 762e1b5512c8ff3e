//! Twin of `shaders/behaviors/path_following.wgsl`: along a path, within its radius.

use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::paths::{followed_on_path, nearest_on_path, path_at};
use crate::cpu::common::target::{along, nearest_image};
use crate::cpu::common::vector::dot3;
use crate::model::{CompiledScene, PathFollowing};
use glam::Vec3;

const ONWARD: u32 = 0;
const REYNOLDS: u32 = 1;

/// The acceleration before the behavior's weight, u/s².
pub fn path_following_steer(model: &CompiledScene, path_following: &PathFollowing, agent: &Agent) -> Vec3 {
    let path = &model.scenery.paths[path_following.path as usize];
    let predicted = agent.position + agent.velocity * path_following.prediction_time;
    let ahead = nearest_on_path(model, path, predicted);
    let here = nearest_on_path(model, path, agent.position);
    let backward = path_following.direction == 1;
    let sign = if backward { -1.0 } else { 1.0 };
    let rest = if backward { here.arc_length } else { path.length - here.arc_length }.max(0.0);
    let stops = path.closed == 0 && path_following.end == 0 && rest < path_following.slow_radius;
    let progress = dot3(agent.velocity, here.tangent) * sign;
    let onward = path_following.form == ONWARD;
    let content = !onward || progress > path_following.min_progress * agent.max_speed;
    if !stops && ahead.distance <= ahead.radius && content {
        return Vec3::ZERO;
    }
    let mut look_ahead = path_following.look_ahead_time * agent.speed;
    if onward || stops {
        look_ahead = look_ahead.max(here.radius.max(agent.max_speed * model.world.dt));
    } else if path_following.form == REYNOLDS {
        look_ahead = 0.0;
    }
    let mut start = ahead.arc_length;
    if onward || stops {
        start = followed_on_path(model, path, agent.position, agent.velocity * sign).arc_length;
    }
    let place = path_at(model, path, start + look_ahead * sign);
    let way = nearest_image(model, place.point - agent.position);
    let mut speed = agent.max_speed;
    if stops {
        let left = rest.max(dot3(way, way).sqrt());
        speed = agent.max_speed * (left / path_following.slow_radius).min(1.0);
    }
    steer_to(agent, along(way) * speed)
}
