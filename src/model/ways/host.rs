//! Twin of `shaders/map/ways.wgsl`: the length of the way from every cell of a map to a goal. The reference uses it, and so does a software
//! device, where the tiled front of the shader would take longer.
//!
//! Each cell's value comes from the same operations as in the shader. Only the order of cells differs, nearest first: the result does not
//! depend on it.

use super::{CELL, LIGHT, MOST_MOVES, Measure, NO_WAY, Ways};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Computed ways, and how often a cell was looked at for them.
#[derive(Debug)]
pub(super) struct Computed {
    words: Vec<u32>,
    visits: usize,
}

impl Ways {
    /// The words of all goals and cells, computed once: see [`Ways::words`]. If these ways follow others ([`Ways::update_from`]), only the words
    /// that the difference reaches are computed.
    pub fn computed(&self) -> &[u32] {
        &self.compute().words
    }

    /// How often a cell was looked at to compute these ways: a measure of the work. Computes them if they are not computed yet.
    pub fn visits(&self) -> usize {
        self.compute().visits
    }

    fn compute(&self) -> &Computed {
        self.computed.get(|before| {
            let per_goal = 2 * self.cells() as usize;
            let mut words = match before {
                Some(before) => before.computed().to_vec(),
                None => vec![0; per_goal * self.goals.len()],
            };
            let of_goals = words.par_chunks_mut(per_goal.max(1)).zip(&self.goals);
            let find = |(words, cells): (&mut [u32], &Vec<u32>)| match before {
                Some(before) => Front::resumed(self, words).renew(before.costs(), words),
                None => Front::from(self, cells).find(words),
            };
            let visits = of_goals.map(find).sum();
            Computed { words, visits }
        })
    }
}

/// Is the first of two ways by [`Measure::Grid`] the shorter one? The upper half of a word counts straight moves, the lower one diagonal
/// moves.
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

/// A front that spreads from a goal. `way` is the length of the way from each cell, as far as it is known.
struct Front<'a> {
    measure: Measure,
    costs: &'a [u8],
    columns: i32,
    rows: i32,
    way: Vec<u32>,
    /// Cells whose way became shorter, with the rank of that way; the nearest comes first.
    next: BinaryHeap<Reverse<(u64, u32)>>,
    visits: usize,
}

const STRAIGHT: [[i32; 2]; 4] = [[-1, 0], [1, 0], [0, -1], [0, 1]];
const AROUND: [[i32; 2]; 8] = [[-1, 0], [1, 0], [0, -1], [0, 1], [-1, -1], [1, -1], [-1, 1], [1, 1]];

