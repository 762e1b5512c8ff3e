//! What a scene asks to observe, computed on the host from a state in f64: one function each, in the order of ids, so equal states give
//! equal numbers. What they mean stands in `scene::OBSERVABLES`.

use crate::cpu::common::hash::body_radius;
use crate::cpu::common::ways::way_at;
use crate::model::random::hash4;
use crate::model::ways::Ways;
use crate::model::{State, density_contrast, mean_crowding};
use crate::scene::{Asked, Boundary, Distribution, Quantity, Scene, Species, Target, stated};
use glam::DVec3;
use std::ops::Range;

/// Agents of which the correlation length is computed, at most.
const CORRELATED: usize = 2048;
/// Bins of the correlation function.
const BINS: usize = 64;
/// Marks the hash that chooses them.
const CHOOSES: u32 = 0x636f_7272;

/// What the scene asks for, column by column: None where there is no such number. `states` are the action states
/// of agents, 0 for those beyond the list.
pub fn observed(scene: &Scene, asked: &[Asked], state: &State, states: &[u32]) -> Vec<Option<f64>> {
    let flock = Flock::new(scene, state, 0..state.positions.len() as u32);
    asked.iter().flat_map(|asked| flock.values(asked, state, states)).collect()
}

/// As the observable `milling`, of the agents with these ids alone.
pub fn milling(scene: &Scene, state: &State, ids: Range<u32>) -> f64 {
    Flock::new(scene, state, ids).milling()
}

/// The agents that are not frozen.
struct Flock<'a> {
    scene: &'a Scene,
    ids: Vec<u32>,
    places: Vec<DVec3>,
    velocities: Vec<DVec3>,
}

