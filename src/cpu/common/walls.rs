//! Twin of `shaders/common/walls.wgsl`.

use super::clearance::{Clearance, facing};
use super::vector::is_sane3;
pub(super) use crate::constants::MAX_CELLS_CROSSED;
use crate::constants::OFF_WALL;
pub use crate::constants::{LEAST_LEAP, MAP_WALLS, MAX_LEAPS, TOUCHES};
use crate::model::scenery::{FAR_AWAY, TOUCHING};
use crate::model::texels::{COLUMN_BITS, COLUMN_MASK, WALL_BIT};
use crate::model::{CompiledScene, World};
use glam::{BVec2, UVec2, Vec2, Vec3};

/// Columns and rows, with the border.
pub fn bordered(world: &World) -> Vec2 {
    (UVec2::new(world.map_columns, world.map_rows) + 2).as_vec2()
}

pub(super) fn on_map(world: &World, position: Vec3) -> Vec2 {
    Vec2::new(position.x, -position.y) * world.map_cells_per_unit + bordered(world) * 0.5
}

fn map_cell(world: &World, at: Vec2) -> UVec2 {
    at.max(Vec2::ZERO).min(bordered(world) - 1.0).as_uvec2()
}

fn wall_texel(model: &CompiledScene, cell: UVec2) -> u32 {
    let texels = model.nearest_walls.as_ref().map_or(&[][..], |nearest| nearest.texels());
    texels[(cell.y * (model.world.map_columns + 2) + cell.x) as usize]
}

pub(super) fn is_wall(model: &CompiledScene, at: Vec2) -> bool {
    wall_texel(model, map_cell(&model.world, at)) & WALL_BIT != 0
}

/// Is a place in a wall of the map?
pub fn in_wall(model: &CompiledScene, position: Vec3) -> bool {
    is_wall(model, on_map(&model.world, position))
}

/// Distance and normal of the walls of the map.
pub fn map_clearance(model: &CompiledScene, position: Vec3) -> Clearance {
    let world = &model.world;
    let at = on_map(world, position);
    let kind = wall_texel(model, map_cell(world, at)) & WALL_BIT;
    let (mut nearest, mut way, mut off) = (1e38, Vec2::ZERO, Vec2::ZERO);
    for k in 0..9 {
        let mut cell = map_cell(world, at + Vec2::new((k % 3) as f32, (k / 3) as f32) - 1.0);
        let texel = wall_texel(model, cell);
        if texel & WALL_BIT == kind {
            cell = UVec2::new(texel & COLUMN_MASK, (texel >> COLUMN_BITS) & COLUMN_MASK);
        }
        let middle = at - (cell.as_vec2() + 0.5);
        let beyond = (middle.abs() - 0.5).max(Vec2::ZERO);
        let squared = beyond.x * beyond.x + beyond.y * beyond.y;
        if squared < nearest {
            nearest = squared;
            way = Vec2::select(middle.cmplt(Vec2::ZERO), -beyond, beyond);
            off = middle;
        }
    }
    let distance = nearest.sqrt();
    let mut normal = way / distance.max(TOUCHING);
    if distance <= TOUCHING {
        let side = Vec2::select(off.cmplt(Vec2::ZERO), Vec2::NEG_ONE, Vec2::ONE);
        normal = if off.x.abs() >= off.y.abs() { Vec2::new(side.x, 0.0) } else { Vec2::new(0.0, side.y) };
    }
    let free = Clearance { distance: distance * world.map_cell_size, normal: Vec3::new(normal.x, -normal.y, 0.0) };
    facing(free, kind != 0)
}

/// The share of the distance at a place in which there is no wall: off the map another one may be nearer.
fn free_share(world: &World, position: Vec3) -> f32 {
    let at = on_map(world, position);
    if at == at.max(Vec2::ZERO).min(bordered(world)) { 1.0 } else { 0.5 }
}

/// Distance along `forward` until a body of this radius touches a wall of the map, u. If it touches already, this is minus its depth
/// in the wall; [`FAR_AWAY`] if no wall is in reach. The shader follows the three feelers of whiskers in one loop.
pub fn map_way(model: &CompiledScene, position: Vec3, forward: Vec3, reach: f32, radius: f32) -> f32 {
    let cell = model.world.map_cell_size;
    let mut way = 0.0;
    for _ in 0..MAX_LEAPS {
        let place = position + forward * way;
        let distance = map_clearance(model, place).distance;
        let gap = distance - radius;
        if gap <= TOUCHES * cell {
            return way + gap.min(0.0);
        }
        way += (distance * free_share(&model.world, place) - radius).max(LEAST_LEAP * cell);
        if way > reach {
            break;
        }
    }
    FAR_AWAY
}

/// Where a move of one step from `before` to `aim` ends, as far as walls of the map let it: position and velocity.
pub fn along_walls(model: &CompiledScene, before: Vec3, aim: (Vec3, Vec3)) -> (Vec3, Vec3) {
    if !is_sane3(aim.0) {
        return aim;
    }
    let world = &model.world;
    let (at, to) = (on_map(world, before), on_map(world, aim.0));
    let mut cell = at.floor();
    if to.floor() == cell || is_wall(model, at) {
        return aim;
    }
    let (mut end, mut left) = (aim, to - at);
    for _ in 0..MAX_CELLS_CROSSED {
        let onward = left.cmpgt(Vec2::ZERO);
        let side = Vec2::select(onward, cell + 1.0, cell);
        let share = Vec2::select(left.cmpne(Vec2::ZERO), (side - at) / left, Vec2::splat(FAR_AWAY));
        if share.x.min(share.y) > 1.0 {
            if in_wall(model, end.0) {
                break;
            }
            return end;
        }
        let sideways = share.x <= share.y;
        let ahead = Vec2::select(onward, Vec2::ONE, Vec2::NEG_ONE);
        let next = cell + Vec2::select(BVec2::new(sideways, !sideways), ahead, Vec2::ZERO);
        if !is_wall(model, next + 0.5) {
            cell = next;
            continue;
        }
        let place = (side - ahead * OFF_WALL - bordered(world) * 0.5) * world.map_cell_size;
        if sideways {
            (left.x, end.0.x, end.1.x) = (0.0, place.x, 0.0);
        } else {
            (left.y, end.0.y, end.1.y) = (0.0, -place.y, 0.0);
        }
    }
    (before, Vec3::ZERO)
}

/// The unit vector out of the open ground of a map, into the nearest wall, if the predicted move ends nearer than `margin` to it; zero
/// otherwise, and without a map.
pub fn out_of_ground(model: &CompiledScene, before: Vec3, predicted: (Vec3, Vec3), margin: f32) -> Vec3 {
    if model.nearest_walls.is_none() {
        return Vec3::ZERO;
    }
    let wall = map_clearance(model, along_walls(model, before, predicted).0);
    if wall.distance < margin { -wall.normal } else { Vec3::ZERO }
}
