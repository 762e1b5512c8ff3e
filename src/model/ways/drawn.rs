//! Random maps and strokes over them, for tests.

use super::{Measure, Ways};
use crate::model::random::hash4;
use crate::scene::Walls;
use std::sync::Arc;

/// The number of maps with strokes: [`stroke`] takes a number below this.
pub(crate) const STROKES: u32 = 51;
const SEED: u32 = 29;

fn drawn(number: u32, what: u32) -> u32 {
    hash4([SEED, number, what, 0])[0]
}

/// Ways through a random map, before and after a stroke over it that closes or opens cells or changes their costs. Every fifth map is open
/// and has a goal along its whole edge, so that fronts are straight and neighboring ways equal.
pub(crate) fn stroke(number: u32) -> [Ways; 2] {
    if number == STROKES - 1 {
        return alike();
    }
    let sizes = [[1, 70], [90, 1], [16, 16], [17, 33], [40, 25], [64, 48], [31, 100]];
    let [columns, rows] = sizes[number as usize % sizes.len()];
    let cells = columns * rows;
    let plain = number.is_multiple_of(5);
    let share = if plain { 0 } else { [3, 15, 40][drawn(number, 1) as usize % 3] };
    let of_cell = |cell: u32| hash4([SEED, number, cell, 1]);
    let mut solid: Vec<bool> = (0..cells).map(|cell| of_cell(cell)[0] % 100 < share).collect();
    let cost = |cell: u32| (16 + of_cell(cell)[1] % 225) as u8;
    let mut costs: Vec<u8> = (0..cells).map(|cell| if number.is_multiple_of(2) { 16 } else { cost(cell) }).collect();
    let mut goals: Vec<Vec<u32>> =
        (0..3).map(|k| (0..=k).map(|j| drawn(number, 10 + 3 * k + j) % cells).collect()).collect();
    if plain {
        goals[0] = (0..rows).map(|row| row * columns).collect();
    }
    let measure = [Measure::Time, Measure::Time, Measure::Grid][number as usize % 3];
    let ways = |mut solid: Vec<bool>, costs: Vec<u8>| {
        goals.iter().flatten().for_each(|cell| solid[*cell as usize] = false);
        Ways::new(Arc::new(Walls { columns, rows, cell: 1.0, solid, costs }), measure, goals.clone())
    };
    let before = ways(solid.clone(), costs.clone());
    let (left, top) = (drawn(number, 2) % columns, drawn(number, 3) % rows);
    let (right, bottom) = (left + 1 + drawn(number, 4) % 9, top + 1 + drawn(number, 5) % 3);
    for cell in (top..bottom.min(rows)).flat_map(|row| (left..right.min(columns)).map(move |at| row * columns + at)) {
        match drawn(number, 6) % 4 {
            0 | 1 => solid[cell as usize] = true,
            2 => solid[cell as usize] = false,
            _ => costs[cell as usize] = cost(cell + cells),
        }
    }
    [before, ways(solid, costs)]
}

/// Ways before and after a wall, found by a search: two neighbors with equal ways would then each follow from the other, if the update did
/// not drop both.
fn alike() -> [Ways; 2] {
    let (columns, rows) = (11, 5);
    let mut costs = vec![16; 55];
    for (cell, cost) in [(8, 17), (19, 18), (20, 18), (26, 17), (41, 17), (51, 17)] {
        costs[cell] = cost;
    }
    [false, true].map(|closed| {
        let solid = (0..55).map(|cell| closed && cell == 24).collect();
        let walls = Walls { columns, rows, cell: 1.0, solid, costs: costs.clone() };
        Ways::new(Arc::new(walls), Measure::Time, vec![(0..rows).map(|row| row * columns).collect()])
    })
}

/// Ways through a large map of streets to a goal in one corner, before and after a wall across a street near the opposite corner.
pub(crate) fn across_a_street(side: u32) -> [Ways; 2] {
    let mut solid: Vec<bool> =
        (0..side * side).map(|cell| cell % side / 6 % 2 == 1 && cell / side / 6 % 2 == 1).collect();
    let ways = |solid: Vec<bool>| {
        let walls = Walls { columns: side, rows: side, cell: 1.0, solid, costs: Vec::new() };
        Ways::new(Arc::new(walls), Measure::Time, vec![vec![0]])
    };
    let before = ways(solid.clone());
    let at = side / 12 * 11 / 12 * 12;
    (0..6).for_each(|k| solid[((at + 8) * side + at + k) as usize] = true);
    [before, ways(solid)]
}
