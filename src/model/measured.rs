//! What a scene asks to observe, as the stage `measure` computes it: the layout of the buffer `measured`, and the observables that follow
//! from its sums. The indices of sums are those of `shaders/common/measured.wgsl`.

use super::{Measurement, PairMeasurement};
pub(crate) use crate::constants::{
    BINS, CROWDING, FINE_PRODUCT, FINE_SQUARE, FIRST_SUM, GROUP_POLARIZATION, GROUPS, MIDDLE_ERROR, NEAREST_DISTANCE,
    NO_INDEX, OFF_PATHS, OVERLAPS, SUM_OF_SPREADS, SUM_OF_TURNS, VELOCITY_CORRELATION, WAYS_TO_GOALS,
};
use crate::scene::{MAX_SPECIES, Quantity, Requested, Scene, Species, state_columns};
use glam::Vec3;

const FIRST_OF_PAIRS: usize = 24;
/// Bins of the correlation function.
pub(crate) const BIN_COUNT: usize = 64;
/// How many agents are chosen for the correlation function: on average, and at most.
const CHOSEN: f64 = 2048.0;
const MOST_CHOSEN: u64 = 4096;
/// The most cells along an axis into which the world is divided to tell rows apart: in a plane, and in space.
const MOST_ROWS: [f64; 2] = [1024.0, 64.0];
/// Words reserved for the action states of a species that has any.
const STATES: usize = 32;

/// Factor from floats to the integers of a sum, in f64: see `shaders/common/fixed_point.wgsl`.
pub(super) const FIXED_POINT: f64 = 1048576.0;

/// Cells are wider than the distance by this factor: rounding may put an agent into the cell beside its own.
const WIDER: f64 = 1.01;

/// What a scene asks to observe.
#[derive(Debug, Clone)]
pub struct Measures {
    requested: Vec<Requested>,
    /// The parameters of the stage.
    pub block: Measurement,
    /// The number of words of `measured`, and how many of them, from the first one on, hold results.
    pub(crate) words: [u64; 2],
    /// The action states that are counted: the species and the state.
    states: Vec<(usize, u32)>,
    /// Agents of the scene.
    pub(super) agents: u32,
    spatial: bool,
    top_speed: f64,
    map_cell: f64,
    density_volume: f64,
}

