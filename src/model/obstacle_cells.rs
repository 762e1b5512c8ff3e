//! Cells for scenes with many obstacles: each cell lists the obstacles that an agent there has to test. Twin of the layout in
//! `shaders/common/obstacle_cells.wgsl`; the reference tests all obstacles, so `verify` finds a list that misses one.

use super::Species;
use super::cell_lists::{halves, two_per_texel};
use super::scenery::{FAR_AWAY, NO_TRAJECTORY, Obstacle, ObstacleGroup, SHAPE_SPHERE, Scenery};
use crate::scene::Scene;
use bytemuck::Zeroable;
use glam::{DVec3, Vec3};

/// The most obstacles that the scenery block holds. More than that lie in a texture, with lists of cells.
pub const MAX_FEW: usize = 64;
/// The most cells through which an agent looks along its course; a longer course is compared with all obstacles.
const MOST_LOOKED_IN: f64 = 160.0;
/// Most cells of a group along one axis.
const MOST_ALONG: u32 = 1024;
/// The most cells of a group's grid, and the most list entries, for each of its obstacles: the grid is coarser where there would be more.
const MOST_CELLS: u64 = 16;
const MOST_LISTED: usize = 64;
/// Rounding is less than this share of a cell, as far from the origin as `MOST_CELLS_AWAY` in the shader allows.
const ROUNDING: f64 = 0.05;

/// The texels of these obstacles: their rows, then for each group its cells and its lists. The groups are written into `block`. With
/// `nearest`, the lists also have the obstacles that may be nearest to a place.
pub(super) fn lay_out(
    scene: &Scene,
    obstacles: &[Obstacle],
    species: &[Species],
    nearest: bool,
    block: &mut Scenery,
) -> Vec<[u32; 4]> {
    let mut texels: Vec<[u32; 4]> = bytemuck::cast_slice(obstacles).to_vec();
    // A group for the obstacles of each trajectory, by its index, and a last group for obstacles without one.
    let count = scene.scenery.trajectories.len();
    let mut groups = vec![Vec::new(); count + 1];
    let world = Domain::new(scene, &[]);
    let mut everywhere = Vec::new();
    for (index, obstacle) in (0..).zip(obstacles) {
        let turns = obstacle.trajectory != NO_TRAJECTORY && obstacle.turned != 0 && obstacle.shape != SHAPE_SPHERE;
        if turns || world.share(f64::from(obstacle.bound)) > 0.125 {
            everywhere.push(index);
        } else {
            groups[(obstacle.trajectory as usize).min(count)].push(index);
        }
    }
    let mut rows = block.groups.iter_mut();
    let mut add = |group: ObstacleGroup, lists: &[List]| {
        let first_cell = texels.len() as u32;
        let first_entry = first_cell + lists.len().div_ceil(2) as u32;
        let mut entries = 0;
        let mut cell = |list: &List| {
            let (reached, all) = (list.reached.len(), list.reached.len() + list.nearest.len());
            entries += all as u32;
            [entries - all as u32, reached as u32 | (all as u32) << 16]
        };
        texels.extend(two_per_texel(&lists.iter().map(&mut cell).collect::<Vec<_>>()));
        let listed = lists.iter().flat_map(|list| list.reached.iter().chain(&list.nearest));
        texels.extend(listed.map(|index| entry(*index, &obstacles[*index as usize])));
        if let Some(row) = rows.next() {
            *row = ObstacleGroup { first_cell, first_entry, ..group };
            block.group_count += 1;
        }
    };
    let (radius, look) = reach(species);
    for (index, members) in groups.iter().enumerate().filter(|(_, members)| !members.is_empty()) {
        let trajectory = if index < count { index as u32 } else { NO_TRAJECTORY };
        let homes: Vec<_> = members.iter().map(|index| Vec3::from_array(obstacles[*index as usize].home)).collect();
        let domain = Domain::new(scene, &homes);
        let mut fineness = 1.0;
        let (grid, lists) = loop {
            let grid = Grid::new(&domain, members.len(), radius, look, fineness);
            match grid.lists(obstacles, members, nearest) {
                Some(lists) => break (grid, lists),
                None => fineness *= 0.5,
            }
        };
        let float = |vector: DVec3| vector.as_vec3().to_array();
        let (origin, per_unit) = (float(domain.low), float(grid.per_unit()));
        let (room, cells) = (grid.room as f32, grid.cells);
        add(ObstacleGroup { origin, trajectory, per_unit, room, cells, ..ObstacleGroup::zeroed() }, &lists);
    }
    let others = (0..obstacles.len() as u32).filter(|index| everywhere.binary_search(index).is_err()).collect();
    let last = ObstacleGroup { trajectory: NO_TRAJECTORY, room: FAR_AWAY, cells: [1; 3], ..ObstacleGroup::zeroed() };
    let endless = everywhere.len() as u32;
    add(last, &[List { reached: everywhere, nearest: others }]);
    block.endless_count = endless;
    texels
}

