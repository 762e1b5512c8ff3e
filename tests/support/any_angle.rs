//! Shortest ways of any angles around the walls of a map, in f64: from corner to corner of walls that see each other.

use glam::DVec2;
use std::collections::BinaryHeap;
use steerling::scene::Walls;

/// Is the straight line between two places free of the insides of walls? A line along the side of a wall is, one between two walls is not,
/// nor one through the point where two walls meet by their corners.
fn sees(walls: &Walls, from: DVec2, to: DVec2) -> bool {
    let solid = |x: f64, y: f64| walls.is_solid(x as i32, y as i32) || x < 0.0 || y < 0.0;
    let (from, to) = if from.x <= to.x { (from, to) } else { (to, from) };
    let way = to - from;
    // Along a line of the grid: both sides must not be solid.
    for (fixed, way, start, swap) in [(from.x, way.x, from.y.min(to.y), false), (from.y, way.y, from.x, true)] {
        if way == 0.0 {
            let end = if swap { to.x } else { from.y.max(to.y) };
            let beside = |side: f64, along: f64| if swap { solid(along, side) } else { solid(side, along) };
            let sides = if fixed.fract() == 0.0 { [fixed - 1.0, fixed] } else { [fixed.floor(); 2] };
            return (start.floor() as i32..end.ceil() as i32)
                .all(|along| !(beside(sides[0], f64::from(along)) && beside(sides[1], f64::from(along))));
        }
    }
    let slope = way.y / way.x;
    let pinched = |column: i32| {
        let x = f64::from(column);
        let y = from.y + slope * (x - from.x);
        let (sides, row) = (if slope > 0.0 { [0.0, 1.0] } else { [1.0, 0.0] }, y.round());
        (y - row).abs() < 1e-9 && solid(x - 1.0, row - sides[0]) && solid(x, row - sides[1])
    };
    if (from.x.floor() as i32 + 1..to.x.ceil() as i32).any(pinched) {
        return false;
    }
    (from.x.floor() as i32..to.x.ceil() as i32).all(|column| {
        let ends =
            [f64::from(column).max(from.x), f64::from(column + 1).min(to.x)].map(|x| from.y + slope * (x - from.x));
        let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let rows = (low + 1e-9).floor() as i32..(high - 1e-9).ceil() as i32;
        rows.into_iter().all(|row| !solid(f64::from(column), f64::from(row)))
    })
}

/// The length of the shortest way of any angles, in cells: from corner to corner of walls. None is longer than `most`.
pub fn exact(walls: &Walls, corners: &[DVec2], from: DVec2, to: DVec2, most: f64) -> f64 {
    let near = |p: &&DVec2| p.distance(from) + p.distance(to) <= most;
    let mut places: Vec<DVec2> = corners.iter().filter(near).copied().collect();
    places.extend([from, to]);
    let last = places.len() - 1;
    let mut best = vec![f64::INFINITY; places.len()];
    best[last - 1] = 0.0;
    let key = |length: f64| std::cmp::Reverse((length * 1e9) as u64);
    let mut next = BinaryHeap::from([(key(0.0), last - 1)]);
    let mut done = vec![false; places.len()];
    while let Some((_, here)) = next.pop() {
        if std::mem::replace(&mut done[here], true) {
            continue;
        }
        if here == last {
            return best[last];
        }
        for there in 0..places.len() {
            let length = best[here] + places[here].distance(places[there]);
            if length < best[there]
                && length + places[there].distance(to) <= most
                && sees(walls, places[here], places[there])
            {
                best[there] = length;
                next.push((key(length + places[there].distance(to)), there));
            }
        }
    }
    f64::INFINITY
}

/// Where a shortest way may turn: corners of single walls, in cells from the upper left. Nobody turns where two walls meet by their corners,
/// because nobody comes through there.
pub fn corners(walls: &Walls) -> Vec<DVec2> {
    let mut found = Vec::new();
    for y in 1..walls.rows as i32 {
        for x in 1..walls.columns as i32 {
            let around = [(x - 1, y - 1), (x, y - 1), (x - 1, y), (x, y)].map(|(x, y)| walls.is_solid(x, y));
            let solid = around.iter().filter(|solid| **solid).count();
            if solid == 1 {
                found.push(DVec2::new(f64::from(x), f64::from(y)));
            }
        }
    }
    found
}
