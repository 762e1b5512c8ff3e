//! The nearest wall of each cell of a map, in the texels that shaders read. Twin of `shaders/map/walls.wgsl`.

use super::texels::{COLUMN_BITS, COLUMN_MASK, WALL_BIT};
use super::updated::Updated;
use crate::scene::Walls;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// In place of a row: the column has no cell of the other kind.
const NO_ROW: u32 = u32::MAX;

/// For each cell of a map, and of a border of open cells around it, the nearest cell of the other kind: for an open cell the nearest wall,
/// for a wall the nearest open cell. These are the host's; the GPU finds its own.
#[derive(Debug)]
pub struct NearestWalls {
    walls: Arc<Walls>,
    texels: Updated<Vec<u32>, NearestWalls>,
}

/// A rectangle of cells of a map with its border: its range of columns, and its range of rows.
pub type Region = [Range<u32>; 2];

impl NearestWalls {
    /// The nearest walls of a map; `None` if it has no walls. They are found when they are asked for.
    pub(crate) fn of(walls: &Arc<Walls>) -> Option<NearestWalls> {
        let walls = Arc::clone(walls);
        walls.solid.contains(&true).then(|| NearestWalls { walls, texels: Updated::default() })
    }

    /// When these are asked for, update the texels of `before` around the cells that differ, instead of searching everything. No effect
    /// unless the maps have the same size and the host has found those of `before`.
    pub(crate) fn update_from(&self, before: &Arc<NearestWalls>) {
        if self.size() == before.size() && before.known().is_some() {
            self.texels.update_from(before);
        }
    }

    /// The map.
    pub fn walls(&self) -> &Walls {
        &self.walls
    }

    /// The number of columns and rows, border included.
    pub fn size(&self) -> [u32; 2] {
        [self.walls.columns + 2, self.walls.rows + 2]
    }

    /// For each cell, row by row, border included: is it a wall?
    pub fn solid(&self) -> Vec<bool> {
        let [columns, rows] = self.size();
        self.solid_in(&[0..columns, 0..rows])
    }

    fn solid_in(&self, [columns, rows]: &Region) -> Vec<bool> {
        let cells = rows.clone().flat_map(|row| columns.clone().map(move |column| (column as i32, row as i32)));
        cells.map(|(column, row)| self.walls.is_solid(column - 1, row - 1)).collect()
    }

    /// For each cell the column and the row of the nearest cell of the other kind, and [`WALL_BIT`] if the cell itself is a wall.
    pub fn texels(&self) -> &[u32] {
        self.texels.get(|before| {
            let renewed = before.and_then(|before| self.renewed(before, before.known()?));
            renewed.map_or_else(|| search(self.size()[0] as usize, &self.solid()), |renewed| renewed.texels)
        })
    }

    /// The texels, if they are found already.
    pub(crate) fn known(&self) -> Option<&[u32]> {
        self.texels.known().map(Vec::as_slice)
    }

    /// Find the texels by updating `known`, the texels of `before`, around the cells that differ. Returns the part of the map that may
    /// differ from `known`, and how many cells were looked at; `None` if the maps differ in size, or if these texels were found already.
    pub fn renew(&self, before: &NearestWalls, known: &[u32]) -> Option<(Region, usize)> {
        let Renewed { texels, part, looked_at } = self.renewed(before, known)?;
        self.texels.set(texels).then_some((part, looked_at))
    }

