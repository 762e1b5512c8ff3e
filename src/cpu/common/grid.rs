//! Twin of `shaders/common/grid.wgsl`.

use crate::cpu::common::vector::is_sane3;
use crate::model::random::{STREAM_CROWD, hash4};
use crate::model::{CompiledScene, World};
use crate::scene::Boundary;
use glam::Vec3;

/// Index of the cell of a position.
pub fn cell_of(world: &World, position: Vec3) -> u32 {
    let coordinate = |axis: usize| {
        let coordinate = (position[axis] + world.half_size[axis]) * world.cells_per_unit[axis];
        let (cells, beyond) = (world.cells[axis], world.cells_beyond[axis]);
        entry_of(floor_between(coordinate, -beyond, cells as f32 - 1.0 + beyond), cells, beyond)
    };
    (coordinate(2) * world.cells[1] + coordinate(1)) * world.cells[0] + coordinate(0)
}

/// The index along an axis at which the cell with this number stands in the table: on a folded axis its number modulo `cells`.
#[inline]
pub fn entry_of(number: i32, cells: u32, beyond: f32) -> u32 {
    if beyond > 0.0 { number as u32 & (cells - 1) } else { number as u32 }
}

/// Does a range of cells go around a whole folded axis?
#[inline]
pub fn goes_around(range: (i32, i32), cells: u32, beyond: f32) -> bool {
    beyond > 0.0 && range.1 - range.0 >= cells as i32 - 1
}

/// Index in `count` of a flag behind the cells: 1 if any cell of this step is crowded. `scan` moves it into `cell_start`.
pub fn crowd_flag(world: &World) -> usize {
    world.last_cell() as usize + 2
}

/// Is an agent in the sample that its cell shows, if the cell has `agents` agents, which is more than `world.crowd`?
pub fn is_shown(world: &World, id: u32, agents: u32) -> bool {
    let halvings = ((agents - 1) / world.crowd).ilog2() + 1;
    hash4([world.seed, id, 0, STREAM_CROWD])[0] & ((1 << halvings) - 1) == 0
}

/// Can neighbor queries find an agent here? They cannot beyond the ends of a wrapped axis.
pub fn is_in_world(model: &CompiledScene, position: Vec3) -> bool {
    let wraps = |axis: usize| model.boundary[axis] == Boundary::Wrap && (axis < 2 || model.spatial);
    (0..3).all(|axis| !wraps(axis) || position[axis].abs() <= model.world.half_size[axis])
}

/// Is an agent's state finite (not NaN, at most 1e9), and the agent in the world?
pub fn is_healthy(model: &CompiledScene, position: Vec3, velocity: Vec3) -> bool {
    is_sane3(position) && is_sane3(velocity) && is_in_world(model, position)
}

/// First and last cell along one axis within `reach` of x; on a wrapped axis they may lie outside the grid, by one world
/// length at most.
#[inline]
pub fn cell_range(model: &CompiledScene, axis: usize, x: f32, reach: f32) -> (i32, i32) {
    let world = &model.world;
    let (half_size, cells_per_unit) = (world.half_size[axis], world.cells_per_unit[axis]);
    let (cells, folded) = (world.cells[axis], world.cells_beyond[axis]);
    let beyond = if model.boundary[axis] == Boundary::Wrap { cells as f32 } else { folded };
    let end = cells as f32 - 1.0 + beyond;
    let first = floor_between((x - reach + half_size) * cells_per_unit, -beyond, end);
    let last = floor_between((x + reach + half_size) * cells_per_unit, -beyond, end);
    if goes_around((first, last), cells, folded) { (first, first + cells as i32 - 1) } else { (first, last) }
}

/// `x` clamped between two whole numbers and rounded down. Walks need many of these, and `floor` is a call into another
/// library where the target processor may lack the instruction.
#[inline]
fn floor_between(x: f32, low: f32, high: f32) -> i32 {
    let kept = x.clamp(low, high);
    let whole = kept as i32;
    whole - i32::from(whole as f32 > kept)
}

/// How many world lengths an image of a cell is away from the cell itself: -1, 0 or 1.
#[inline]
pub fn period_of(cell: i32, cells: u32) -> i32 {
    if cell < 0 {
        -1
    } else if cell >= cells as i32 {
        1
    } else {
        0
    }
}

/// Distance along an axis from x to a row of a range, less the search margin, u. The outermost rows of an axis that does not wrap
/// extend to infinity. In a range that goes around a folded axis it is 0, because each row may hold agents from anywhere along it.
#[inline]
pub fn row_distance(model: &CompiledScene, axis: usize, x: f32, row: i32, range: (i32, i32)) -> f32 {
    let world = &model.world;
    let (half_size, cell_size, cells) = (world.half_size[axis], world.cell_size[axis], world.cells[axis]);
    let wraps = model.boundary[axis] == Boundary::Wrap;
    let beyond = world.cells_beyond[axis];
    let low = row as f32 * cell_size - half_size;
    let high = (row + 1) as f32 * cell_size - half_size;
    let mut distance = 0.0;
    if x < low && (wraps || row > -beyond as i32) {
        distance = low - x;
    }
    if x > high && (wraps || row < cells as i32 - 1 + beyond as i32) {
        distance = x - high;
    }
    if goes_around(range, cells, beyond) {
        distance = 0.0;
    }
    (distance - world.search_margin).max(0.0)
}