/// Lower bits of the last word of an entry, which hold the index of an obstacle: a scene has at most 2^14 obstacles.
const INDEX_BITS: u32 = 14;

/// The entry of an obstacle in a list: its center, and in one word its bounding radius, rounded up, and its index.
fn entry(index: u32, obstacle: &Obstacle) -> [u32; 4] {
    let mask = (1 << INDEX_BITS) - 1;
    let [x, y, z] = obstacle.home.map(f32::to_bits);
    [x, y, z, ((obstacle.bound.to_bits() + mask) & !mask) | index]
}

/// The largest radius of a body, and the farthest that agents look along their courses or lines of sight, u. An agent that looks farther
/// still gets the same answer, but more slowly.
pub(super) fn reach(species: &[Species]) -> (f64, f64) {
    let living = species.iter().filter(|own| own.count > 0);
    let each = living.map(|own| {
        let avoidance = &own.behaviors.obstacle_avoidance;
        let tightest = own.max_speed * own.max_speed * own.mass / own.max_force.max(f32::MIN_POSITIVE);
        let least = avoidance.min_look_ahead.max(avoidance.turning_radii * tightest);
        let ahead = least.max(avoidance.look_ahead_time * own.max_speed);
        let seen = own.queries.iter().map(|query| query.radius_squared.max(0.0).sqrt());
        let sight = if own.line_of_sight != 0 { seen.fold(own.perception_radius, f32::max) } else { 0.0 };
        let look = ahead.max(own.behaviors.whiskers.length).max(sight);
        (f64::from(own.radius + 3.5 * own.radius_spread) * 1.001, f64::from(look))
    });
    each.fold((0.0, 0.0), |(radius, look), (own, far)| (f64::max(radius, own), f64::max(look, far)))
}

/// The region that a grid divides: the world and, along axes that do not wrap, an eighth more at each end, or as far as the centers lie.
struct Domain {
    low: DVec3,
    size: DVec3,
    wraps: [bool; 3],
    axes: usize,
    /// A bound on the rounding of coordinates in this region, u.
    rounding: f64,
}

impl Domain {
    fn new(scene: &Scene, homes: &[Vec3]) -> Domain {
        let axes = scene.world.axes();
        let wraps = scene.world.wraps();
        let world = scene.world.size.as_dvec3();
        let (mut low, mut size) = (DVec3::ZERO, DVec3::ONE);
        for axis in 0..axes {
            let along = || homes.iter().map(|home| f64::from(home[axis]));
            let half = 0.625 * world[axis];
            let ends = [along().fold(-half, f64::min), along().fold(half, f64::max)];
            low[axis] = if wraps[axis] { -0.5 * world[axis] } else { ends[0] };
            size[axis] = if wraps[axis] { world[axis] } else { ends[1] - ends[0] };
        }
        let far = homes.iter().map(|home| home.abs().max_element()).fold(0.0, f32::max);
        let rounding = 2e-6 * (size.max_element() + low.abs().max_element() + f64::from(far));
        Domain { low, size, wraps, axes, rounding }
    }