impl Measures {
    /// What a scene asks for. `map_cell` is the extent of a cell of its map, u.
    pub(super) fn of(scene: &Scene, top_speed: f32, map_cell: f32) -> Measures {
        let (requested, mut block) = (scene.requested(), bytemuck::Zeroable::zeroed());
        let (axes, volume) = (scene.world.axes(), scene.world.volume());
        let agents = u64::from(scene.agent_count());
        let Measurement { density_cells: density, .. } = &mut block;
        *density = density_cells(scene, scene.agent_count());
        let density_volume = volume / density.iter().map(|cells| f64::from(*cells)).product::<f64>();
        let wants = |quantity| requested.iter().any(|requested: &Requested| requested.observable.quantity == quantity);
        let mut words = (FIRST_SUM + 2 * BINS) as u64;
        let mut room = |length: u64| {
            let first = words as u32;
            words += length;
            first
        };
        if wants(Quantity::CorrelationLength) {
            room(6 * BIN_COUNT as u64);
        }
        let states: Vec<(usize, u32)> = match wants(Quantity::States) {
            true => state_columns(&scene.species).map(|(species, _, state)| (species, state)).collect(),
            false => Vec::new(),
        };
        for (species, _) in &states {
            if block.states[*species] == 0 {
                block.states[*species] = room(STATES as u64);
            }
        }
        if let Some(requested) = requested.iter().find(|requested| requested.observable.quantity == Quantity::Lanes) {
            block.row_cells = [1; 3];
            for axis in 0..axes {
                let cells = (f64::from(scene.world.size[axis]) / f64::from(requested.distance)).round();
                block.row_cells[axis] = cells.clamp(1.0, MOST_ROWS[axes - 2]) as u32;
            }
            let rows = (0..axes).map(|axis| rows_along(block.row_cells, axis) as u64).sum::<u64>();
            (0..scene.species.len()).for_each(|species| block.streams[species] = room(6 + rows));
        }
        let results = u64::from(room(0));
        if wants(Quantity::CorrelationLength) {
            block.first_chosen = room(1 + MOST_CHOSEN);
            block.chosen_below = (CHOSEN / (agents.max(1) as f64) * f64::from(u32::MAX)) as u32;
            block.bin_width = (0.5 * scene.world.size.as_dvec3().length() / BIN_COUNT as f64) as f32;
        }
        if wants(Quantity::Density) || wants(Quantity::DensityContrast) {
            block.first_density_cell = room(block.density_cells.iter().map(|cells| u64::from(*cells)).product());
        }
        (block.goals, block.paths) = ([NO_INDEX; MAX_SPECIES], [NO_INDEX; MAX_SPECIES]);
        for (index, species) in scene.species.iter().enumerate() {
            block.goals[index] = species.goal().unwrap_or(NO_INDEX);
            block.paths[index] = species.path().unwrap_or(NO_INDEX);
        }
        let spacing = (volume / agents.max(1) as f64).powf(1.0 / axes as f64);
        let largest = scene.species.iter().map(Species::largest_radius).fold(0.0, f32::max);
        let near = requested.iter().filter_map(|requested| {
            let distance = f64::from(requested.distance);
            Some(match requested.observable.quantity {
                Quantity::NearestDistance => (NEAREST_DISTANCE, spacing),
                Quantity::Groups => (GROUPS, distance),
                Quantity::GroupPolarization => (GROUP_POLARIZATION, distance),
                Quantity::VelocityCorrelation => (VELOCITY_CORRELATION, distance),
                Quantity::Overlaps => (OVERLAPS, 2.0 * f64::from(largest)),
                _ => return None,
            })
        });
        for (kind, distance) in near.filter(|(_, distance)| *distance > 0.0) {
            let pairs = &mut block.pairs[kind as usize - 1];
            // No more cells than about two for each agent.
            let longest = (2.0 * agents as f64).powf(1.0 / axes as f64).ceil().max(1.0);
            pairs.cells = [1; 3];
            pairs.cell_width = f32::MAX;
            for axis in 0..axes {
                let size = f64::from(scene.world.size[axis]);
                let cells = (size / (WIDER * distance)).floor().clamp(1.0, longest);
                if cells > 1.0 {
                    (pairs.cells[axis], pairs.cells_per_unit[axis]) = (cells as u32, (cells / size) as f32);
                    pairs.cell_width = pairs.cell_width.min((size / cells) as f32);
                }
            }
            (pairs.distance, pairs.scale) = (distance as f32, (1.0 / spacing) as f32);
            pairs.first_sum = (FIRST_OF_PAIRS + 3 * (kind as usize - 1)) as u32;
            pairs.first_head = room(pairs.cells.iter().map(|cells| u64::from(*cells)).product());
            pairs.first_next = room(agents);
            pairs.first_root = room(match kind {
                NEAREST_DISTANCE => 1 + 2 * agents,
                GROUPS => 2 * agents,
                GROUP_POLARIZATION => 8 * agents,
                _ => 0,
            });
        }
        let (top_speed, map_cell) = (f64::from(top_speed), f64::from(map_cell));
        Measures {
            requested,
            block,
            words: [words, results],
            states,
            agents: scene.agent_count(),
            spatial: scene.world.spatial,
            top_speed,
            map_cell,
            density_volume,
        }
    }

    /// Does the scene ask to observe anything?
    pub fn any(&self) -> bool {
        !self.requested.is_empty()
    }

    /// Words of `measured` that hold results, from the first one on.
    pub(crate) fn results(&self) -> usize {
        self.words[1] as usize
    }

    /// The parameters of a kind of pairs; `None` if that kind is not measured.
    pub(crate) fn pairs(&self, kind: u32) -> Option<&PairMeasurement> {
        Some(&self.block.pairs[kind as usize - 1]).filter(|pairs| pairs.cells[0] > 0)
    }

    /// Is the observable `way` asked for, and does any species head for a goal?
    pub(super) fn leads_to_goals(&self) -> bool {
        self.wants(Quantity::Way) && self.block.goals.iter().any(|goal| *goal != NO_INDEX)
    }

    /// Is the observable `path_deviation` asked for, and does any species follow a path?
    pub(super) fn leads_along_paths(&self) -> bool {
        self.wants(Quantity::PathDeviation) && self.block.paths.iter().any(|path| *path != NO_INDEX)
    }

    /// Does the scene ask for this quantity?
    pub(crate) fn wants(&self, quantity: Quantity) -> bool {
        self.requested.iter().any(|requested| requested.observable.quantity == quantity)
    }

    /// Do the words of `measured` say that the driver cut a loop off?
    pub(crate) fn cut_off(words: &[u32]) -> bool {
        words.first().is_some_and(|word| *word != 0)
    }

    /// The observables that follow from the words of `measured`, column by column: `None` where an observable is not defined.
    /// `agents` is the number of agents that are not frozen.
    pub(crate) fn values(&self, agents: u32, words: &[u32]) -> Vec<Option<f64>> {
        let sums = Sums(words);
        self.requested.iter().flat_map(|requested| self.value(requested, f64::from(agents), &sums)).collect()
    }

