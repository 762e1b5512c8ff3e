//! Where many obstacles lie: at random places where none touches another.

use super::field::hash;
use super::{Boundary, Obstacle, ObstacleShape, Scenery, SeenFrom, World};
use glam::{DVec3, Vec3};
use std::collections::HashMap;

/// Random places that are tried for each obstacle of a row with several.
const TRIES: u32 = 200;

/// The obstacles of a scene, with rows of several expanded.
pub(super) struct Scattered {
    pub obstacles: Vec<Obstacle>,
    /// The first row whose obstacles do not all find a place, and how many of them do.
    pub first_unplaced: Option<(usize, u32)>,
}

impl Scenery {
    /// Every obstacle at its place, in the order of the scene. A row with a count above 1 gives that many.
    pub fn placed(&self, world: &World) -> Vec<Obstacle> {
        scattered(self, world).obstacles
    }
}

/// Every obstacle at its place, in order.
pub(super) fn scattered(scenery: &Scenery, world: &World) -> Scattered {
    let mut obstacles: Vec<Obstacle> = Vec::new();
    let mut first_unplaced = None;
    for (index, row) in scenery.obstacles.iter().enumerate() {
        if row.count == 1 {
            obstacles.push(*row);
            continue;
        }
        // An obstacle on another trajectory comes and goes, so the obstacles of this row cannot keep clear of it.
        let single = scenery.obstacles[index + 1..].iter().filter(|later| later.count == 1);
        let others = obstacles.iter().chain(single).filter(|other| other.trajectory == row.trajectory);
        let mut taken = Taken::new(world, others.copied(), bound(row) * f64::from(1.0 + row.size_spread));
        for k in 0..row.count {
            let draw = |attempt: u32, what: i64| {
                f64::from(hash(row.seed, [i64::from(k), i64::from(attempt), what, 0x0b57]) >> 8) / f64::from(1 << 24)
            };
            let factor = 1.0 + row.size_spread * (2.0 * draw(0, 3) - 1.0) as f32;
            let one = Obstacle { shape: scaled(row.shape, factor), count: 1, ..*row };
            let free = (0..TRIES).find_map(|attempt| {
                let center = place(row, world, bound(&one), [0, 1, 2].map(|axis| draw(attempt, axis)));
                let one = Obstacle { center, ..one };
                taken.is_free(&one).then_some(one)
            });
            let Some(one) = free else {
                first_unplaced = first_unplaced.or(Some((index, k)));
                break;
            };
            taken.add(&one);
            obstacles.push(one);
        }
    }
    Scattered { obstacles, first_unplaced }
}

fn scaled(shape: ObstacleShape, factor: f32) -> ObstacleShape {
    match shape {
        ObstacleShape::Sphere { radius } => ObstacleShape::Sphere { radius: radius * factor },
        ObstacleShape::Box { size } => ObstacleShape::Box { size: size * factor },
        ObstacleShape::Capsule { length, radius } => {
            ObstacleShape::Capsule { length: length * factor, radius: radius * factor }
        }
        ObstacleShape::Plane { .. } => shape,
    }
}

/// Radius of a ball around an obstacle, u; 0 for a plane and for an obstacle that is free inside, of which others need not keep clear.
fn bound(obstacle: &Obstacle) -> f64 {
    match obstacle.shape {
        _ if obstacle.seen_from == SeenFrom::Inside => 0.0,
        ObstacleShape::Sphere { radius } => f64::from(radius),
        ObstacleShape::Box { size } => 0.5 * size.as_dvec3().length(),
        ObstacleShape::Capsule { length, radius } => 0.5 * f64::from(length) + f64::from(radius),
        ObstacleShape::Plane { .. } => 0.0,
    }
}

/// The center at these shares (0 to 1) of the region along each axis. If the region is the whole world, and an axis does not wrap,
/// the whole body lies inside.
fn place(row: &Obstacle, world: &World, bound: f64, shares: [f64; 3]) -> Vec3 {
    let mut center = row.center.as_dvec3();
    for axis in 0..world.axes() {
        let own = f64::from(row.extent[axis]);
        let (size, ends) = (f64::from(world.size[axis]), world.boundary[axis] != Boundary::Wrap);
        let extent = match own {
            0.0 if ends => (size - 2.0 * bound).max(0.0),
            0.0 => size,
            _ => own,
        };
        center[axis] += extent * (shares[axis] - 0.5);
    }
    center.as_vec3()
}

/// The balls around placed obstacles, in a hash grid. A cell is at least two radii of the largest ball (`widest`) wide, so balls
/// that touch lie in adjacent cells.
struct Taken {
    size: DVec3,
    wraps: [bool; 3],
    axes: usize,
    widest: f64,
    cells: HashMap<[i64; 3], Vec<(DVec3, f64)>>,
    /// Balls larger than `widest`, which are tested against all.
    large: Vec<(DVec3, f64)>,
}

impl Taken {
    fn new(world: &World, others: impl Iterator<Item = Obstacle>, widest: f64) -> Taken {
        let wraps = world.wraps();
        let (size, axes) = (world.size.as_dvec3(), world.axes());
        let mut taken = Taken { size, wraps, axes, widest, cells: HashMap::new(), large: Vec::new() };
        others.filter(|other| bound(other) > 0.0).for_each(|other| taken.add(&other));
        taken
    }

    /// Cells along a wrapped axis; each is at least `2 * widest` wide.
    fn around(&self, axis: usize) -> f64 {
        (self.size[axis] / (2.0 * self.widest)).floor().max(1.0)
    }

    fn cell(&self, center: DVec3) -> [i64; 3] {
        // Where `widest` is 0, as for obstacles that are seen from inside, the quotient is not finite, so it is clamped.
        let whole = |cell: f64| cell.floor().clamp(-1e15, 1e15) as i64;
        [0, 1, 2].map(|axis| match self.wraps[axis] {
            _ if axis >= self.axes => 0,
            true => whole(center[axis] / self.size[axis] * self.around(axis)),
            false => whole(center[axis] / (2.0 * self.widest)),
        })
    }

    fn key(&self, mut cell: [i64; 3]) -> [i64; 3] {
        for axis in (0..self.axes).filter(|axis| self.wraps[*axis]) {
            cell[axis] = cell[axis].rem_euclid(self.around(axis) as i64);
        }
        cell
    }

    fn add(&mut self, obstacle: &Obstacle) {
        let (center, bound) = (obstacle.center.as_dvec3(), bound(obstacle));
        if bound > self.widest {
            self.large.push((center, bound));
        } else {
            let key = self.key(self.cell(center));
            self.cells.entry(key).or_default().push((center, bound));
        }
    }

    fn is_free(&self, obstacle: &Obstacle) -> bool {
        let (center, own) = (obstacle.center.as_dvec3(), bound(obstacle));
        let touches = |(other, bound): &(DVec3, f64)| {
            let mut away = center - *other;
            for axis in (0..self.axes).filter(|axis| self.wraps[*axis]) {
                away[axis] -= self.size[axis] * (away[axis] / self.size[axis]).round();
            }
            away.length() <= own + bound
        };
        let [x, y, z] = self.cell(center);
        let steps = |axis: usize| if axis < self.axes { -1..=1 } else { 0..=0 };
        let mut near = steps(2)
            .flat_map(|c| steps(1).flat_map(move |b| steps(0).map(move |a| [x + a, y + b, z + c])))
            .filter_map(|cell| self.cells.get(&self.key(cell)));
        !self.large.iter().any(touches) && !near.any(|others| others.iter().any(touches))
    }
}