impl Front<'_> {
    fn at(ways: &Ways, way: Vec<u32>) -> Front<'_> {
        let (columns, rows) = (ways.walls.columns as i32, ways.walls.rows as i32);
        let (measure, costs) = (ways.measure, ways.costs());
        Front { measure, costs, columns, rows, way, next: BinaryHeap::new(), visits: 0 }
    }

    /// A front that begins at the cells of the goal.
    fn from<'a>(ways: &'a Ways, goal: &[u32]) -> Front<'a> {
        let mut front = Front::at(ways, vec![NO_WAY; ways.cells() as usize]);
        goal.iter().for_each(|cell| front.reach(*cell as usize, 0));
        front
    }

    /// A front that begins with the ways in these words of the same goal.
    fn resumed<'a>(ways: &'a Ways, words: &[u32]) -> Front<'a> {
        Front::at(ways, words.iter().skip(1).step_by(2).copied().collect())
    }

    fn reach(&mut self, cell: usize, way: u32) {
        self.way[cell] = way;
        self.next.push(Reverse((self.rank(way), cell as u32)));
    }

    /// The order in which cells are taken from `next`. A diagonal move counts 1.41421 straight ones, which is exact enough for an order.
    fn rank(&self, word: u32) -> u64 {
        match self.measure {
            Measure::Time => u64::from(word),
            Measure::Grid => u64::from(word >> 16) * 100_000 + u64::from(word & 0xffff) * 141_421,
        }
    }

    fn is_less(&self, first: u32, second: u32) -> bool {
        match self.measure {
            Measure::Time => first < second,
            Measure::Grid => is_shorter(first, second),
        }
    }

    fn place(&self, cell: usize) -> [i32; 2] {
        [cell as i32 % self.columns, cell as i32 / self.columns]
    }

    fn index(&self, [x, y]: [i32; 2]) -> Option<usize> {
        let inside = (0..self.columns).contains(&x) && (0..self.rows).contains(&y);
        inside.then(|| y as usize * self.columns as usize + x as usize)
    }

    /// The cells whose ways depend on the way of this one, and the step to each.
    fn neighbors(&self, cell: usize) -> impl Iterator<Item = (usize, [i32; 2])> + use<> {
        let each: &'static [_] = if self.measure == Measure::Time { &STRAIGHT } else { &AROUND };
        let ([x, y], [columns, rows]) = (self.place(cell), [self.columns, self.rows]);
        let inside = move |[dx, dy]: &[i32; 2]| (0..columns).contains(&(x + dx)) && (0..rows).contains(&(y + dy));
        let there = move |[dx, dy]: [i32; 2]| ((y + dy) as usize * columns as usize + (x + dx) as usize, [dx, dy]);
        each.iter().copied().filter(inside).map(there)
    }

    /// The way of a cell as it follows from those ways of its neighbors that are less than `below`; by grid, from the neighbor at `[dx,
    /// dy]` alone.
    fn follows(&mut self, cell: usize, [dx, dy]: [i32; 2], below: u32) -> u32 {
        self.visits += 1;
        let [x, y] = self.place(cell);
        let known = |place: [i32; 2]| self.index(place).map_or(NO_WAY, |index| self.way[index]);
        let way = |place: [i32; 2]| Some(known(place)).filter(|way| self.is_less(*way, below)).unwrap_or(NO_WAY);
        match self.measure {
            Measure::Time => {
                let along_x = way([x - 1, y]).min(way([x + 1, y]));
                let along_y = way([x, y - 1]).min(way([x, y + 1]));
                upwind(along_x, along_y, self.costs[cell])
            }
            Measure::Grid => {
                let is_wall = |place: [i32; 2]| self.index(place).is_none_or(|index| self.costs[index] == 0);
                let diagonal = dx * dy != 0;
                let cut = diagonal && (is_wall([x + dx, y]) || is_wall([x, y + dy]));
                if cut { NO_WAY } else { moved_on(way([x + dx, y + dy]), diagonal) }
            }
        }
    }

    /// The least way of a cell that follows from its neighbors, and, by grid, the offset of the neighbor that it follows from.
    fn least(&mut self, cell: usize, below: u32) -> (u32, [i32; 2]) {
        let each = if self.measure == Measure::Time { 1 } else { AROUND.len() };
        AROUND.iter().take(each).fold((NO_WAY, [0; 2]), |least, side| {
            let way = self.follows(cell, *side, below);
            if self.is_less(way, least.0) { (way, *side) } else { least }
        })
    }

    /// Spread until no way becomes less.
    fn spread(&mut self) {
        while let Some(Reverse((reached, cell))) = self.next.pop() {
            let cell = cell as usize;
            // An outdated entry: the cell's way became shorter after it was pushed.
            if self.rank(self.way[cell]) != reached {
                continue;
            }
            let costs = self.costs;
            for (there, [dx, dy]) in self.neighbors(cell).filter(|(there, _)| costs[*there] > 0) {
                let way = self.follows(there, [-dx, -dy], NO_WAY);
                if self.is_less(way, self.way[there]) {
                    self.reach(there, way);
                }
            }
        }
    }

    /// Compute all words of the goal. Returns how often a cell was looked at.
    fn find(mut self, words: &mut [u32]) -> usize {
        self.spread();
        words.chunks_exact_mut(2).enumerate().for_each(|(cell, led)| led.copy_from_slice(&self.lead(cell)));
        self.visits
    }

    /// Update the words after a change of costs. `before` has the costs from which `words` were computed.
    ///
    /// A front finds the right ways from any start that is nowhere below them: it only lowers ways, never below the right ones, and ends
    /// when none can be lowered. Where ground became cheaper, the old ways are such a start. Where it became dearer, they are one after
    /// each cell has dropped a way that no longer follows from smaller ways around it that were not dropped themselves. Only smaller ones
    /// count: by the rounding of times, two equal ways may each follow from the other, and from nothing else.
    fn renew(mut self, before: &[u8], words: &mut [u32]) -> usize {
        let changed: Vec<usize> = (0..before.len()).filter(|cell| before[*cell] != self.costs[*cell]).collect();
        let mut lost = Vec::new();
        let costs = self.costs;
        let dearer = |cell: &usize| before[*cell] > 0 && (costs[*cell] == 0 || costs[*cell] > before[*cell]);
        for cell in changed.iter().copied().filter(dearer).filter(|cell| self.way[*cell] != 0).collect::<Vec<_>>() {
            self.way[cell] = NO_WAY;
            lost.push((cell, 0));
        }
        let mut known = 0;
        while let Some((cell, was)) = lost.get(known).copied() {
            known += 1;
            for (there, _) in self.neighbors(cell) {
                let own = self.way[there];
                if own != NO_WAY && own != 0 && !self.is_less(own, was) {
                    let (way, _) = self.least(there, own);
                    if self.is_less(own, way) {
                        self.way[there] = NO_WAY;
                        lost.push((there, own));
                    }
                }
            }
        }
        // A removed wall also opens diagonal moves between the cells around it.
        let around = changed.iter().flat_map(|cell| self.neighbors(*cell)).map(|(there, _)| there);
        let begin: Vec<usize> =
            lost.iter().map(|(cell, _)| *cell).chain(changed.iter().copied()).chain(around).collect();
        for cell in begin.into_iter().filter(|cell| costs[*cell] > 0) {
            let (way, _) = self.least(cell, NO_WAY);
            if self.is_less(way, self.way[cell]) {
                self.reach(cell, way);
            }
        }
        self.spread();
        let differs: Vec<usize> = (0..self.way.len()).filter(|cell| self.way[*cell] != words[2 * cell + 1]).collect();
        for cell in differs.into_iter().chain(changed) {
            let [x, y] = self.place(cell);
            let around =
                AROUND.iter().filter_map(|[dx, dy]| self.index([x + dx, y + dy])).chain([cell]).collect::<Vec<_>>();
            around.into_iter().for_each(|cell| words[2 * cell..2 * cell + 2].copy_from_slice(&self.lead(cell)));
        }
        self.visits
    }

    /// The two words of a cell: the direction in which the way becomes less, and the way ([`Ways::words`]).
    fn lead(&mut self, cell: usize) -> [u32; 2] {
        let (own, [x, y]) = (self.way[cell], self.place(cell));
        let direction = |x: i32, y: i32| x as u32 & 0xffff | (y as u32) << 16;
        if own == NO_WAY || own == 0 {
            return [0, own];
        }
        if self.measure == Measure::Grid {
            let (_, [dx, dy]) = self.least(cell, NO_WAY);
            return [direction(32767 * dx, -32767 * dy), own];
        }
        let beside = |place: [i32; 2]| self.index(place).map_or(NO_WAY, |index| self.way[index]);
        let x_falls = falls(own, beside([x - 1, y]), beside([x + 1, y]));
        let y_falls = falls(own, beside([x, y + 1]), beside([x, y - 1]));
        let longer = x_falls.abs().max(y_falls.abs()).max(1);
        [direction(x_falls * 32767 / longer, y_falls * 32767 / longer), own]
    }
}