    fn value(&self, requested: &Requested, all: f64, sums: &Sums<'_>) -> Vec<Option<f64>> {
        let agents = all.max(1.0);
        let mean = |sum: f64, of: f64| (of > 0.0).then(|| sum / of);
        let pairs = |kind: u32| FIRST_OF_PAIRS + 3 * (kind as usize - 1);
        match requested.observable.quantity {
            Quantity::Milling => {
                let turns = [0, 1, 2].map(|axis| sums.real(SUM_OF_TURNS + axis).powi(2)).iter().sum::<f64>();
                vec![Some(turns.sqrt() / agents)]
            }
            Quantity::SpeedSpread => {
                let variance = sums.real(SUM_OF_SPREADS) / f64::from(FINE_SQUARE) / agents;
                vec![Some(variance.sqrt() * self.top_speed)]
            }
            Quantity::Density => {
                let [inside, squares] = [CROWDING, CROWDING + 1].map(|sum| sums.whole(sum));
                vec![mean(squares, inside).map(|each| each / self.density_volume)]
            }
            Quantity::DensityContrast => {
                let [inside, squares] = [CROWDING, CROWDING + 1].map(|sum| sums.whole(sum));
                let cells = self.block.density_cells.iter().map(|cells| f64::from(*cells)).product();
                vec![contrast(cells, inside, squares)]
            }
            Quantity::NearestDistance => {
                let first = pairs(NEAREST_DISTANCE);
                let spacing = 1.0 / f64::from(self.block.pairs[NEAREST_DISTANCE as usize - 1].scale);
                vec![mean(sums.real(first + 1) * spacing, sums.whole(first))]
            }
            Quantity::Groups => {
                let [groups, largest] = [0, 1].map(|sum| sums.whole(pairs(GROUPS) + sum));
                vec![Some(groups), Some(largest), mean(all, groups)]
            }
            Quantity::GroupPolarization => vec![Some(sums.real(pairs(GROUP_POLARIZATION) + 2) / agents)],
            Quantity::VelocityCorrelation => {
                let first = pairs(VELOCITY_CORRELATION);
                let square = sums.real(first + 2) / agents;
                vec![mean(sums.real(first + 1), sums.whole(first)).filter(|_| square > 0.0).map(|each| each / square)]
            }
            Quantity::CorrelationLength => vec![self.correlation_length(sums)],
            Quantity::Overlaps => vec![Some(sums.whole(pairs(OVERLAPS)))],
            Quantity::States => {
                let word = |(species, state): &(usize, u32)| sums.0[(self.block.states[*species] + state) as usize];
                self.states.iter().map(|state| Some(f64::from(word(state)))).collect()
            }
            Quantity::Lanes => self.lanes(sums),
            Quantity::Way => {
                let [count, without] = [WAYS_TO_GOALS, WAYS_TO_GOALS + 2].map(|sum| sums.whole(sum));
                vec![mean(sums.real(WAYS_TO_GOALS + 1) * self.map_cell, count), Some(without)]
            }
            Quantity::PathDeviation => {
                let [count, outside] = [OFF_PATHS, OFF_PATHS + 2].map(|sum| sums.whole(sum));
                vec![mean(sums.real(OFF_PATHS + 1), count), Some(outside)]
            }
        }
    }

    /// How well rows are sorted by species, from 0 to 1, and how well they would be by chance.
    fn lanes(&self, sums: &Sums<'_>) -> Vec<Option<f64>> {
        let cells = self.block.row_cells;
        let streams = self.block.streams.iter().map(|first| *first as usize).filter(|first| *first != 0);
        // For each species: the axis along which it moves, if it does, and the number of its agents in each row along each axis.
        let streams = streams.map(|first| {
            let pace = [0, 1, 2].map(|axis| (sum_at(sums.0, first + 2 * axis) as i64).unsigned_abs());
            let axis = (0..3).rev().max_by_key(|axis| pace[*axis]).filter(|axis| pace[*axis] > 0);
            let mut rest = &sums.0[first + 6..];
            let rows = [0, 1, 2].map(|axis| {
                // In a planar world there are no rows along z.
                let rows;
                (rows, rest) = rest.split_at(if axis < 2 || self.spatial { rows_along(cells, axis) } else { 0 });
                rows
            });
            (axis, rows)
        });
        let streams: Vec<_> = streams.collect();
        let count = |rows: &[u32]| rows.iter().map(|agents| f64::from(*agents)).sum::<f64>();
        let agents: Vec<f64> = streams.iter().map(|(_, rows)| count(rows[0])).collect();
        let all = agents.iter().sum::<f64>();
        if agents.iter().filter(|agents| **agents > 0.0).count() < 2 {
            return vec![None, None];
        }
        let (mut moving, mut order, mut chance) = (0.0, 0.0, 0.0);
        for ((axis, rows), own) in streams.iter().zip(&agents) {
            let Some(axis) = *axis else { continue };
            moving += own;
            for (row, same) in rows[axis].iter().enumerate() {
                let here: f64 = streams.iter().map(|(_, rows)| f64::from(rows[axis][row])).sum();
                if here == 0.0 {
                    continue;
                }
                let same = f64::from(*same);
                order += same * ((2.0 * same - here) / here).powi(2);
                // By chance, the number of others in the row that are of the same species is hypergeometric.
                let (others, share) = (here - 1.0, (own - 1.0) / (all - 1.0));
                let variance = others * share * (1.0 - share) * (all - here) / (all - 2.0).max(1.0);
                let mean = 2.0 * (1.0 + others * share) - here;
                chance += own * here / all * (4.0 * variance + mean * mean) / (here * here);
            }
        }
        [order, chance].map(|sum| (moving > 0.0).then(|| sum / moving)).to_vec()
    }

