//! The work of the search for neighbors in a step, counted from a state by the reference's own walk.

pub use crate::constants::LEAST_MARGIN;
use crate::cpu::common::walk::walk_rows;
use crate::cpu::{Buffers, CpuError, Execution, Simulation};
use crate::model::{CompiledScene, FROZEN, STAGES, Snapshot, StageId};
use crate::scene::Scene;
use glam::Vec3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// Numbers of lanes that run in lockstep: on a software driver, on NVIDIA and Apple GPUs, and on older AMD GPUs.
pub const LANES: [usize; 3] = [8, 32, 64];

/// How much the agents that look in a step have to work through.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Agents that look at neighbors in this step: not frozen, not skipping it, and with a behavior that looks.
    pub lookers: u32,
    /// Candidates that a looker tests for being near.
    pub tests: Spread,
    /// Tested candidates within the perception radius, for each looker.
    pub hits: Spread,
    /// Ranges of sorted agents that a looker goes through, without empty ones.
    pub ranges: Spread,
    /// What that costs if agents are computed in groups of lanes that run in lockstep, for each of [`LANES`].
    pub lanes: Vec<LaneLoad>,
    /// How many cells hold how many agents.
    pub occupancy: Vec<Occupancy>,
    /// Agents that are set aside from cells with more than `world.crowd` agents, so that no agent perceives them.
    pub unseen: u32,
}

/// How a figure is distributed over agents.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Spread {
    /// Its mean.
    pub mean: f64,
    /// The 99th percentile: of a hundred agents, 99 have at most this.
    pub p99: u32,
    /// The largest.
    pub most: u32,
}

/// Lane-steps per looker, if lanes run in lockstep: in one lane-step a lane tests a candidate or waits. The slowest lane of a group
/// decides.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LaneLoad {
    /// Lanes that run in lockstep.
    pub lanes: usize,
    /// As the shader does it: all lanes go through their first ranges, then all through their second ones, whichever rows these are in.
    pub walk: f64,
    /// Of these lane-steps, the ones in which any lane has a hit: all lanes wait while it is added.
    pub hits: f64,
    /// If the lanes went through the rows together instead: first the rows above their own cells, then their own rows, and so on.
    pub rows: f64,
    /// If each lane went through a single list of its own candidates instead.
    pub flat: f64,
    /// Agents that a group of lanes loads, each counted once, per looker: the loads that are left if lanes share them or find them in
    /// the fastest cache.
    pub loads: f64,
}

/// The cells whose number of agents is in a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupancy {
    /// The least number of agents in such a cell.
    pub from: u32,
    /// The largest number of agents in such a cell.
    pub to: u32,
    /// The number of these cells.
    pub cells: u32,
    /// The agents in all of them.
    pub agents: u32,
}

/// What one agent that looks goes through.
#[derive(Default)]
struct Looker {
    ranges: Vec<Stretch>,
    /// For each hit the [`Stretch::turn`] of its range, and its index in the range.
    hits: Vec<(u32, u32)>,
}

/// A range that is not empty.
struct Stretch {
    /// The number of ranges, empty ones included, to which the shader's walk came before. A row that the walk does not touch counts as one.
    turn: u32,
    /// The walk that the range is in, and its row: offsets along y and z from the agent's cell.
    row: (u32, i32, i32),
    /// The first sorted index of the range.
    first: u32,
    length: u32,
}

/// Steps of a group of lanes, or sums of them over groups: see [`LaneLoad`].
#[derive(Debug, Clone, Copy, Default)]
struct Steps {
    walk: u64,
    hits: u64,
    rows: u64,
    flat: u64,
    loads: u64,
}

impl std::iter::Sum for Steps {
    fn sum<I: Iterator<Item = Steps>>(all: I) -> Steps {
        let add = |a: Steps, b: Steps| Steps {
            walk: a.walk + b.walk,
            hits: a.hits + b.hits,
            rows: a.rows + b.rows,
            flat: a.flat + b.flat,
            loads: a.loads + b.loads,
        };
        all.fold(Steps::default(), add)
    }
}