impl Flock<'_> {
    fn new<'a>(scene: &'a Scene, state: &State, ids: Range<u32>) -> Flock<'a> {
        let ids: Vec<u32> = ids.filter(|id| state.frozen.get(*id as usize) == Some(&false)).collect();
        let vectors = |all: &[[f32; 3]]| -> Vec<DVec3> {
            ids.iter().map(|id| DVec3::from_array(all[*id as usize].map(f64::from))).collect()
        };
        Flock { scene, places: vectors(&state.positions), velocities: vectors(&state.velocities), ids }
    }

    fn values(&self, asked: &Asked, state: &State, states: &[u32]) -> Vec<Option<f64>> {
        let distance = f64::from(asked.distance);
        let one = |value: f64| vec![Some(value)];
        match asked.observable.quantity {
            Quantity::Milling => one(self.milling()),
            Quantity::SpeedSpread => one(self.speed_spread()),
            Quantity::Density => vec![mean_crowding(state, self.scene)],
            Quantity::DensityContrast => vec![density_contrast(state, self.scene)],
            Quantity::NearestDistance => vec![self.nearest_distance()],
            Quantity::Groups => {
                let groups = Groups::of(self, distance);
                let (count, largest) = (groups.count() as f64, groups.sizes.iter().copied().max().unwrap_or(0));
                vec![Some(count), Some(f64::from(largest)), (count > 0.0).then(|| self.ids.len() as f64 / count)]
            }
            Quantity::GroupPolarization => one(self.group_polarization(distance)),
            Quantity::VelocityCorrelation => vec![self.velocity_correlation(distance)],
            Quantity::CorrelationLength => vec![self.correlation_length()],
            Quantity::Overlaps => one(self.overlaps()),
            Quantity::States => self.states(states),
            Quantity::Way => self.to_goals().to_vec(),
            Quantity::PathDeviation => self.off_paths().to_vec(),
        }
    }

    /// The way from one place to another: the shortest one, along axes that wrap.
    fn way(&self, from: DVec3, to: DVec3) -> DVec3 {
        let (way, size) = (to - from, self.scene.world.size.as_dvec3());
        let wrapped = way - size * (way / size.max(DVec3::splat(f64::MIN_POSITIVE))).round();
        DVec3::from_array(std::array::from_fn(|axis| if self.wraps(axis) { wrapped[axis] } else { way[axis] }))
    }

    fn wraps(&self, axis: usize) -> bool {
        self.scene.world.boundary[axis] == Boundary::Wrap
    }

    /// The mean over agents; 0 where there are none.
    fn mean<T: std::iter::Sum + std::ops::Div<f64, Output = T>>(&self, values: impl Iterator<Item = T>) -> T {
        values.sum::<T>() / (self.ids.len().max(1) as f64)
    }

    fn headings(&self) -> impl Iterator<Item = DVec3> {
        self.velocities.iter().map(|velocity| velocity.normalize_or_zero())
    }

    fn middle(&self) -> DVec3 {
        let along = |axis: usize| {
            let size = f64::from(self.scene.world.size[axis]);
            if !self.wraps(axis) {
                return self.mean(self.places.iter().map(|place| place[axis]));
            }
            let turn = std::f64::consts::TAU / size;
            let angle = |part: fn(f64) -> f64| self.mean(self.places.iter().map(|place| part(place[axis] * turn)));
            angle(f64::sin).atan2(angle(f64::cos)) / turn
        };
        DVec3::new(along(0), along(1), if self.scene.world.spatial { along(2) } else { 0.0 })
    }

    fn milling(&self) -> f64 {
        let middle = self.middle();
        let turns = |(place, heading): (&DVec3, DVec3)| self.way(middle, *place).normalize_or_zero().cross(heading);
        self.mean(self.places.iter().zip(self.headings()).map(turns)).length()
    }

    fn speed_spread(&self) -> f64 {
        let speeds = || self.velocities.iter().map(|velocity| velocity.length());
        let mean = self.mean(speeds());
        self.mean(speeds().map(|speed| (speed - mean).powi(2))).sqrt()
    }

    fn nearest_distance(&self) -> Option<f64> {
        let mut nearest = vec![f64::INFINITY; self.ids.len()];
        let mut left: Vec<usize> = (0..self.ids.len()).filter(|_| self.ids.len() > 1).collect();
        let size = self.scene.world.size.as_dvec3();
        let axes = if self.scene.world.spatial { 3 } else { 2 };
        let volume: f64 = (0..axes).map(|axis| size[axis]).product();
        // Those that have found nobody look twice as far.
        let mut radius = 0.125 * (volume / self.ids.len().max(1) as f64).powf(1.0 / axes as f64);
        while !left.is_empty() {
            let grid = Grid::new(self, radius);
            for agent in &left {
                grid.near(self, self.places[*agent], |other, squared| {
                    if other != *agent && squared <= radius * radius {
                        nearest[*agent] = nearest[*agent].min(squared);
                    }
                });
            }
            left.retain(|agent| nearest[*agent].is_infinite());
            radius *= 2.0;
        }
        (self.ids.len() > 1).then(|| self.mean(nearest.iter().map(|squared| squared.sqrt())))
    }

    /// Call with each pair nearer than this, and the square of their distance.
    fn pairs(&self, distance: f64, mut found: impl FnMut(usize, usize, f64)) {
        let grid = Grid::new(self, distance);
        for (agent, place) in self.places.iter().enumerate() {
            grid.near(self, *place, |other, squared| {
                if other > agent && squared < distance * distance {
                    found(agent, other, squared);
                }
            });
        }
    }

    fn group_polarization(&self, distance: f64) -> f64 {
        let mut groups = Groups::of(self, distance);
        let mut sums = vec![DVec3::ZERO; self.ids.len()];
        for (agent, heading) in self.headings().enumerate() {
            sums[groups.root(agent)] += heading;
        }
        self.mean(sums.iter().map(|sum| sum.length()))
    }

    /// How each velocity differs from the mean, and the mean square of that.
    fn deviations(&self) -> (Vec<DVec3>, f64) {
        let mean = self.velocities.iter().sum::<DVec3>() / self.ids.len().max(1) as f64;
        let deviations: Vec<DVec3> = self.velocities.iter().map(|velocity| *velocity - mean).collect();
        let square = self.mean(deviations.iter().map(|u| u.length_squared()));
        (deviations, square)
    }

    fn velocity_correlation(&self, distance: f64) -> Option<f64> {
        let ((deviations, square), mut sum, mut count) = (self.deviations(), 0.0, 0u64);
        self.pairs(distance, |a, b, _| {
            sum += deviations[a].dot(deviations[b]);
            count += 1;
        });
        (count > 0 && square > 0.0).then(|| sum / count as f64 / square)
    }

    fn correlation_length(&self) -> Option<f64> {
        let (deviations, _) = self.deviations();
        let mut chosen: Vec<usize> = (0..self.ids.len()).collect();
        chosen.sort_by_key(|agent| (hash4([self.ids[*agent], CHOOSES, 0, 0])[0], *agent));
        chosen.truncate(CORRELATED);
        chosen.sort_unstable();
        let width = 0.5 * self.scene.world.size.as_dvec3().length() / BINS as f64;
        // Products, distances and how many pairs.
        let mut bins = [(0.0, 0.0, 0u32); BINS];
        for (index, a) in chosen.iter().enumerate() {
            for b in &chosen[index + 1..] {
                let distance = self.way(self.places[*a], self.places[*b]).length();
                if let Some((product, distances, pairs)) = bins.get_mut((distance / width) as usize) {
                    *product += deviations[*a].dot(deviations[*b]);
                    *distances += distance;
                    *pairs += 1;
                }
            }
        }
        let filled = bins.iter().filter(|(_, _, pairs)| *pairs > 0);
        let points: Vec<(f64, f64)> = filled
            .map(|(product, distances, pairs)| (distances / f64::from(*pairs), product / f64::from(*pairs)))
            .collect();
        let crossing = points.windows(2).find(|two| two[0].1 > 0.0 && two[1].1 <= 0.0)?;
        let [(near, above), (far, below)] = [crossing[0], crossing[1]];
        Some(near + (far - near) * above / (above - below))
    }

    fn overlaps(&self) -> f64 {
        let radius = |id: &u32| {
            self.scene.species_of(*id).map_or(0.0, |species| {
                let (spread, normal) =
                    (species.variation.radius, species.variation.distribution == Distribution::Normal);
                f64::from(body_radius(species.radius, spread, normal, self.scene.seed, *id))
            })
        };
        let radii: Vec<f64> = self.ids.iter().map(radius).collect();
        let (largest, mut pairs) = (radii.iter().copied().fold(0.0, f64::max), 0u64);
        if largest > 0.0 {
            self.pairs(2.0 * largest, |a, b, squared| pairs += u64::from(squared < (radii[a] + radii[b]).powi(2)));
        }
        pairs as f64
    }

    /// The mean length of the ways to goals, and how many agents have none.
    fn to_goals(&self) -> [Option<f64>; 2] {
        let walls = self.scene.map.as_ref().map(|map| map.walls(&self.scene.world, self.scene.seed));
        let Ok(Some(ways)) = Ways::of(self.scene, walls.as_ref()) else { return [None; 2] };
        let goal_of = |species: &Species| {
            species.targets().find_map(|target| match target {
                Target::Goal(goal) => Some(goal),
                _ => None,
            })
        };
        let (mut count, mut sum, mut without) = (0, 0.0, 0);
        for (id, place) in self.ids.iter().zip(&self.places) {
            let Some(goal) = self.scene.species_of(*id).and_then(goal_of) else { continue };
            let way = way_at(&ways, goal, place.as_vec3());
            match way.share > 0.0 {
                true => (count, sum) = (count + 1, sum + f64::from(way.cells / way.share * ways.walls.cell)),
                false => without += 1,
            }
        }
        [(count > 0).then(|| sum / f64::from(count)), Some(f64::from(without))]
    }

    /// The mean distance to paths of those who follow them, and how many are outside of their widths.
    fn off_paths(&self) -> [Option<f64>; 2] {
        let stored: Vec<_> = self.scene.scenery.paths.iter().map(|path| path.stored(&self.scene.world)).collect();
        let size = self.scene.world.size.as_dvec3();
        let shifts = |axis: usize| if self.wraps(axis) { vec![-size[axis], 0.0, size[axis]] } else { vec![0.0] };
        let [x, y, z] = [0, 1, 2].map(shifts);
        let planes = x.iter().flat_map(|x| y.iter().map(move |y| (*x, *y)));
        let images: Vec<_> = planes.flat_map(|(x, y)| z.iter().map(move |z| DVec3::new(x, y, *z))).collect();
        let (mut count, mut sum, mut outside) = (0u32, 0.0, 0u32);
        for (index, species) in self.scene.species.iter().enumerate() {
            let (ids, path) = (self.scene.species_ids(index).unwrap_or_default(), species.path());
            let Some(points) = path.and_then(|path| stored.get(path as usize)) else { continue };
            let own = self.ids.iter().zip(&self.places).filter(|(id, _)| ids.contains(id));
            for (_, place) in own {
                let segments = points.windows(2).map(|ends| {
                    let [from, to] = [ends[0].0.as_dvec3(), ends[1].0.as_dvec3()];
                    let (middle, along) = (0.5 * (from + to), to - from);
                    // The segment nearest by its middle need not be the nearest one.
                    let way = self.way(middle, *place);
                    let off = |image: DVec3| {
                        let away = way + image;
                        (away - along * (away.dot(along) / along.length_squared()).clamp(-0.5, 0.5)).length()
                    };
                    let distance = images.iter().map(|image| off(*image)).fold(f64::INFINITY, f64::min);
                    (distance, distance - f64::from(ends[1].1))
                });
                let (nearest, out) = segments.fold((f64::INFINITY, f64::INFINITY), |a, b| (a.0.min(b.0), a.1.min(b.1)));
                (count, sum, outside) = (count + 1, sum + nearest, outside + u32::from(out > 0.0));
            }
        }
        [(count > 0).then(|| sum / f64::from(count)), Some(f64::from(outside))]
    }

    fn states(&self, states: &[u32]) -> Vec<Option<f64>> {
        let count = |(species, _, state): (usize, String, u32)| {
            let ids = self.scene.species_ids(species).unwrap_or_default();
            let own = self.ids.iter().filter(|id| ids.contains(id));
            Some(own.filter(|id| states.get(**id as usize).copied().unwrap_or(0) == state).count() as f64)
        };
        stated(&self.scene.species).map(count).collect()
    }
}

