//! Twin of `shaders/map/ways.wgsl`: how long the way is from every cell of a map to a goal. The reference has its ways from here, and so has
//! a device that is software, where a front in tiles takes longer than this.
//!
//! What a cell says is of the same operations; their order is another, nearest cells first, because the end does not depend on it.

use super::{CELL, LIGHT, MOST_MOVES, Measure, NO_WAY, Ways};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

impl Ways {
    /// The words of all goals and cells, computed once: see [`Ways::words`].
    pub fn computed(&self) -> &[u32] {
        self.computed.get_or_init(|| {
            let per_goal = 2 * self.cells() as usize;
            let mut words = vec![0; per_goal * self.goals.len()];
            let (of_goals, costs) = (words.par_chunks_mut(per_goal.max(1)).zip(&self.goals), self.costs());
            of_goals.for_each(|(words, cells)| lead(self, &lengths(self, &costs, cells), words));
            words
        })
    }
}

/// Is the first way by grid the shorter one?
pub fn is_shorter(first: u32, second: u32) -> bool {
    if first == NO_WAY || second == NO_WAY {
        return first != NO_WAY;
    }
    let straight = i64::from(first >> 16) - i64::from(second >> 16);
    let diagonal = i64::from(second & 0xffff) - i64::from(first & 0xffff);
    if straight < 0 {
        return diagonal >= 0 || straight * straight > 2 * diagonal * diagonal;
    }
    diagonal > 0 && straight * straight < 2 * diagonal * diagonal
}

fn moved_on(from: u32, diagonal: bool) -> u32 {
    let moves = if diagonal { from & 0xffff } else { from >> 16 };
    match from == NO_WAY || moves >= MOST_MOVES {
        true => NO_WAY,
        false => from + if diagonal { 1 } else { 1 << 16 },
    }
}

fn upwind(along_x: u32, along_y: u32, cost: u8) -> u32 {
    let time = CELL / u32::from(LIGHT) * u32::from(cost);
    let first = along_x.min(along_y);
    let apart = along_x.max(along_y) - first;
    match () {
        () if first >= NO_WAY - time => NO_WAY,
        () if apart >= time => first + time,
        () => first + (apart + (2 * time * time - apart * apart).isqrt()) / 2,
    }
}

/// The way from each cell to the nearest of these.
fn lengths(ways: &Ways, costs: &[u8], goal: &[u32]) -> Vec<u32> {
    let (columns, rows) = (ways.walls.columns as i32, ways.walls.rows as i32);
    let mut way = vec![NO_WAY; ways.cells() as usize];
    let inside = |x: i32, y: i32| (0..columns).contains(&x) && (0..rows).contains(&y);
    let index = |x: i32, y: i32| y as usize * columns as usize + x as usize;
    // A diagonal move is about 1.41421 as long as a straight one, which is enough for an order.
    let rank = |word: u32| match ways.measure {
        Measure::Time => u64::from(word),
        Measure::Grid => u64::from(word >> 16) * 100_000 + u64::from(word & 0xffff) * 141_421,
    };
    let mut next = BinaryHeap::new();
    for cell in goal {
        way[*cell as usize] = 0;
        next.push(Reverse((0, *cell)));
    }
    let neighbors: &[(i32, i32)] = match ways.measure {
        Measure::Time => &[(-1, 0), (1, 0), (0, -1), (0, 1)],
        Measure::Grid => &[(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)],
    };
    while let Some(Reverse((reached, cell))) = next.pop() {
        // It has become nearer since it was put there.
        if rank(way[cell as usize]) != reached {
            continue;
        }
        let (x, y) = (cell as i32 % columns, cell as i32 / columns);
        for (dx, dy) in neighbors {
            let (x2, y2) = (x + dx, y + dy);
            if !inside(x2, y2) || costs[index(x2, y2)] == 0 {
                continue;
            }
            let there = index(x2, y2);
            let better = match ways.measure {
                Measure::Time => {
                    let at = |x: i32, y: i32| if inside(x, y) { way[index(x, y)] } else { NO_WAY };
                    let along_x = at(x2 - 1, y2).min(at(x2 + 1, y2));
                    let along_y = at(x2, y2 - 1).min(at(x2, y2 + 1));
                    way[there].min(upwind(along_x, along_y, costs[there]))
                }
                Measure::Grid => {
                    let diagonal = dx * dy != 0;
                    let cut = diagonal && (costs[index(x2, y)] == 0 || costs[index(x, y2)] == 0);
                    let from = if cut { NO_WAY } else { moved_on(way[cell as usize], diagonal) };
                    if is_shorter(from, way[there]) { from } else { way[there] }
                }
            };
            if better != way[there] {
                way[there] = better;
                next.push(Reverse((rank(better), there as u32)));
            }
        }
    }
    way
}

fn falls(own: u32, first: u32, second: u32) -> i32 {
    let least = first.min(second);
    match () {
        () if least >= own => 0,
        () if second < first => (own - least) as i32,
        () => -((own - least) as i32),
    }
}

/// Of each cell the direction in which the time falls, and the time.
fn lead(ways: &Ways, way: &[u32], words: &mut [u32]) {
    let (columns, rows) = (ways.walls.columns as usize, ways.walls.rows as usize);
    let beside = |x: usize, y: usize| if x < columns && y < rows { way[y * columns + x] } else { NO_WAY };
    for (cell, led) in words.chunks_exact_mut(2).enumerate() {
        let (own, column, row) = (way[cell], cell % columns, cell / columns);
        let mut direction = 0;
        if own != NO_WAY && ways.measure == Measure::Time {
            let x = falls(own, beside(column.wrapping_sub(1), row), beside(column + 1, row));
            let y = falls(own, beside(column, row + 1), beside(column, row.wrapping_sub(1)));
            let longer = x.abs().max(y.abs()).max(1);
            direction = (x * 32767 / longer) as u32 & 0xffff | ((y * 32767 / longer) as u32) << 16;
        }
        led.copy_from_slice(&[direction, own]);
    }
}
