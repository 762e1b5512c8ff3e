//! Plans that are drawn by hashes: the same ones on every machine.

use super::Plan;
use crate::scene::field::hash;

/// Every cell of odd column and row is an open room. The wall between two adjacent rooms is broken if they are not connected yet
/// (Kruskal's spanning tree, in an order of hashes), and otherwise with a chance of 1 in 16.
pub fn maze(columns: u32, rows: u32, seed: u32) -> Plan {
    let mut plan = Plan { columns, rows, light: vec![0; columns as usize * rows as usize] };
    let (across, down) = ((columns - 1) / 2, (rows - 1) / 2);
    // Each wall as the room to its left or above it, and whether the next room is to the right (or below).
    let right = (0..down).flat_map(|y| (1..across).map(move |x| (x - 1, y, true)));
    let below = (1..down).flat_map(|y| (0..across).map(move |x| (x, y - 1, false)));
    let drawn = |(x, y, right): (u32, u32, bool)| (hash(seed, [x.into(), y.into(), right.into(), 0]), x, y, right);
    let mut doors: Vec<_> = right.chain(below).map(drawn).collect();
    doors.sort_unstable();
    let mut joined: Vec<u32> = (0..across * down).collect();
    for (chance, x, y, right) in doors {
        let (here, there) = (y * across + x, if right { y * across + x + 1 } else { (y + 1) * across + x });
        let (here, there) = (first_of(&mut joined, here), first_of(&mut joined, there));
        joined[there as usize] = here;
        if here != there || chance % 16 == 0 {
            plan.open((2 * x + 1)..(2 * x + 2 + u32::from(right)), (2 * y + 1)..(2 * y + 2 + u32::from(!right)));
        }
    }
    (0..down).for_each(|y| (0..across).for_each(|x| plan.open(2 * x + 1..2 * x + 2, 2 * y + 1..2 * y + 2)));
    plan
}

/// The room that represents all rooms joined with this one (union-find with path halving).
fn first_of(joined: &mut [u32], mut room: u32) -> u32 {
    while joined[room as usize] != room {
        joined[room as usize] = joined[joined[room as usize] as usize];
        room = joined[room as usize];
    }
    room
}

/// Light ground, and no wall.
pub fn open(columns: u32, rows: u32) -> Plan {
    Plan { columns, rows, light: vec![u8::MAX; columns as usize * rows as usize] }
}

/// Land is cut by streets, each part by narrower ones, until it is as small as a block. One block of eight is an open square.
pub fn city(columns: u32, rows: u32, seed: u32) -> Plan {
    let mut plan = open(columns, rows);
    let unit = columns.max(rows).div_ceil(128).max(1);
    let mut land =
        vec![([unit.min(columns), unit.min(rows)], [columns - unit.min(columns), rows - unit.min(rows)], 3 * unit)];
    while let Some((from, to, street)) = land.pop() {
        let size = [0, 1].map(|axis: usize| to[axis].saturating_sub(from[axis]));
        let axis = usize::from(size[1] > size[0]);
        let chance = |what: i64| hash(seed, [from[0].into(), from[1].into(), to[0].into(), to[1] as i64 * 4 + what]);
        if size[axis] > 14 * unit {
            // Between three and five eighths of the way.
            let cut = from[axis] + size[axis] * 3 / 8 + chance(0) % (size[axis] / 4) - street / 2;
            let (mut end, mut begin) = (to, from);
            (end[axis], begin[axis]) = (cut, cut + street);
            let narrower = if chance(1) % 2 == 0 { street.saturating_sub(unit).max(unit) } else { street };
            land.extend([(from, end, narrower), (begin, to, narrower)]);
        } else if from[0] < to[0] && chance(2) % 8 != 0 {
            plan.fill(from[0]..to[0], from[1]..to[1], 0);
        }
    }
    plan
}

/// A hall with rows of seats, and a door of `door` cells in the middle of each wall. Its measures are those of a plan 27 m high.
pub fn hall(columns: u32, rows: u32, door: u32) -> Plan {
    let mut plan = open(columns, rows);
    let meters = |tenths: u32| tenths * rows / 270;
    let (wall, left, top) = (meters(4).max(1), meters(40), meters(30));
    let (right, bottom) = (columns.saturating_sub(left), rows.saturating_sub(top));
    plan.fill(left..right, top..bottom, 0);
    plan.fill(left + wall..right.saturating_sub(wall), top + wall..bottom.saturating_sub(wall), u8::MAX);
    let (x, y) = (columns / 2, rows / 2);
    for row in (top + meters(30)..bottom.saturating_sub(meters(28))).step_by(meters(16).max(2) as usize) {
        plan.fill(left + meters(30)..x.saturating_sub(meters(12)), row..row + wall, 0);
        plan.fill(x + meters(12)..right.saturating_sub(meters(30)), row..row + wall, 0);
    }
    let middle = |at: u32| at.saturating_sub(door / 2)..at + door.div_ceil(2);
    [left, right.saturating_sub(wall)].into_iter().for_each(|x| plan.fill(x..x + wall, middle(y), u8::MAX));
    [top, bottom.saturating_sub(wall)].into_iter().for_each(|y| plan.fill(middle(x), y..y + wall, u8::MAX));
    plan
}

/// Rows of seats around an oval pitch, a walk behind them and a wall around all, with a gate of `gate` cells at the end of each of sixteen
/// aisles. An oval has the same distance everywhere from a line of 40 m. Its measures are those of a plan 54 m high.
pub fn stadium(columns: u32, rows: u32, gate: u32) -> Plan {
    let mut plan = open(columns, rows);
    let cell = 54.0 / f64::from(rows);
    // A cell and a half is enough for a wall without gaps.
    let wall = f64::max(0.4, 1.5 * cell);
    let meters = |at: u32, count: u32| (f64::from(at) + 0.5 - 0.5 * f64::from(count)).abs() * cell;
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let (x, y) = (meters(column, columns), meters(row, rows));
        let beyond = x - 20.0;
        let off = (beyond.max(0.0) * beyond.max(0.0) + y * y).sqrt();
        // Distance from the middle of the nearest aisle. There is one every 10 m along the sides, every 45 degrees around the ends.
        let aisle = if beyond > 0.0 {
            beyond.min(y).min((beyond - y).abs() * std::f64::consts::FRAC_1_SQRT_2)
        } else {
            x.min((x - 10.0).abs()).min(-beyond)
        };
        let within = |from: f64| off >= from && off < from + wall;
        let seats = (0..4).any(|seats| within(11.0 + 2.0 * f64::from(seats))) && aisle >= 0.8;
        if within(9.0) || seats || within(22.0) && aisle >= 0.5 * f64::from(gate) * cell {
            plan.fill(column..column + 1, row..row + 1, 0);
        }
    }
    plan
}

impl Plan {
    fn open(&mut self, columns: std::ops::Range<u32>, rows: std::ops::Range<u32>) {
        self.fill(columns, rows, u8::MAX);
    }

    /// Set the lightness of the cells in these ranges; parts outside of the plan are ignored.
    pub(super) fn fill(&mut self, columns: std::ops::Range<u32>, rows: std::ops::Range<u32>, light: u8) {
        let last = columns.end.min(self.columns);
        for row in rows.start..rows.end.min(self.rows) {
            let start = row * self.columns;
            self.light[(start + columns.start.min(last)) as usize..(start + last) as usize].fill(light);
        }
    }
}