/// Agents by cells at least as wide as a distance, so that all within it are in a cell and in those around.
struct Grid {
    cells: [i64; 3],
    /// The place where the cells begin, and how wide they are.
    origin: DVec3,
    width: DVec3,
    wraps: [bool; 3],
    /// Where each cell begins in `agents`.
    starts: Vec<u32>,
    agents: Vec<u32>,
}

impl Grid {
    fn new(flock: &Flock<'_>, distance: f64) -> Grid {
        let least = flock.places.iter().copied().reduce(DVec3::min).unwrap_or_default();
        let most = flock.places.iter().copied().reduce(DVec3::max).unwrap_or_default();
        let wraps: [bool; 3] = std::array::from_fn(|axis| flock.wraps(axis) && flock.scene.world.size[axis] > 0.0);
        let size = flock.scene.world.size.as_dvec3();
        // No more cells than about two for each agent.
        let longest =
            (2.0 * flock.ids.len() as f64).powf(if flock.scene.world.spatial { 1.0 / 3.0 } else { 0.5 }).ceil();
        let (mut cells, mut origin, mut width) = ([1; 3], least, DVec3::ONE);
        for axis in 0..3 {
            let extent = if wraps[axis] { size[axis] } else { most[axis] - least[axis] };
            cells[axis] = (extent / distance).floor().clamp(1.0, longest.max(1.0)) as i64;
            origin[axis] = if wraps[axis] { -0.5 * size[axis] } else { least[axis] };
            width[axis] = (extent / cells[axis] as f64).max(f64::MIN_POSITIVE);
        }
        let mut grid = Grid { cells, origin, width, wraps, starts: Vec::new(), agents: Vec::new() };
        let found: Vec<usize> = flock.places.iter().map(|place| grid.index(grid.cell(*place))).collect();
        let mut starts = vec![0u32; cells.iter().product::<i64>() as usize + 1];
        found.iter().for_each(|cell| starts[cell + 1] += 1);
        (1..starts.len()).for_each(|cell| starts[cell] += starts[cell - 1]);
        let mut next = starts.clone();
        grid.agents = vec![0; found.len()];
        for (agent, cell) in found.iter().enumerate() {
            grid.agents[next[*cell] as usize] = agent as u32;
            next[*cell] += 1;
        }
        grid.starts = starts;
        grid
    }

