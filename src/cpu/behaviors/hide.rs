//! Twin of `shaders/behaviors/hide.wgsl`: behind the obstacle or wall of the map that gives the best cover from the target (Buckland).

use super::arrive::arrive_velocity;
use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::cover::{Cover, hide_behind_walls};
use crate::cpu::common::obstacles::{SEEN_FROM_OUTSIDE, SHAPE_BOX, SHAPE_CAPSULE, SHAPE_PLANE};
use crate::cpu::common::obstacles::{box_way_out, capsule_way_out, from_obstacle, into_frame};
use crate::cpu::common::target::{Goal, along, nearest_image};
use crate::cpu::common::vector::dot3;
use crate::model::scenery::{FAR_AWAY, Obstacle};
use crate::model::{CompiledScene, Hide};
use glam::Vec3;

/// The place behind an obstacle; its share is FAR_AWAY if the obstacle gives no cover.
fn hide_behind(model: &CompiledScene, obstacle: &Obstacle, hide: &Hide, agent: &Agent, goal: &Goal) -> Cover {
    let center = -from_obstacle(model, obstacle, agent.position);
    let from_target = nearest_image(model, center - goal.offset);
    let behind = along(from_target);
    let size = Vec3::from_array(obstacle.size);
    let own = into_frame(model, obstacle, behind);
    let depth = match obstacle.shape {
        SHAPE_BOX => box_way_out(size, Vec3::ZERO, own),
        SHAPE_CAPSULE => capsule_way_out(size.x, size.y, Vec3::ZERO, own),
        _ => size.x,
    };
    let room = depth + agent.radius + hide.distance;
    let way = center + behind * room;
    let covers = obstacle.seen_from == SEEN_FROM_OUTSIDE && obstacle.shape != SHAPE_PLANE && dot3(behind, behind) > 0.0;
    let theirs = dot3(from_target, from_target).sqrt() + room;
    Cover { way, share: if covers { dot3(way, way).sqrt() / theirs } else { FAR_AWAY } }
}

/// The acceleration before the behavior's weight, u/s².
pub fn hide_steer(hide: &Hide, agent: &Agent, goal: &Goal, model: &CompiledScene) -> Vec3 {
    if !goal.exists || goal.distance > hide.panic_distance {
        return Vec3::ZERO;
    }
    let mut best = Cover { way: Vec3::ZERO, share: FAR_AWAY };
    for obstacle in model.obstacles.iter() {
        let cover = hide_behind(model, obstacle, hide, agent, goal);
        if cover.share < best.share {
            best = cover;
        }
    }
    best = hide_behind_walls(model, best, hide.distance, agent, goal);
    if best.share == FAR_AWAY {
        return Vec3::ZERO;
    }
    steer_to(agent, arrive_velocity(agent, best.way, hide.slow_radius))
}