    /// The texels of `before`, updated; `None` if the maps differ in size. A texel can change only where the stroke (the rectangle around
    /// all cells that differ) is about as near as the nearest cell was. A window around these cells is searched anew.
    fn renewed(&self, before: &NearestWalls, known: &[u32]) -> Option<Renewed> {
        if self.size() != before.size() {
            return None;
        }
        let columns = self.size()[0] as usize;
        let changed = |(_, (now, then)): &(usize, (&bool, &bool))| now != then;
        let cells = self.walls.solid.iter().zip(&before.walls.solid).enumerate().filter(changed);
        let places =
            cells.map(|(cell, _)| [cell as u32 % self.walls.columns + 1, cell as u32 / self.walls.columns + 1]);
        let around = |region: Option<Region>, [x, y]: [u32; 2]| {
            let [columns, rows] = region.unwrap_or([x..x, y..y]);
            Some([columns.start.min(x)..columns.end.max(x + 1), rows.start.min(y)..rows.end.max(y + 1)])
        };
        let mut texels = known.to_vec();
        let Some(stroke) = places.fold(None, around) else {
            return Some(Renewed { texels, part: [0..0, 0..0], looked_at: 0 });
        };
        let index = |[x, y]: [u32; 2]| y as usize * columns + x as usize;
        // The squared distance of the cell that was nearest, in half cells.
        let was = |place: [u32; 2]| square(place, column_and_row(known[index(place)]));
        let may_differ = |place: [u32; 2]| is_reached(square_to(place, &stroke), was(place));
        let (part, mut looked_at) = self.reached(&stroke, &may_differ);
        let mut margin = 8;
        loop {
            // A cell found in the window is the nearest of all if the window contains everything that is as near.
            let window = self.grown(&part, margin);
            let width = window[0].len();
            let found = search(width, &self.solid_in(&window));
            looked_at += found.len();
            let at_edge = [0, 1].map(|axis| [window[axis].start == 0, window[axis].end == self.size()[axis]]);
            let is_sure = |place: [u32; 2], texel: u32| {
                let away = [0, 1].map(|axis| {
                    let [first, last] = at_edge[axis];
                    let before = if first { ENDLESS } else { place[axis] - window[axis].start };
                    before.min(if last { ENDLESS } else { window[axis].end - 1 - place[axis] })
                });
                let within = 2 * away[0].min(away[1]);
                texel != NO_TEXEL && square(place, column_and_row(texel)) <= within * within
            };
            let of_part = places_of(&part).filter(|place| may_differ(*place));
            let renewed = of_part.map(|place| {
                let [x, y] = [0, 1].map(|axis| place[axis] - window[axis].start);
                let texel = found[y as usize * width + x as usize];
                let shifted = texel.wrapping_add(window[0].start | window[1].start << COLUMN_BITS);
                let texel = if texel == NO_TEXEL { NO_TEXEL } else { shifted };
                is_sure(place, texel).then_some((index(place), texel))
            });
            if let Some(renewed) = renewed.collect::<Option<Vec<_>>>() {
                renewed.into_iter().for_each(|(index, texel)| texels[index] = texel);
                return Some(Renewed { texels, part, looked_at });
            }
            margin *= 2;
        }
    }

    /// The region with `margin` more cells on each side, clipped to the map.
    fn grown(&self, region: &Region, margin: u32) -> Region {
        let [columns, rows] = self.size();
        let grown =
            |along: &Range<u32>, count: u32| along.start.saturating_sub(margin)..(along.end + margin).min(count);
        [grown(&region[0], columns), grown(&region[1], rows)]
    }

    /// The smallest region around the stroke for which `may_differ` holds nowhere just outside its edge, and how many cells were tested. No
    /// cell farther out may differ either: on the straight way from it to the stroke, the stroke would come nearer as fast as any wall can,
    /// so all cells on that way might differ, too ([`BESIDE`] allows for the middles of cells, which lie beside the way).
    fn reached(&self, stroke: &Region, may_differ: &impl Fn([u32; 2]) -> bool) -> (Region, usize) {
        let (mut region, mut asked) = (stroke.clone(), 0);
        loop {
            let wider = self.grown(&region, 1);
            let [columns, rows] = &wider;
            let sides = [
                [columns.start..region[0].start, rows.clone()],
                [region[0].end..columns.end, rows.clone()],
                [columns.clone(), rows.start..region[1].start],
                [columns.clone(), region[1].end..rows.end],
            ];
            let grows = sides.each_ref().map(|side| places_of(side).any(&may_differ));
            asked += sides.iter().map(|[columns, rows]| columns.len() * rows.len()).sum::<usize>();
            if grows == [false; 4] {
                return (region, asked);
            }
            let [left, right, above, below] = grows;
            let pick = |grows: bool, wider: u32, now: u32| if grows { wider } else { now };
            region = [
                pick(left, columns.start, region[0].start)..pick(right, columns.end, region[0].end),
                pick(above, rows.start, region[1].start)..pick(below, rows.end, region[1].end),
            ];
        }
    }
}