impl Load {
    /// The load of the step that follows a state.
    ///
    /// # Errors
    /// A snapshot that is not of the scene, or a scene that the reference refuses.
    pub fn count(scene: &Scene, snapshot: &Snapshot) -> Result<Load, CpuError> {
        let mut simulation = Simulation::new(scene, &snapshot.state(), Execution::Parallel)?;
        simulation.restore(snapshot)?;
        // After these stages it is known which agents steer in this step.
        STAGES.iter().take_while(|stage| stage.id < StageId::Search).for_each(|stage| simulation.run_stage(stage.id));
        let (model, buffers) = (simulation.model(), simulation.buffers());
        let places: Vec<usize> = (0..buffers.sorted_id.len()).filter(|place| buffers.steering[*place].steers).collect();

        // The narrower groups are parts of the widest ones.
        let widest = LANES[LANES.len() - 1];
        let counted: Vec<_> = places.par_chunks(widest).map(|group| count_group(model, buffers, group)).collect();
        let lookers: Vec<[u32; 3]> = counted.iter().flat_map(|(lookers, _)| lookers).copied().collect();
        let each = lookers.len().max(1) as f64;
        let figure = |index: usize| Spread::of(lookers.iter().map(|figures| figures[index]).collect());
        let lanes = LANES.iter().enumerate().map(|(index, &lanes)| {
            let sum =
                |of: fn(&Steps) -> u64| counted.iter().map(|(_, steps)| of(&steps[index])).sum::<u64>() as f64 / each;
            // In each step of a group all its lanes take part.
            let steps = |of| sum(of) * lanes as f64;
            let (walk, hits) = (steps(|s| s.walk), steps(|s| s.hits));
            LaneLoad { lanes, walk, hits, rows: steps(|s| s.rows), flat: steps(|s| s.flat), loads: sum(|s| s.loads) }
        });
        Ok(Load {
            lookers: lookers.len() as u32,
            tests: figure(0),
            hits: figure(1),
            ranges: figure(2),
            lanes: lanes.collect(),
            occupancy: occupancy(&buffers.cell_start[..=model.world.cell_count as usize]),
            unseen: simulation.observe().unseen,
        })
    }

    /// The load of groups of this many lanes, or of the next wider known groups.
    pub fn of_lanes(&self, lanes: u32) -> Option<&LaneLoad> {
        self.lanes.iter().find(|load| load.lanes >= lanes as usize).or(self.lanes.last())
    }

    /// The share of all cells that are empty.
    pub fn empty_cells(&self) -> f64 {
        let all: u32 = self.occupancy.iter().map(|o| o.cells).sum();
        let empty = self.occupancy.iter().filter(|o| o.to == 0).map(|o| o.cells).sum::<u32>();
        f64::from(empty) / f64::from(all.max(1))
    }
}

impl LaneLoad {
    /// The share of lane-steps in which a lane waits for another's longer range. `tests` is the mean of [`Load::tests`].
    pub fn waiting(&self, tests: f64) -> f64 {
        if self.walk > 0.0 { 1.0 - tests / self.walk } else { 0.0 }
    }
}

impl Spread {
    fn of(mut values: Vec<u32>) -> Spread {
        values.sort_unstable();
        let Some(&most) = values.last() else { return Spread::default() };
        let mean = values.iter().map(|value| f64::from(*value)).sum::<f64>() / values.len() as f64;
        Spread { mean, p99: values[(values.len() - 1) * 99 / 100], most }
    }
}

/// Tests, hits and ranges of each agent that looks, and the sums of steps of groups of each of [`LANES`].
fn count_group(model: &CompiledScene, buffers: &Buffers, places: &[usize]) -> (Vec<[u32; 3]>, [Steps; LANES.len()]) {
    let lookers: Vec<Option<Looker>> = places.iter().map(|place| looker(model, buffers, *place)).collect();
    let figures = lookers.iter().flatten().map(|looker| {
        let tests = looker.ranges.iter().map(|range| range.length).sum();
        [tests, looker.hits.len() as u32, looker.ranges.len() as u32]
    });
    let of_group = |group: &[Option<Looker>]| steps_of(&group.iter().flatten().collect::<Vec<_>>());
    (figures.collect(), LANES.map(|lanes| lookers.chunks(lanes).map(of_group).sum()))
}

