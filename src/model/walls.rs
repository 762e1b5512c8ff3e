//! The nearest walls of a map, as shaders read them. Twin of `shaders/map/walls.wgsl`.

use super::texels::{COLUMN_BITS, WALL_BIT};
use crate::scene::Walls;
use rayon::prelude::*;
use std::sync::{Arc, OnceLock};

/// Where a column has no cell of the other kind.
const NO_ROW: u32 = u32::MAX;

/// For each cell of a map, and of a border of open cells around it, the nearest cell of the other kind. The GPU finds them by itself.
#[derive(Debug)]
pub struct NearestWalls {
    walls: Arc<Walls>,
    texels: OnceLock<Vec<u32>>,
}

impl NearestWalls {
    /// Those of a map that has walls.
    pub(crate) fn of(walls: &Arc<Walls>) -> Option<NearestWalls> {
        let walls = Arc::clone(walls);
        walls.solid.contains(&true).then(|| NearestWalls { walls, texels: OnceLock::new() })
    }

    /// The map.
    pub fn walls(&self) -> &Walls {
        &self.walls
    }

    /// Columns and rows, with the border.
    pub fn size(&self) -> [u32; 2] {
        [self.walls.columns + 2, self.walls.rows + 2]
    }

    /// Is it a wall? Row by row, with the border.
    pub fn solid(&self) -> Vec<bool> {
        let [columns, rows] = self.size();
        let cells = (0..rows as i32).flat_map(|row| (0..columns as i32).map(move |column| (column, row)));
        cells.map(|(column, row)| self.walls.is_solid(column - 1, row - 1)).collect()
    }

    /// For each cell the column and the row of the nearest one of the other kind, and [`WALL_BIT`] where it is a wall itself.
    pub fn texels(&self) -> &[u32] {
        self.texels.get_or_init(|| {
            let (columns, solid) = (self.size()[0] as usize, self.solid());
            let nearest_rows = search_columns(columns, &solid);
            let mut texels = vec![0; solid.len()];
            texels.par_chunks_mut(columns).enumerate().for_each(|(row, texels)| {
                let cells = row * columns..(row + 1) * columns;
                let row = Row { row: row as u32, solid: &solid[cells.clone()], nearest_rows: &nearest_rows[cells] };
                [false, true].into_iter().for_each(|wall| row.search(wall, texels));
            });
            texels
        })
    }
}

// All columns at once, as the rows lie in memory.
fn search_columns(columns: usize, solid: &[bool]) -> Vec<u32> {
    let mut nearest = vec![NO_ROW; solid.len()];
    // The latest rows of an open cell and of a wall.
    let mut latest = vec![[NO_ROW; 2]; columns];
    for (index, wall) in solid.iter().enumerate() {
        let (row, latest) = ((index / columns) as u32, &mut latest[index % columns]);
        nearest[index] = latest[usize::from(!wall)];
        latest[usize::from(*wall)] = row;
    }
    latest.fill([NO_ROW; 2]);
    for (index, wall) in solid.iter().enumerate().rev() {
        let (row, latest) = ((index / columns) as u32, &mut latest[index % columns]);
        let (other, above) = (latest[usize::from(!wall)], nearest[index]);
        if other != NO_ROW && (above == NO_ROW || other - row < row - above) {
            nearest[index] = other;
        }
        latest[usize::from(*wall)] = row;
    }
    nearest
}

fn twice(from: u32, to: u32) -> u32 {
    (2 * from.abs_diff(to)).max(1) - 1
}

/// What a column has for the cells of a row.
#[derive(Clone, Copy)]
struct Found {
    column: u32,
    row: u32,
    rise: u32,
}

/// Has the second of two columns the nearer one for a cell of their row?
fn is_second(first: &Found, second: &Found, column: u32) -> bool {
    let key = |found: &Found| {
        let away = twice(column, found.column);
        (away * away + found.rise, away)
    };
    key(second) < key(first)
}

/// A row of a map.
struct Row<'a> {
    row: u32,
    solid: &'a [bool],
    nearest_rows: &'a [u32],
}

impl Row<'_> {
    fn found_in(&self, column: u32, wall: bool) -> Option<Found> {
        let index = column as usize;
        let row = if self.solid[index] == wall { self.nearest_rows[index] } else { self.row };
        (row != NO_ROW).then(|| Found { column, row, rise: twice(row, self.row).pow(2) })
    }

    fn first_of_second(&self, first: &Found, second: &Found) -> u32 {
        let apart = 4 * (second.column - first.column);
        let along = (apart * (first.column + second.column + 1) + second.rise - first.rise) / (2 * apart);
        let cell = along.min(self.solid.len() as u32);
        cell + u32::from(!is_second(first, second, cell))
    }

    /// For the walls of the row or for its open cells.
    fn search(&self, wall: bool, texels: &mut [u32]) {
        let columns = self.solid.len() as u32;
        // Of each stretch what its column has, and its first cell.
        let mut stretches: Vec<(Found, u32)> = Vec::new();
        for next in (0..columns).filter_map(|column| self.found_in(column, wall)) {
            while stretches.pop_if(|(last, begins)| is_second(last, &next, *begins)).is_some() {}
            let from = stretches.last().map_or(0, |(last, _)| self.first_of_second(last, &next));
            if from < columns {
                stretches.push((next, from));
            }
        }
        let ends = stretches.iter().skip(1).map(|(_, begins)| *begins).chain([columns]);
        for ((found, begins), end) in stretches.iter().zip(ends) {
            for column in (*begins..end).map(|column| column as usize).filter(|column| self.solid[*column] == wall) {
                texels[column] = found.column | found.row << COLUMN_BITS | if wall { WALL_BIT } else { 0 };
            }
        }
    }
}
