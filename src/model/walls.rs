//! The nearest walls of a map, as shaders read them. Twin of `shaders/map/walls.wgsl`.

use super::texels::{COLUMN_BITS, COLUMN_MASK, WALL_BIT};
use crate::scene::Walls;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Where a column has no cell of the other kind.
const NO_ROW: u32 = u32::MAX;

/// For each cell of a map, and of a border of open cells around it, the nearest cell of the other kind. The GPU finds them by itself.
#[derive(Debug)]
pub struct NearestWalls {
    walls: Arc<Walls>,
    texels: OnceLock<Vec<u32>>,
    /// What these are found from, until they are: see [`NearestWalls::follow`].
    before: Mutex<Option<Arc<NearestWalls>>>,
}

/// Columns and rows of a part of a map with its border: the first ones, and the ones behind the last.
pub type Region = [Range<u32>; 2];

impl NearestWalls {
    /// The nearest walls of a map that has any.
    pub(crate) fn of(walls: &Arc<Walls>) -> Option<NearestWalls> {
        let walls = Arc::clone(walls);
        walls.solid.contains(&true).then(|| NearestWalls { walls, texels: OnceLock::new(), before: Mutex::default() })
    }

    /// Find these, when they are asked for, from ones of a map of the same size that the host has found: only around cells of the other kind
    /// anything is computed. Else nothing happens.
    pub(crate) fn follow(&self, before: &Arc<NearestWalls>) {
        if self.size() == before.size() && self.known().is_none() && before.known().is_some() {
            *self.before.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(before));
        }
    }

    fn before(&self) -> Option<Arc<NearestWalls>> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner).take()
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
        self.solid_in(&[0..columns, 0..rows])
    }

    fn solid_in(&self, [columns, rows]: &Region) -> Vec<bool> {
        let cells = rows.clone().flat_map(|row| columns.clone().map(move |column| (column as i32, row as i32)));
        cells.map(|(column, row)| self.walls.is_solid(column - 1, row - 1)).collect()
    }

    /// For each cell the column and the row of the nearest one of the other kind, and [`WALL_BIT`] where it is a wall itself.
    pub fn texels(&self) -> &[u32] {
        if let Some(texels) = self.texels.get() {
            return texels;
        }
        // Outside of any lock: while this thread waits for others, rayon may let it run another simulation, which asks for the same walls.
        let before = self.before.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let renewed = before.and_then(|before| self.renewed(&before, before.known()?));
        let texels = renewed.map_or_else(|| search(self.size()[0] as usize, &self.solid()), |renewed| renewed.texels);
        let texels = self.texels.get_or_init(|| texels);
        drop(self.before());
        texels
    }

    /// Texels that somebody has found already.
    pub(crate) fn known(&self) -> Option<&[u32]> {
        self.texels.get().map(Vec::as_slice)
    }

    /// The same from the texels of a map of the same size, of which a few cells are of the other kind: only around these anything is computed.
    /// Returns the part of the map that may differ, and how many cells were looked at; none where the map is of another size, or its texels are
    /// known.
    pub fn renew(&self, before: &NearestWalls, known: &[u32]) -> Option<(Region, usize)> {
        let Renewed { texels, part, looked_at } = self.renewed(before, known)?;
        self.before();
        self.texels.set(texels).ok().map(|()| (part, looked_at))
    }

    /// The texels, if the map is of the same size, by searching a little farther than from where a stroke is nearer than what was.
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
        // How far the nearest one was, in half cells, squared.
        let was = |place: [u32; 2]| square(place, column_and_row(known[index(place)]));
        let may_differ = |place: [u32; 2]| is_reached(square_to(place, &stroke), was(place));
        let (part, mut looked_at) = self.reached(&stroke, &may_differ);
        let mut margin = 8;
        loop {
            // Where all that is as near as what was found lies within it, it is the nearest of all.
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
                texel != NOTHING && square(place, column_and_row(texel)) <= within * within
            };
            let of_part = places_of(&part).filter(|place| may_differ(*place));
            let renewed = of_part.map(|place| {
                let [x, y] = [0, 1].map(|axis| place[axis] - window[axis].start);
                let texel = found[y as usize * width + x as usize];
                let shifted = texel.wrapping_add(window[0].start | window[1].start << COLUMN_BITS);
                let texel = if texel == NOTHING { NOTHING } else { shifted };
                is_sure(place, texel).then_some((index(place), texel))
            });
            if let Some(renewed) = renewed.collect::<Option<Vec<_>>>() {
                renewed.into_iter().for_each(|(index, texel)| texels[index] = texel);
                return Some(Renewed { texels, part, looked_at });
            }
            margin *= 2;
        }
    }

    /// A region with so many more cells to each side, as far as the map has them.
    fn grown(&self, region: &Region, margin: u32) -> Region {
        let [columns, rows] = self.size();
        let grown =
            |along: &Range<u32>, count: u32| along.start.saturating_sub(margin)..(along.end + margin).min(count);
        [grown(&region[0], columns), grown(&region[1], rows)]
    }

    /// The smallest region around the stroke beyond whose edge no cell may differ, and how many cells were asked. Between a cell that does and
    /// the stroke all cells may: on the straight way there the stroke comes nearer as fast as any wall can, but for the middles of cells, which
    /// lie beside it.
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

/// Texels that were found from others, where they may differ, and how many cells were looked at for that.
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

/// The square of [`twice`] along both axes.
fn square(from: [u32; 2], to: [u32; 2]) -> u32 {
    [0, 1].map(|axis| twice(from[axis], to[axis]).pow(2)).iter().sum()
}

/// The same to the nearest cell of a region.
fn square_to(from: [u32; 2], region: &Region) -> u32 {
    square(from, [0, 1].map(|axis| from[axis].clamp(region[axis].start, region[axis].end - 1)))
}

/// Is what is so far, the square of half cells, as near as what was so far, or but a little farther?
fn is_reached(away: u32, was: u32) -> bool {
    f64::from(away).sqrt() <= f64::from(was).sqrt() + BESIDE
}

/// √2 cells, in half cells, and a little for roots: so much the middles of the cells along a straight way may lie beside it, seen from either end.
const BESIDE: f64 = 2.83;
/// More cells than there are from one end of a map to the other.
const ENDLESS: u32 = 1 << 14;
/// Where a cell has none of the other kind.
const NOTHING: u32 = u32::MAX;

/// Texels of cells, row by row.
fn search(columns: usize, solid: &[bool]) -> Vec<u32> {
    let nearest_rows = search_columns(columns, solid);
    let mut texels = vec![NOTHING; solid.len()];
    texels.par_chunks_mut(columns).enumerate().for_each(|(row, texels)| {
        let cells = row * columns..(row + 1) * columns;
        let row = Row { row: row as u32, solid: &solid[cells.clone()], nearest_rows: &nearest_rows[cells] };
        [false, true].into_iter().for_each(|wall| row.search(wall, texels));
    });
    texels
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
