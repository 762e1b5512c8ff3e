//! What the search for neighbors works through in a step: counted from a state, by the reference's own walk.

use crate::cpu::common::walk::walk_rows;
use crate::cpu::{Buffers, CpuError, Execution, Simulation};
use crate::model::{CompiledScene, FROZEN, STAGES, Snapshot, StageId};
use crate::scene::Scene;
use glam::Vec3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// Numbers of lanes that run in step: a software driver's, NVIDIA's and Apple's, and the older of AMD's.
pub const LANES: [usize; 3] = [8, 32, 64];

/// How much the agents that look in a step have to work through.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Agents that look in this step: not frozen ones, not ones that skip it, and not ones without a behavior that looks.
    pub lookers: u32,
    /// Agents that each looks at to know whether they are near.
    pub tests: Spread,
    /// Tested candidates within the perception radius.
    pub hits: Spread,
    /// Ranges of agents that each goes through, without empty ones.
    pub ranges: Spread,
    /// What that comes to where agents are computed in groups that run in step, for each of [`LANES`].
    pub lanes: Vec<LaneLoad>,
    /// How many cells hold how many agents.
    pub occupancy: Vec<Occupancy>,
    /// Agents that are set aside from cells of more than `world.crowd`: these show the others only.
    pub unseen: u32,
}

/// A figure of agents.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Spread {
    /// Its mean.
    pub mean: f64,
    /// Of a hundred agents, 99 have at most this.
    pub p99: u32,
    /// The largest.
    pub most: u32,
}

/// Steps of lanes that run in step, for each agent that looks: the slowest lane decides.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LaneLoad {
    /// Lanes that run in step.
    pub lanes: usize,
    /// As they go: each through its first range, then each through its second, whichever rows these are in.
    pub walk: f64,
    /// Of these steps, the ones in which any lane has a hit: all wait while it is added.
    pub hits: f64,
    /// Where they went through the rows together: first the rows above their own cells, then their own rows, and so on.
    pub rows: f64,
    /// Where each went through a list of its own.
    pub flat: f64,
    /// Agents that the lanes of a group load, each counted once: what is left where lanes share their loads or find them in
    /// the fastest cache.
    pub loads: f64,
}

/// Cells with about so many agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupancy {
    /// From this number,
    pub from: u32,
    /// to this one.
    pub to: u32,
    /// How many cells.
    pub cells: u32,
    /// Agents in them.
    pub agents: u32,
}

/// What one agent goes through.
#[derive(Default)]
struct Looker {
    ranges: Vec<Stretch>,
    /// The range of each hit, as [`Stretch::turn`], and its place in it.
    hits: Vec<(u32, u32)>,
}

/// A range that is not empty.
struct Stretch {
    /// How many ranges the shader's walk came to before; in a row that is not touched it has one.
    turn: u32,
    /// Its row, seen from the agent's cell along y and z, and by the walk that it is in.
    row: (u32, i32, i32),
    /// Its first sorted index.
    first: u32,
    length: u32,
}