    fn cell(&self, place: DVec3) -> [i64; 3] {
        let at = (place - self.origin) / self.width;
        std::array::from_fn(|axis| {
            let cell = at[axis].floor() as i64;
            if self.wraps[axis] { cell.rem_euclid(self.cells[axis]) } else { cell.clamp(0, self.cells[axis] - 1) }
        })
    }

    fn index(&self, [x, y, z]: [i64; 3]) -> usize {
        ((z * self.cells[1] + y) * self.cells[0] + x) as usize
    }

    /// The cells around one along an axis, each once.
    fn around(&self, axis: usize, cell: i64) -> impl Iterator<Item = i64> {
        let (count, wraps) = (self.cells[axis], self.wraps[axis]);
        let from = if wraps && count < 3 { 0 } else { cell - 1 };
        let to = if wraps && count < 3 { count - 1 } else { cell + 1 };
        (from..=to).filter_map(move |cell| match wraps {
            true => Some(cell.rem_euclid(count)),
            false => (0..count).contains(&cell).then_some(cell),
        })
    }

    /// Call with each agent in the cells around a place, and the square of its distance.
    fn near(&self, flock: &Flock<'_>, place: DVec3, mut found: impl FnMut(usize, f64)) {
        let [x, y, z] = self.cell(place);
        for z in self.around(2, z) {
            for y in self.around(1, y) {
                for x in self.around(0, x) {
                    let cell = self.index([x, y, z]);
                    for agent in &self.agents[self.starts[cell] as usize..self.starts[cell + 1] as usize] {
                        let agent = *agent as usize;
                        found(agent, flock.way(place, flock.places[agent]).length_squared());
                    }
                }
            }
        }
    }
}

/// Agents that are connected.
struct Groups {
    parents: Vec<u32>,
    /// Agents of each group, at its root; 0 elsewhere.
    sizes: Vec<u32>,
}

impl Groups {
    fn of(flock: &Flock<'_>, distance: f64) -> Groups {
        let agents = flock.ids.len();
        let mut groups = Groups { parents: (0..agents as u32).collect(), sizes: vec![0; agents] };
        flock.pairs(distance, |a, b, _| {
            let (a, b) = (groups.root(a), groups.root(b));
            groups.parents[a.max(b)] = a.min(b) as u32;
        });
        for agent in 0..agents {
            let root = groups.root(agent);
            groups.sizes[root] += 1;
        }
        groups
    }

    fn root(&mut self, mut agent: usize) -> usize {
        while self.parents[agent] as usize != agent {
            self.parents[agent] = self.parents[self.parents[agent] as usize];
            agent = self.parents[agent] as usize;
        }
        agent
    }

    fn count(&self) -> usize {
        self.sizes.iter().filter(|size| **size > 0).count()
    }
}
