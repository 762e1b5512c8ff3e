//! The nearest walls of a map, as shaders read them. Twin of `shaders/map/walls.wgsl`.

use crate::scene::Walls;
use rayon::prelude::*;
use std::sync::{Arc, OnceLock};

/// In a texel: is its cell a wall?
pub const WALL_BIT: u32 = 1 << 31;
/// Columns and rows lie in so many bits each.
pub const COLUMN_BITS: u32 = 13;
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
            let (size, solid) = (self.size(), self.solid());
            let nearest_rows = search_columns(size, &solid);
            let texel = |index: usize| {
                let [column, row] = search_row(size, &solid, &nearest_rows, index);
                column | row << COLUMN_BITS | u32::from(solid[index]) << 31
            };
            (0..solid.len()).into_par_iter().map(texel).collect()
        })
    }
}

fn search_columns([columns, rows]: [u32; 2], solid: &[bool]) -> Vec<u32> {
    let mut nearest = vec![NO_ROW; solid.len()];
    for column in 0..columns {
        // The latest rows of an open cell and of a wall.
        let mut latest = [NO_ROW; 2];
        for row in 0..rows {
            let index = (row * columns + column) as usize;
            nearest[index] = latest[usize::from(!solid[index])];
            latest[usize::from(solid[index])] = row;
        }
        latest = [NO_ROW; 2];
        for row in (0..rows).rev() {
            let index = (row * columns + column) as usize;
            let (other, above) = (latest[usize::from(!solid[index])], nearest[index]);
            if other != NO_ROW && (above == NO_ROW || other - row < row - above) {
                nearest[index] = other;
            }
            latest[usize::from(solid[index])] = row;
        }
    }
    nearest
}

fn twice(cells: u32) -> u32 {
    (2 * cells).max(1) - 1
}

fn search_row([columns, _]: [u32; 2], solid: &[bool], nearest_rows: &[u32], index: usize) -> [u32; 2] {
    let (row, column) = (index as u32 / columns, index as u32 % columns);
    let (mut best, mut nearest) = (u32::MAX, [column, row]);
    for away in 0..columns {
        if twice(away).pow(2) >= best {
            break;
        }
        for there in [column.wrapping_sub(away), column + away].into_iter().filter(|there| *there < columns) {
            let other = (row * columns + there) as usize;
            let found = if solid[other] == solid[index] { nearest_rows[other] } else { row };
            if found == NO_ROW {
                continue;
            }
            let squared = twice(away).pow(2) + twice(found.abs_diff(row)).pow(2);
            if squared < best {
                (best, nearest) = (squared, [there, found]);
            }
        }
    }
    nearest
}