/// Updated texels, the region where they may differ from those before, and how many cells were looked at.
struct Renewed {
    texels: Vec<u32>,
    part: Region,
    looked_at: usize,
}

fn places_of([columns, rows]: &Region) -> impl Iterator<Item = [u32; 2]> + use<> {
    let columns = columns.clone();
    rows.clone().flat_map(move |row| columns.clone().map(move |column| [column, row]))
}

fn column_and_row(texel: u32) -> [u32; 2] {
    [texel & COLUMN_MASK, texel >> COLUMN_BITS & COLUMN_MASK]
}

/// The squared distance from the middle of a cell to the nearest point of another, in half cells.
fn square(from: [u32; 2], to: [u32; 2]) -> u32 {
    [0, 1].map(|axis| half_cells_apart(from[axis], to[axis]).pow(2)).iter().sum()
}

/// As [`square`], to the nearest cell of a region.
fn square_to(from: [u32; 2], region: &Region) -> u32 {
    square(from, [0, 1].map(|axis| from[axis].clamp(region[axis].start, region[axis].end - 1)))
}

/// Is the distance `away` at most [`BESIDE`] more than the distance `was`? Both are given as squares, in half cells.
fn is_reached(away: u32, was: u32) -> bool {
    f64::from(away).sqrt() <= f64::from(was).sqrt() + BESIDE
}

/// How far the middles of the cells along a straight way may lie beside it, seen from either end: √2 cells, in half cells, and a little for
/// the rounding of roots.
const BESIDE: f64 = 2.83;
/// More cells than there are from one end of a map to the other.
const ENDLESS: u32 = 1 << 14;
/// In place of a texel: there is no cell of the other kind.
const NO_TEXEL: u32 = u32::MAX;

/// The texels of a rectangle of cells, row by row.
fn search(columns: usize, solid: &[bool]) -> Vec<u32> {
    let nearest_rows = search_columns(columns, solid);
    let mut texels = vec![NO_TEXEL; solid.len()];
    texels.par_chunks_mut(columns).enumerate().for_each(|(row, texels)| {
        let cells = row * columns..(row + 1) * columns;
        let row = Row { row: row as u32, solid: &solid[cells.clone()], nearest_rows: &nearest_rows[cells] };
        [false, true].into_iter().for_each(|wall| row.search(wall, texels));
    });
    texels
}

/// For each cell the row of the nearest cell of the other kind in its column. All columns at once, because memory holds rows.
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

fn half_cells_apart(from: u32, to: u32) -> u32 {
    (2 * from.abs_diff(to)).max(1) - 1
}

/// The cell of the other kind that one column offers to the cells of a row; `squared_rows` is its squared
/// vertical distance, in half cells.
#[derive(Clone, Copy)]
struct Found {
    column: u32,
    row: u32,
    squared_rows: u32,
}

/// For the cell of the row in this column: is the second of two found cells the nearer one?
fn second_is_nearer(first: &Found, second: &Found, column: u32) -> bool {
    let key = |found: &Found| {
        let away = half_cells_apart(column, found.column);
        (away * away + found.squared_rows, away)
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
        (row != NO_ROW).then(|| Found { column, row, squared_rows: half_cells_apart(row, self.row).pow(2) })
    }

    fn first_of_second(&self, first: &Found, second: &Found) -> u32 {
        let apart = 4 * (second.column - first.column);
        let along =
            (apart * (first.column + second.column + 1) + second.squared_rows - first.squared_rows) / (2 * apart);
        let cell = along.min(self.solid.len() as u32);
        cell + u32::from(!second_is_nearer(first, second, cell))
    }

    /// Write the texels of the row's walls (`wall`), or those of its open cells.
    fn search(&self, wall: bool, texels: &mut [u32]) {
        let columns = self.solid.len() as u32;
        // Stretches of the row with the same nearest cell: that cell, and the first column of the stretch.
        let mut stretches: Vec<(Found, u32)> = Vec::new();
        for next in (0..columns).filter_map(|column| self.found_in(column, wall)) {
            while stretches.pop_if(|(last, begins)| second_is_nearer(last, &next, *begins)).is_some() {}
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
