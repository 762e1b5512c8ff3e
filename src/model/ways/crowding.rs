//! Ground takes longer to cross where agents stand close. Counting the agents is the twin of `shaders/map/crowding.wgsl`; the costs that
//! follow from the counts are computed on the host for either backend.

use crate::scene::{Map, Walls};

/// How crowds raise costs. `cost`: how much longer ground takes to cross for each agent on a square unit, as a share, u². `radius`: how far
/// around a cell agents are counted, u. `every`: steps from one count to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crowding {
    cost: f32,
    radius: f32,
    pub(crate) every: u32,
}

impl Crowding {
    /// The crowding of a map, if crowds cost anything there.
    pub(super) fn of(map: &Map) -> Option<Crowding> {
        let Map { crowding: cost, crowding_radius: radius, crowding_every: every, .. } = *map;
        (cost > 0.0).then_some(Crowding { cost, radius, every: every.max(1) })
    }

    /// Steps since agents were last due to be counted, after `steps` steps of the run; 0: a count is due before the next step.
    pub(crate) fn since(&self, steps: u64) -> u32 {
        (steps % u64::from(self.every)) as u32
    }

    /// Multiply the cost of each cell by 1 + c ρ; the result is at most 255. c is `cost`, and ρ the number of agents per open area, 1/u²,
    /// in the square of cells that reaches `radius`, rounded to whole cells, to each side. Because ρ is taken over that square, a lone
    /// agent on small cells does not make its own cell dear; because walls do not count as area, they do not thin a crowd.
    pub(super) fn raise(&self, walls: &Walls, counts: &[u32], costs: &mut [u8]) {
        let (columns, rows) = (walls.columns as usize, walls.rows as usize);
        let reach = (self.radius / walls.cell).round().min(1e4) as usize;
        let open: Vec<u32> = walls.solid.iter().map(|solid| u32::from(!solid)).collect();
        let [agents, open] = [counts, &open].map(|of| sums(of, columns));
        let area = f64::from(walls.cell) * f64::from(walls.cell);
        for (cell, cost) in costs.iter_mut().enumerate().filter(|(_, cost)| **cost > 0) {
            let [column, row] = [cell % columns, cell / columns];
            let [left, top] = [column, row].map(|at| at.saturating_sub(reach));
            let [right, bottom] = [(column + reach + 1).min(columns), (row + reach + 1).min(rows)];
            let within = |sums: &[u32]| {
                let [a, b, c, d] = [(left, top), (right, top), (left, bottom), (right, bottom)]
                    .map(|(column, row)| sums[row * (columns + 1) + column]);
                f64::from(d.wrapping_sub(b).wrapping_sub(c).wrapping_add(a))
            };
            let density = within(&agents) / (within(&open) * area);
            *cost = (f64::from(*cost) * (1.0 + f64::from(self.cost) * density)).round() as u8;
        }
    }
}

/// Summed-area table, with one more row and column than there are cells: the sum of all values above and to the left of each corner.
fn sums(of: &[u32], columns: usize) -> Vec<u32> {
    let mut sums = vec![0u32; columns + 1];
    for row in of.chunks_exact(columns.max(1)) {
        let (above, mut so_far) = (sums.len() - columns, 0u32);
        sums.push(0);
        for (column, value) in row.iter().enumerate() {
            so_far = so_far.wrapping_add(*value);
            sums.push(sums[above + column].wrapping_add(so_far));
        }
    }
    sums
}

/// Half cells per unit of length, as both backends count.
pub(crate) fn half_cells_per_unit(walls: &Walls) -> f32 {
    2.0 / walls.cell
}

/// The number of these places over each cell of a map.
pub(crate) fn counts<'a>(walls: &Walls, places: impl Iterator<Item = &'a [f32; 3]>) -> Vec<u32> {
    let mut counts = vec![0; walls.solid.len()];
    let half_cells_per_unit = half_cells_per_unit(walls);
    for [x, y, _] in places {
        let [column, row] = [(*x, walls.columns), (-y, walls.rows)].map(|(at, n)| along(at, n, half_cells_per_unit));
        if let Some(cell) = walls.index(column, row) {
            counts[cell] += 1;
        }
    }
    counts
}

fn along(at: f32, count: u32, half_cells_per_unit: f32) -> i32 {
    let exponent = at.to_bits() >> 23 & 255;
    let place = if !(60..=190).contains(&exponent) { 0.0 } else { at };
    let half_cells = (place * half_cells_per_unit).floor().clamp(-1e6, 1e6) as i32;
    if exponent > 190 { -1 } else { (half_cells + count as i32) >> 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Costs follow from all pairs of cells, whatever the reach; and one agent more changes some.
    #[test]
    fn costs_are_those_of_all_cells_around() {
        let (columns, rows, cell) = (7u32, 5u32, 0.5f32);
        let solid: Vec<bool> = (0..35).map(|cell| cell % 4 == 1).collect();
        let walls = Walls { columns, rows, cell, solid, costs: Vec::new() };
        let counts: Vec<u32> = (0..35).map(|cell| cell * cell % 3).collect();
        let ground: Vec<u8> = walls.solid.iter().map(|solid| if *solid { 0 } else { 20 }).collect();
        for (radius, reach) in [(0.0, 0), (0.4, 1), (1.0, 2), (1e6, 100)] {
            let raised = |counts: &[u32]| {
                let mut costs = ground.clone();
                Crowding { cost: 0.25, radius, every: 1 }.raise(&walls, counts, &mut costs);
                costs
            };
            let expected = |at: usize| {
                let near = |a: usize, b: usize| a.abs_diff(b) <= reach;
                let around = (0..35).filter(|other| near(other % 7, at % 7) && near(other / 7, at / 7));
                let (agents, open) = around.fold((0, 0), |(agents, open), other| {
                    (agents + counts[other], open + u32::from(!walls.solid[other]))
                });
                let density = f64::from(agents) / (f64::from(open) * 0.25);
                (f64::from(ground[at]) * (1.0 + 0.25 * density)).round() as u8
            };
            let found = raised(&counts);
            let all = (0..35).filter(|at| !walls.solid[*at]);
            assert!(all.clone().all(|at| found[at] == expected(at)), "{radius}: {found:?}");
            assert!((0..35).filter(|at| walls.solid[*at]).all(|at| found[at] == 0));
            assert_eq!(raised(&[0; 35]), ground);
            assert_eq!(raised(&[1_000_000; 35]).into_iter().max(), Some(255));
            let mut more = counts.clone();
            more[16] += 9;
            assert_ne!(raised(&more), found);
        }
    }
}