/// Sums over a group of lanes.
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

        // The groups of each width lie within the widest groups.
        let widest = LANES[LANES.len() - 1];
        let counted: Vec<_> = places.par_chunks(widest).map(|group| count_group(model, buffers, group)).collect();
        let lookers: Vec<[u32; 3]> = counted.iter().flat_map(|(lookers, _)| lookers).copied().collect();
        let each = lookers.len().max(1) as f64;
        let figure = |index: usize| Spread::of(lookers.iter().map(|figures| figures[index]).collect());
        let lanes = LANES.iter().enumerate().map(|(index, &lanes)| {
            let sum =
                |of: fn(&Steps) -> u64| counted.iter().map(|(_, steps)| of(&steps[index])).sum::<u64>() as f64 / each;
            // Of steps each lane has its part.
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

    /// What groups of this many lanes go through; of the next known width.
    pub fn of_lanes(&self, lanes: u32) -> Option<&LaneLoad> {
        self.lanes.iter().find(|load| load.lanes >= lanes as usize).or(self.lanes.last())
    }

    /// The share of all cells in which nobody is.
    pub fn empty_cells(&self) -> f64 {
        let all: u32 = self.occupancy.iter().map(|o| o.cells).sum();
        let empty = self.occupancy.iter().filter(|o| o.to == 0).map(|o| o.cells).sum::<u32>();
        f64::from(empty) / f64::from(all.max(1))
    }
}

impl LaneLoad {
    /// The share of lane-steps in which a lane waits for another's longer range.
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

/// Tests, hits and ranges of each agent that looks, and the steps of groups of each of [`LANES`].
fn count_group(model: &CompiledScene, buffers: &Buffers, places: &[usize]) -> (Vec<[u32; 3]>, [Steps; LANES.len()]) {
    let lookers: Vec<Option<Looker>> = places.iter().map(|place| looker(model, buffers, *place)).collect();
    let figures = lookers.iter().flatten().map(|looker| {
        let tests = looker.ranges.iter().map(|range| range.length).sum();
        [tests, looker.hits.len() as u32, looker.ranges.len() as u32]
    });
    let of_group = |group: &[Option<Looker>]| steps_of(&group.iter().flatten().collect::<Vec<_>>());
    (figures.collect(), LANES.map(|lanes| lookers.chunks(lanes).map(of_group).sum()))
}

/// What an agent goes through; none where it does not look.
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
        // The k nearest are known at the end of a walk of its own, which lists them in space.
        k => {
            let reach = distance_of_nearest(model, buffers, place, radius, k);
            let first = (reach * (1.0 + LEAST_MARGIN)).min(radius);
            if model.spatial { vec![first] } else { vec![first, reach] }
        }
    };
    for (walk, radius) in (0..).zip(walks) {
        let mut next_row = 0;
        walk_rows(model, &buffers.cell_start, radius, position, false, |row, first, last, half_way| {
            turn += row.number.saturating_sub(next_row);
            next_row = row.number + 1;
            if last > first {
                let row = (walk, row.y - home(1), row.z - home(2));
                looker.ranges.push(Stretch { turn, row, first, length: last - first });
            }
            let from_here = position - half_way;
            for other in first..last {
                let offset = Vec3::from_array(buffers.sorted_position[other as usize]) + half_way - from_here;
                if other as usize != place && offset.length_squared() <= radius * radius {
                    looker.hits.push((turn, other - first));
                }
            }
            turn += 1;
        });
    }
    Some(looker)
}

/// How far the k-th nearest is, u; the radius where fewer are within it. So far an agent looks first that found as many as far away the
/// time before.
fn distance_of_nearest(model: &CompiledScene, buffers: &Buffers, place: usize, radius: f32, k: u32) -> f32 {
    let position = Vec3::from_array(buffers.sorted_position[place]);
    let mut squares = Vec::new();
    walk_rows(model, &buffers.cell_start, radius, position, false, |_, first, last, half_way| {
        let from_here = position - half_way;
        let others = (first as usize..last as usize).filter(|other| *other != place);
        let offset = |other: usize| Vec3::from_array(buffers.sorted_position[other]) + half_way - from_here;
        squares.extend(others.map(|other| offset(other).length_squared()));
    });
    squares.sort_unstable_by(f32::total_cmp);
    squares.get(k as usize - 1).map_or(radius, |squared| squared.sqrt().min(radius))
}

/// How much farther it looks where nothing changes: as in `shaders/common/vision.wgsl`.
pub const LEAST_MARGIN: f32 = 0.02;

fn steps_of(group: &[&Looker]) -> Steps {
    let ranges = || group.iter().flat_map(|looker| &looker.ranges);
    let rows = group.iter().flat_map(|looker| {
        // Ranges of a row come one after another.
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

/// How many agents lie in these ranges, each once in a walk.
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

/// The sum over the keys of the longest length of each.
fn longest<K: Eq + Hash>(lengths: impl Iterator<Item = (K, u32)>) -> u64 {
    let mut longest: HashMap<K, u32> = HashMap::new();
    for (key, length) in lengths {
        let most = longest.entry(key).or_default();
        *most = (*most).max(length);
    }
    longest.values().map(|length| u64::from(*length)).sum()
}

/// Cells by their number of agents: none, and from each power of two to the next. `cell_start` ends with the end of the last cell.
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
