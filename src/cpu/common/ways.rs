//! Twin of `shaders/common/ways.wgsl`: ways to the goals of a map, as an agent follows them.

use super::sight::walls_hide;
pub use super::structs::WaySum;
use super::target::{Goal, along, goal_at};
use crate::model::ways::{CELL, Measure, NO_WAY, SEVERAL_PLACES, Ways};
use crate::model::{CompiledScene, Target};
use glam::{Vec2, Vec3};
use std::f32::consts::SQRT_2;

/// The way from a cell to a goal, as two words: its packed direction and its length.
fn way_from(ways: &Ways, goal: u32, column: i32, row: i32) -> [u32; 2] {
    match ways.walls.index(column, row) {
        Some(cell) => {
            let first = ways.words(goal, cell as u32);
            let words = ways.computed();
            [words[first], words[first + 1]]
        }
        None => [0, NO_WAY],
    }
}

// Here and in `goal_on_way` the shader has no branches: it adds zeros where these functions return early.
fn way_add(measure: Measure, sum: WaySum, [direction, length]: [u32; 2], share: f32, counts: bool) -> WaySum {
    if length == NO_WAY || !counts {
        return sum;
    }
    let way = Vec2::new(f32::from(direction as i16), f32::from((direction >> 16) as i16));
    WaySum {
        direction: sum.direction + way * share,
        cells: sum.cells + cells_of(measure, length) * share,
        share: sum.share + share,
    }
}

fn cells_of(measure: Measure, length: u32) -> f32 {
    match measure {
        Measure::Grid => (length >> 16) as f32 + (length & 0xffff) as f32 * SQRT_2,
        Measure::Time => length as f32 / CELL as f32,
    }
}

/// The way to a goal from a place; its share is 0 if no way leads from there.
pub fn way_at(ways: &Ways, goal: u32, position: Vec3) -> WaySum {
    let (columns, rows) = (ways.walls.columns as f32, ways.walls.rows as f32);
    let cells_per_unit = 1.0 / ways.walls.cell;
    let x = position.x * cells_per_unit + (columns * 0.5 - 0.5);
    let y = rows * 0.5 - 0.5 - position.y * cells_per_unit;
    let column = x.clamp(-2.0, columns + 1.0).floor() as i32;
    let row = y.clamp(-2.0, rows + 1.0).floor() as i32;
    let right = (x - column as f32).clamp(0.0, 1.0);
    let below = (y - row as f32).clamp(0.0, 1.0);
    let from = |column: i32, row: i32| way_from(ways, goal, column, row);
    let (a, b) = (from(column, row), from(column + 1, row));
    let (c, d) = (from(column, row + 1), from(column + 1, row + 1));
    let none = |way: [u32; 2]| way[1] == NO_WAY;
    let (apart_ad, apart_bc) = (none(b) && none(c), none(a) && none(d));
    let (nearer_a, nearer_b) = (right + below < 1.0, right > below);
    let add = |sum, way, share, counts| way_add(ways.measure, sum, way, share, counts);
    let mut sum = WaySum::default();
    sum = add(sum, a, (1.0 - right) * (1.0 - below), !apart_ad || nearer_a);
    sum = add(sum, b, right * (1.0 - below), !apart_bc || nearer_b);
    sum = add(sum, c, (1.0 - right) * below, !apart_bc || !nearer_b);
    sum = add(sum, d, right * below, !apart_ad || !nearer_a);
    sum
}

/// The place at which an agent reads its way: where it will be, or where it is if a wall lies between.
fn place_ahead(model: &CompiledScene, position: Vec3, onward: Vec3) -> Vec3 {
    let hidden = model.nearest_walls.is_some() && walls_hide(model, position, onward);
    if hidden { position } else { position + onward }
}

/// A goal of the map as an agent heads for it: in the direction of the way, as far off as the way is long.
pub fn goal_on_way(model: &CompiledScene, toward: Target, position: Vec3, velocity: Vec3) -> Goal {
    let Some(ways) = &model.ways else { return Goal::default() };
    let goal = toward.index & !SEVERAL_PLACES;
    let mut sum = way_at(ways, goal, place_ahead(model, position, velocity * toward.prediction_time));
    if sum.share == 0.0 {
        sum = way_at(ways, goal, position);
    }
    if sum.share <= 0.0 {
        return goal_at(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    }
    let cells = sum.cells / sum.share;
    if cells < 1.0 && toward.index & SEVERAL_PLACES == 0 {
        return goal_at(Vec3::from_array(toward.point) - position, Vec3::ZERO, Vec3::ZERO);
    }
    let ahead = along(sum.direction.extend(0.0));
    goal_at(ahead * (cells * ways.walls.cell), Vec3::ZERO, ahead)
}