/// What an agent goes through; `None` if it does not look at neighbors.
fn looker(model: &CompiledScene, buffers: &Buffers, place: usize) -> Option<Looker> {
    let id = buffers.sorted_id[place];
    if id & FROZEN != 0 {
        return None;
    }
    let own = &model.species[model.species_of(id)];
    let radius = own.perception_radius;
    if radius <= 0.0 {
        return None;
    }
    let position = Vec3::from_array(buffers.sorted_position[place]);
    let world = &model.world;
    let home = |axis: usize| ((position[axis] + world.half_size[axis]) * world.cells_per_unit[axis]).floor() as i32;
    let mut looker = Looker::default();
    let mut turn = 0;
    let walks = match own.k_nearest {
        0 => vec![radius],
        // A first walk finds the k nearest; in a spatial world it lists them, so that no second walk is needed.
        k => {
            let reach = distance_of_nearest(model, buffers, place, radius, k);
            let first = (reach * (1.0 + LEAST_MARGIN)).min(radius);
            if model.spatial { vec![first] } else { vec![first, reach] }
        }
    };
    for (walk, radius) in (0..).zip(walks) {
        let mut next_row = 0;
        walk_rows(model, &buffers.cell_start, radius, position, false, |row, first, last, half_shift| {
            turn += row.number.saturating_sub(next_row);
            next_row = row.number + 1;
            if last > first {
                let row = (walk, row.y - home(1), row.z - home(2));
                looker.ranges.push(Stretch { turn, row, first, length: last - first });
            }
            let from_here = position - half_shift;
            for other in first..last {
                let offset = Vec3::from_array(buffers.sorted_position[other as usize]) + half_shift - from_here;
                if other as usize != place && offset.length_squared() <= radius * radius {
                    looker.hits.push((turn, other - first));
                }
            }
            turn += 1;
        });
    }
    Some(looker)
}

/// The distance of the k-th nearest agent, u, or the radius if fewer are within it. An agent that found its k nearest as far away the time
/// before looks so far first.
fn distance_of_nearest(model: &CompiledScene, buffers: &Buffers, place: usize, radius: f32, k: u32) -> f32 {
    let position = Vec3::from_array(buffers.sorted_position[place]);
    let mut squares = Vec::new();
    walk_rows(model, &buffers.cell_start, radius, position, false, |_, first, last, half_shift| {
        let from_here = position - half_shift;
        let others = (first as usize..last as usize).filter(|other| *other != place);
        let offset = |other: usize| Vec3::from_array(buffers.sorted_position[other]) + half_shift - from_here;
        squares.extend(others.map(|other| offset(other).length_squared()));
    });
    squares.sort_unstable_by(f32::total_cmp);
    squares.get(k as usize - 1).map_or(radius, |squared| squared.sqrt().min(radius))
}

fn steps_of(group: &[&Looker]) -> Steps {
    let ranges = || group.iter().flat_map(|looker| &looker.ranges);
    let rows = group.iter().flat_map(|looker| {
        // The ranges of a row are adjacent in the list.
        looker
            .ranges
            .chunk_by(|a, b| a.row == b.row)
            .map(|row| (row[0].row, row.iter().map(|range| range.length).sum()))
    });
    let hits: HashSet<(u32, u32)> = group.iter().flat_map(|looker| &looker.hits).copied().collect();
    let own = group.iter().map(|looker| looker.ranges.iter().map(|range| u64::from(range.length)).sum());
    Steps {
        walk: longest(ranges().map(|range| (range.turn, range.length))),
        hits: hits.len() as u64,
        rows: longest(rows),
        flat: own.max().unwrap_or(0),
        loads: covered(ranges().map(|range| (range.row.0, range.first, range.first + range.length)).collect()),
    }
}

/// The number of agents in these ranges, given as walk, first and last sorted index; each agent counts once in a walk.
fn covered(mut ranges: Vec<(u32, u32, u32)>) -> u64 {
    ranges.sort_unstable();
    let (mut all, mut reached) = (0, (0, 0));
    for (walk, first, last) in ranges {
        let from = if reached.0 == walk { first.max(reached.1) } else { first };
        all += u64::from(last.saturating_sub(from));
        reached = (walk, from.max(last));
    }
    all
}

/// The sum over all keys of the longest length of each key.
fn longest<K: Eq + Hash>(lengths: impl Iterator<Item = (K, u32)>) -> u64 {
    let mut longest: HashMap<K, u32> = HashMap::new();
    for (key, length) in lengths {
        let most = longest.entry(key).or_default();
        *most = (*most).max(length);
    }
    longest.values().map(|length| u64::from(*length)).sum()
}

/// Cells by their number of agents: 0, then from each power of two to before the next. `cell_start` ends with the end of the last cell.
fn occupancy(cell_start: &[u32]) -> Vec<Occupancy> {
    let mut rows: Vec<Occupancy> = Vec::new();
    for pair in cell_start.windows(2) {
        let agents = pair[1] - pair[0];
        let class = (u32::BITS - agents.leading_zeros()) as usize;
        while rows.len() <= class {
            let from = if rows.is_empty() { 0 } else { 1 << (rows.len() - 1) };
            let to = if rows.is_empty() { 0 } else { from * 2 - 1 };
            rows.push(Occupancy { from, to, cells: 0, agents: 0 });
        }
        rows[class].cells += 1;
        rows[class].agents += agents;
    }
    rows
}