fn falls(own: u32, first: u32, second: u32) -> i32 {
    let least = first.min(second);
    match () {
        () if least >= own => 0,
        () if second < first => (own - least) as i32,
        () => -((own - least) as i32),
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawn::{STROKES, across_a_street, stroke};
    use super::*;
    use std::sync::Arc;

    /// The number of maps whose updated ways differ from a computation from nothing. With `forgets`, the update misses one cell of the
    /// stroke.
    fn wrong(forgets: bool) -> usize {
        let is_wrong = |number: &u32| {
            let [before, after] = stroke(*number);
            let (mut words, mut costs) = (before.computed().to_vec(), before.costs().to_vec());
            if forgets && let Some(cell) = (0..costs.len()).find(|cell| costs[*cell] != after.costs()[*cell]) {
                costs[cell] = after.costs()[cell];
            }
            for of_goal in words.chunks_exact_mut(2 * after.cells() as usize) {
                Front::resumed(&after, of_goal).renew(&costs, of_goal);
            }
            words != after.computed()
        };
        (0..STROKES).filter(is_wrong).count()
    }

    #[test]
    fn ways_after_a_stroke_are_those_of_a_computation_from_nothing() {
        assert_eq!((wrong(false), wrong(true) > 3), (0, true), "{}", wrong(true));
        let differs = |number: &u32| {
            let [before, after] = stroke(*number);
            before.computed() != after.computed()
        };
        assert!((0..STROKES).filter(differs).count() > 25);
    }

    #[test]
    fn a_stroke_is_computed_where_it_is() {
        let [before, after] = across_a_street(512).map(Arc::new);
        let from_nothing = before.visits();
        let words = Ways::new(Arc::clone(&after.walls), after.measure, after.goals.clone());
        after.update_from(&before);
        assert!(after.computed() == words.computed());
        eprintln!("{} visits, {} of another computation from nothing", after.visits(), words.visits());
        assert!(after.visits() < after.cells() as usize / 4 && after.visits() * 20 < from_nothing);
        // Without earlier ways to follow, everything is computed.
        assert!(words.visits() > after.cells() as usize);
    }
}
