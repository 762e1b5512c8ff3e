//! Twin of `shaders/behaviors/hide.wgsl`: behind the obstacle, or the wall of the map, that covers best from the target (Buckland).

use super::arrive::arrive_velocity;
use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::obstacles::{SEEN_FROM_OUTSIDE, SHAPE_BOX, SHAPE_CAPSULE, SHAPE_PLANE};
use crate::cpu::common::obstacles::{box_way_out, capsule_way_out, from_obstacle, into_frame};
use crate::cpu::common::sight::walls_hide;
use crate::cpu::common::target::{Goal, along, nearest_image};
use crate::cpu::common::vector::dot3;
use crate::cpu::common::walls::{LEAST_LEAP, MOST_LEAPS, TOUCHES, bordered, in_wall, map_clearance, map_way};
use crate::model::scenery::{FAR_AWAY, Obstacle, TOUCHING};
use crate::model::{CompiledScene, Hide};
use glam::{Vec2, Vec3};

/// A place in cover.
struct Cover {
    /// From the agent, u.
    way: Vec3,
    /// The agent's way to it, as a share of the target's.
    share: f32,
}

/// The place behind an obstacle; of share FAR_AWAY where it gives no cover.
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

const RAYS: u32 = 12;
const TURN: Vec2 = Vec2::new(0.866_025_4, 0.5);

/// How far a line goes on until it is out of a wall of the map; FAR_AWAY where that is too far.
fn hide_through(model: &CompiledScene, position: Vec3, forward: Vec3) -> f32 {
    let mut way = 0.0f32;
    for _ in 0..MOST_LEAPS {
        let depth = -map_clearance(model, position + forward * way).distance;
        if depth <= 0.0 {
            return (way + depth).max(0.0);
        }
        way += depth.max(LEAST_LEAP * model.world.map_cell_size);
    }
    FAR_AWAY
}

/// The better one of a place in cover and that behind the wall of the map that a ray meets.
fn hide_behind_wall(
    model: &CompiledScene,
    best: Cover,
    forward: Vec3,
    hide: &Hide,
    agent: &Agent,
    goal: &Goal,
) -> Cover {
    let cell = model.world.map_cell_size;
    let extent = bordered(&model.world) * cell;
    let ahead = map_way(model, agent.position, forward, goal.distance + extent.x + extent.y, 0.0);
    if ahead == FAR_AWAY {
        return best;
    }
    let wall = map_clearance(model, agent.position + forward * ahead);
    let deep = wall.distance.max(0.0) + 2.0 * TOUCHES * cell;
    let met = forward * (ahead + deep) - wall.normal * deep;
    let mut shift = Vec3::ZERO;
    for _ in 0..2 {
        let from_target = met + shift - goal.offset;
        let behind = along(Vec3::new(from_target.x, from_target.y, 0.0));
        let through = hide_through(model, agent.position + met + shift, behind);
        let way = met + shift + behind * (through + agent.radius + hide.distance);
        let place = agent.position + way;
        let theirs = way - goal.offset;
        let share = dot3(way, way).sqrt() / dot3(theirs, theirs).sqrt().max(TOUCHING);
        if through == FAR_AWAY || share >= best.share || in_wall(model, place) {
            break;
        }
        let side = Vec3::new(-behind.y, behind.x, 0.0) * agent.radius;
        let left = walls_hide(model, place + side, -theirs - side);
        let right = walls_hide(model, place - side, side - theirs);
        match (left, right) {
            (true, true) => return Cover { way, share },
            (true, false) => shift = side,
            (false, true) => shift = -side,
            (false, false) => break,
        }
    }
    best
}

/// u/s² before its weight.
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
    if model.nearest_walls.is_some() {
        let mut forward = along(Vec3::new(goal.offset.x, goal.offset.y, 0.0));
        if dot3(forward, forward) == 0.0 {
            forward = Vec3::X;
        }
        for ray in 0..=RAYS {
            if ray == RAYS {
                forward = -map_clearance(model, agent.position).normal;
            }
            best = hide_behind_wall(model, best, forward, hide, agent, goal);
            let x = forward.x * TURN.x - forward.y * TURN.y;
            forward = Vec3::new(x, forward.x * TURN.y + forward.y * TURN.x, 0.0);
        }
    }
    if best.share == FAR_AWAY {
        return Vec3::ZERO;
    }
    steer_to(agent, arrive_velocity(agent, best.way, hide.slow_radius))
}