    /// The share of the region that a box around a body of this radius takes.
    fn share(&self, radius: f64) -> f64 {
        (0..self.axes).map(|axis| (2.0 * radius / self.size[axis]).min(1.0)).product()
    }
}

/// The obstacles that a cell lists, ascending by index.
#[derive(Default)]
struct List {
    /// Obstacles so near to the cell that a body in it may touch them.
    reached: Vec<u32>,
    /// Other obstacles that may be nearest to a place in the cell.
    nearest: Vec<u32>,
}

struct Grid<'a> {
    domain: &'a Domain,
    cells: [u32; 3],
    room: f64,
}

impl Grid<'_> {
    /// A grid for `count` obstacles. A cell is somewhat smaller than the mean distance between obstacles, but not so small that a course
    /// crosses more than [`MOST_LOOKED_IN`] cells. Coarser cells list more obstacles each; of finer ones a course crosses more.
    fn new(domain: &Domain, count: usize, radius: f64, look: f64, fineness: f64) -> Grid<'_> {
        let volume: f64 = (0..domain.axes).map(|axis| domain.size[axis]).product();
        let spacing = (volume / count as f64).powf(1.0 / domain.axes as f64);
        // A course that goes on beyond the world meets nothing more.
        let look = look.min(2.0 * domain.size.length());
        // √6 = √3 √2: a diagonal crosses √3 times as many cells, and rounding to a power of two makes widths up to √2 times smaller.
        let width = (0.6 * spacing).max(6f64.sqrt() * look / MOST_LOOKED_IN) / fineness;
        let along = |axis: usize| (domain.size[axis] / width).log2().round().exp2();
        let mut cells = [0, 1, 2].map(|axis| if axis < domain.axes { along(axis) as u32 } else { 1 });
        cells = cells.map(|cells| cells.clamp(1, MOST_ALONG));
        while cells.iter().map(|cells| u64::from(*cells)).product::<u64>() > MOST_CELLS * count as u64 {
            let most = cells.iter().copied().max().unwrap_or(1);
            cells = cells.map(|cells| if cells == most { cells / 2 } else { cells });
        }
        Grid { domain, cells, room: radius }
    }

    fn per_unit(&self) -> DVec3 {
        let cells = DVec3::from_array(self.cells.map(f64::from));
        let per_unit = cells / self.domain.size;
        if self.domain.axes == 2 { per_unit.with_z(0.0) } else { per_unit }
    }

    /// The list of each cell, x first; `None` if the lists get too long.
    fn lists(&self, obstacles: &[Obstacle], members: &[u32], nearest: bool) -> Option<Vec<List>> {
        let mut lists: Vec<List> = Vec::new();
        lists.resize_with(self.cells.iter().product::<u32>() as usize, List::default);
        let mut room = MOST_LISTED * members.len();
        self.fill(obstacles, [0; 3], self.cells, members, nearest, &mut lists, &mut room)?;
        Some(lists)
    }

    /// Fill the lists of the cells from `low` to before `high` with those candidates that belong there. A block of cells is halved until it
    /// is one cell; an obstacle that is too far from a block is too far from each of its cells. `None` if more than `left` entries are
    /// needed.
    #[allow(clippy::too_many_arguments)]
    fn fill(
        &self,
        obstacles: &[Obstacle],
        low: [u32; 3],
        high: [u32; 3],
        candidates: &[u32],
        nearest: bool,
        lists: &mut [List],
        left: &mut usize,
    ) -> Option<()> {
        let (middle, half) = self.block(low, high);
        let cell = self.domain.size / DVec3::from_array(self.cells.map(f64::from));
        let slack = self.domain.rounding + ROUNDING * (0..self.domain.axes).map(|axis| cell[axis]).fold(0.0, f64::max);
        let bounds: Vec<_> =
            candidates.iter().map(|index| self.distance_bounds(&obstacles[*index as usize], middle, half)).collect();
        let farthest = bounds.iter().map(|distance| distance.most).fold(f64::INFINITY, f64::min);
        let is_reached = |distance: &DistanceBounds| distance.repeated <= self.room + slack;
        let is_nearest = |distance: &DistanceBounds| nearest && distance.least <= farthest + 2.0 * slack;
        let [width, height, depth] = [0, 1, 2].map(|axis| high[axis] - low[axis]);
        if width * height * depth == 1 {
            let list = &mut lists[(low[0] + self.cells[0] * (low[1] + self.cells[1] * low[2])) as usize];
            for (index, distance) in candidates.iter().zip(&bounds) {
                match distance {
                    distance if is_reached(distance) => list.reached.push(*index),
                    distance if is_nearest(distance) => list.nearest.push(*index),
                    _ => {}
                }
            }
            *left = left.checked_sub(list.reached.len() + list.nearest.len())?;
            return Some(());
        }
        let kept = candidates.iter().zip(&bounds).filter(|(_, distance)| is_reached(distance) || is_nearest(distance));
        let kept: Vec<u32> = kept.map(|(index, _)| *index).collect();
        if kept.is_empty() {
            return Some(());
        }
        // Halve the block across its longest side.
        let axis = (0..3).max_by(|a, b| half[*a].total_cmp(&half[*b]).then(b.cmp(a)))?;
        let axis = if high[axis] - low[axis] > 1 { axis } else { (0..3).find(|axis| high[*axis] - low[*axis] > 1)? };
        for [low, high] in halves(low, high, axis) {
            self.fill(obstacles, low, high, &kept, nearest, lists, left)?;
        }
        Some(())
    }

    /// Middle and half of the extent of a block of cells, u.
    fn block(&self, low: [u32; 3], high: [u32; 3]) -> (DVec3, DVec3) {
        let (mut middle, mut half) = (DVec3::ZERO, DVec3::ZERO);
        for axis in 0..self.domain.axes {
            let cell = self.domain.size[axis] / f64::from(self.cells[axis]);
            middle[axis] = self.domain.low[axis] + cell * 0.5 * f64::from(low[axis] + high[axis]);
            half[axis] = cell * 0.5 * f64::from(high[axis] - low[axis]);
        }
        (middle, half)
    }

    fn distance_bounds(&self, obstacle: &Obstacle, middle: DVec3, half: DVec3) -> DistanceBounds {
        let home = Vec3::from_array(obstacle.home).as_dvec3();
        let (mut repeated, mut least, mut most) = (0.0, 0.0, 0.0);
        for axis in 0..self.domain.axes {
            let (size, off) = (self.domain.size[axis], middle[axis] - home[axis]);
            let nearest_image = off - size * (off / size + 0.5).floor();
            let own = if self.domain.wraps[axis] { nearest_image } else { off };
            let square = |x: f64| x * x;
            repeated += square((nearest_image.abs() - half[axis]).max(0.0));
            least += square((own.abs() - half[axis]).max(0.0));
            most += square(own.abs() + half[axis]);
        }
        let bound = f64::from(obstacle.bound);
        // The surface of an obstacle seen from both sides may be as far from its center as its bound; that of a ball is exactly so far.
        let beyond = match (obstacle.seen_from, obstacle.shape) {
            (2, _) => bound,
            (_, SHAPE_SPHERE) => -bound,
            _ => 0.0,
        };
        DistanceBounds {
            repeated: f64::sqrt(repeated) - bound,
            least: f64::sqrt(least) - bound,
            most: f64::sqrt(most) + beyond,
        }
    }
}

/// Bounds on the distance of an obstacle from a block of cells, u.
struct DistanceBounds {
    /// The least distance, if the grid is repeated along all axes.
    repeated: f64,
    /// The least distance.
    least: f64,
    /// The largest distance from any place in the block.
    most: f64,
}
