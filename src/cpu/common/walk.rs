//! Twin of `shaders/common/walk.wgsl`: the walk over all agents that may be near.

use super::grid::{cell_range, entry_of, period_of, row_distance};
use crate::model::CompiledScene;
use crate::scene::Boundary;
use glam::Vec3;

/// Call `visit` for each range of sorted indices that the circle or sphere around a position can touch: with its first
/// index, the one after its last, and half of the shift of its image of the world. Rows come by z, then y, each clipped
/// to the chord at its nearest distance. The shader has no closures: there a `Walk` goes from range to range.
#[inline]
pub fn walk(
    model: &CompiledScene,
    cell_start: &[u32],
    radius: f32,
    position: Vec3,
    mut visit: impl FnMut(u32, u32, Vec3),
) {
    walk_rows(model, cell_start, radius, position, false, |_, first, last, half_shift| visit(first, last, half_shift));
}

/// As [`walk`], but each cell comes only once, and without the image of the world that its agents are in. It serves where
/// agents have moved since the grid was made, and the caller finds the nearest image of each.
#[inline]
pub fn walk_once(
    model: &CompiledScene,
    cell_start: &[u32],
    radius: f32,
    position: Vec3,
    mut visit: impl FnMut(u32, u32),
) {
    walk_rows(model, cell_start, radius, position, true, |_, first, last, _| visit(first, last));
}

/// A row of cells that a walk comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// How many rows came before, including rows that the walk does not touch.
    pub number: u32,
    /// Its cell along y; on a wrapped axis the cell of an image.
    pub y: i32,
    /// Its cell along z; on a wrapped axis the cell of an image.
    pub z: i32,
}

/// As [`walk`], and `visit` also gets the row of each range. A row that is not touched has no range, one that crosses the seam has
/// several. With `once`, each cell comes once, whatever image of the world its agents are in. If all of an axis is then in reach, the
/// distance to its rows counts as 0, because each stands for all of its images.
#[inline]
pub fn walk_rows(
    model: &CompiledScene,
    cell_start: &[u32],
    radius: f32,
    position: Vec3,
    once: bool,
    mut visit: impl FnMut(Row, u32, u32, Vec3),
) {
    let world = &model.world;
    let reach = radius + world.search_margin;
    let [cells_x, cells_y, cells_z] = world.cells;
    let [beyond_x, beyond_y, beyond_z] = world.cells_beyond;
    let wraps = model.boundary.map(|b| b == Boundary::Wrap);
    let range = |axis: usize, reach: f32| {
        let (first, last) = cell_range(model, axis, position[axis], reach);
        let too_long = once && wraps[axis] && last - first >= world.cells[axis] as i32;
        (if too_long { (first, first + world.cells[axis] as i32 - 1) } else { (first, last) }, too_long)
    };
    let (rows_y, all_y) = range(1, reach);
    let (rows_z, all_z) = if model.spatial { range(2, reach) } else { ((0, 0), false) };
    let mut rows = 0;
    for z in rows_z.0..=rows_z.1 {
        let period_z = if wraps[2] { period_of(z, cells_z) } else { 0 };
        let home_z = entry_of(z - period_z * cells_z as i32, cells_z, beyond_z);
        let mut distance_z = 0.0;
        if model.spatial && !all_z {
            distance_z = row_distance(model, 2, position.z, z, rows_z);
        }
        for y in rows_y.0..=rows_y.1 {
            let period_y = if wraps[1] { period_of(y, cells_y) } else { 0 };
            let home_y = entry_of(y - period_y * cells_y as i32, cells_y, beyond_y);
            let distance_y = if all_y { 0.0 } else { row_distance(model, 1, position.y, y, rows_y) };
            let row = Row { number: rows, y, z };
            rows += 1;
            let rest = reach * reach - distance_y * distance_y - distance_z * distance_z;
            if rest < 0.0 {
                continue;
            }
            let chord = rest.sqrt() + world.search_margin;
            let row_start = (home_z * cells_y + home_y) * cells_x;
            let ((mut x, last_x), _) = range(0, chord);
            while x <= last_x {
                let period_x = if wraps[0] { period_of(x, cells_x) } else { 0 };
                let home_x = entry_of(x - period_x * cells_x as i32, cells_x, beyond_x) as i32;
                let length = (last_x - x).min(cells_x as i32 - 1 - home_x);
                let periods = Vec3::new(period_x as f32, period_y as f32, period_z as f32);
                let half_shift = periods * Vec3::from_array(world.half_size);
                let first = cell_start[(row_start + home_x as u32) as usize];
                let last = cell_start[(row_start + (home_x + length) as u32) as usize + 1];
                visit(row, first, last, half_shift);
                x += length + 1;
            }
        }
    }
}
