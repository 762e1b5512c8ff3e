//! Twin of `shaders/common/cover.wgsl`: places in cover.

use super::agent::Agent;
use super::sight::walls_hide;
pub use super::structs::Cover;
use super::target::{Goal, along};
use super::vector::dot3;
use super::walls::{LEAST_LEAP, MAX_LEAPS, TOUCHES, bordered, in_wall, map_clearance, map_way};
use crate::constants::HIDE_RAYS;
use crate::model::CompiledScene;
use crate::model::scenery::{FAR_AWAY, TOUCHING};
use glam::{Vec2, Vec3};

const TURN: Vec2 = Vec2::new(0.866_025_4, 0.5);

/// Distance along a line until it leaves the wall of the map that it begins in, u; FAR_AWAY if that is too far.
fn way_out_of_wall(model: &CompiledScene, position: Vec3, forward: Vec3) -> f32 {
    let mut way = 0.0f32;
    for _ in 0..MAX_LEAPS {
        let depth = -map_clearance(model, position + forward * way).distance;
        if depth <= 0.0 {
            return (way + depth).max(0.0);
        }
        way += depth.max(LEAST_LEAP * model.world.map_cell_size);
    }
    FAR_AWAY
}

/// The better of two places in cover: `best`, and the one behind the wall of the map that the ray along `forward` meets.
fn hide_behind_wall(model: &CompiledScene, best: Cover, forward: Vec3, room: f32, agent: &Agent, goal: &Goal) -> Cover {
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
        let through = way_out_of_wall(model, agent.position + met + shift, behind);
        let way = met + shift + behind * (through + agent.radius + room);
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

/// The best of `best` and the places behind walls of the map, with `room` between wall and body, u.
pub fn hide_behind_walls(model: &CompiledScene, best: Cover, room: f32, agent: &Agent, goal: &Goal) -> Cover {
    if model.nearest_walls.is_none() {
        return best;
    }
    let mut cover = best;
    let mut forward = along(Vec3::new(goal.offset.x, goal.offset.y, 0.0));
    if dot3(forward, forward) == 0.0 {
        forward = Vec3::X;
    }
    for ray in 0..=HIDE_RAYS {
        if ray == HIDE_RAYS {
            forward = -map_clearance(model, agent.position).normal;
        }
        cover = hide_behind_wall(model, cover, forward, room, agent, goal);
        let x = forward.x * TURN.x - forward.y * TURN.y;
        forward = Vec3::new(x, forward.x * TURN.y + forward.y * TURN.x, 0.0);
    }
    cover
}