    fn correlation_length(&self, sums: &Sums<'_>) -> Option<f64> {
        let bins = (0..BIN_COUNT).map(|bin| BINS + 3 * bin).filter(|bin| sums.whole(*bin) > 0.0);
        let points: Vec<_> = bins.map(|bin| [bin + 1, bin + 2].map(|sum| sums.real(sum) / sums.whole(bin))).collect();
        let crossing = points.windows(2).find(|two| two[0][1] > 0.0 && two[1][1] <= 0.0)?;
        let [[near, above], [far, below]] = [crossing[0], crossing[1]];
        Some((near + (far - near) * above / (above - below)) * f64::from(self.block.bin_width))
    }
}

/// The words of `measured`.
struct Sums<'a>(&'a [u32]);

impl Sums<'_> {
    fn sum(&self, index: usize) -> i64 {
        if self.0.len() > FIRST_SUM + 2 * index + 1 { sum_at(self.0, FIRST_SUM + 2 * index) as i64 } else { 0 }
    }

    /// A count.
    fn whole(&self, index: usize) -> f64 {
        self.sum(index) as f64
    }

    /// A sum with 20 binary digits after the point.
    fn real(&self, index: usize) -> f64 {
        self.sum(index) as f64 / FIXED_POINT
    }
}

/// The 64-bit sum that begins at a word of `measured`.
pub(crate) fn sum_at(words: &[u32], word: usize) -> u64 {
    u64::from(words[word]) | u64::from(words[word + 1]) << 32
}

/// The number of rows along an axis: the product of the cells along the other two.
fn rows_along(cells: [u32; 3], axis: usize) -> usize {
    (0..3).filter(|other| *other != axis).map(|other| cells[other] as usize).product()
}

/// The number of equal cells along each axis of the world, such that a cell has 32 agents on average.
pub(super) fn density_cells(scene: &Scene, agents: u32) -> [u32; 3] {
    let size = scene.world.size;
    let axes = scene.world.axes();
    let edge = (scene.world.volume() * 32.0 / f64::from(agents.max(1))).powf(1.0 / axes as f64);
    let mut cells = [1; 3];
    for axis in 0..axes {
        cells[axis] = (f64::from(size[axis]) / edge).round().clamp(1.0, 4096.0) as u32;
    }
    cells
}

/// The cell that a place lies in, if the world is divided into `cells` equal cells along each axis; `None` outside of the world. Twin of
/// `shaders/common/measured.wgsl`.
pub(crate) fn equal_cell(size: Vec3, place: Vec3, cells: [u32; 3]) -> Option<[u32; 3]> {
    let along = |axis: usize| {
        let cells = cells[axis];
        // A plane has no size along z.
        if size[axis] == 0.0 {
            return Some(0);
        }
        let at = (place[axis] / size[axis] + 0.5) * cells as f32;
        // An agent that the upper wall stops is in the last cell.
        (at >= 0.0 && at <= cells as f32).then(|| at.min(cells as f32 - 1.0) as u32)
    };
    Some([along(0)?, along(1)?, along(2)?])
}

/// The number of a cell, x first.
pub(crate) fn index_of([x, y, z]: [u32; 3], cells: [u32; 3]) -> usize {
    ((z * cells[1] + y) * cells[0] + x) as usize
}

/// The variance of the number of agents in a cell over the variance that chance alone gives: from the number of cells, the number of agents
/// inside, and the sum of the squared numbers of agents in the cells. `None` with fewer than four cells, or without agents inside.
pub(super) fn contrast(cells: f64, inside: f64, squares: f64) -> Option<f64> {
    let contrast = (squares - inside * inside / cells) / (cells - 1.0) / (inside / cells);
    (cells >= 4.0 && inside > 0.0).then_some(contrast)
}
