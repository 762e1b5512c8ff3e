//! What a run reports about its state: the digest and the flock's simplest observables.

use super::measured::{FIXED_POINT, Measures, contrast, density_cells, equal_cell, index_of};
use super::{ID_BITS, State};
pub(crate) use crate::constants::{PAIRS, TAIL_WORDS, WORDS};
use crate::scene::Scene;
use glam::Vec3;
use std::ops::Range;

/// Tails that one layer of the dispatch of `observe` sums up.
pub(crate) const TAILS: usize = 4;
/// Agents that one invocation of `observe` loops over on a GPU.
pub const AGENTS_PER_SHARE: u32 = 16;
/// The same on an adapter that computes on the CPU, where more invocations gain nothing. At most 255: the sum of an invocation has to fit
/// into one word. (The sum of a workgroup takes two.)
pub const AGENTS_PER_LONG_SHARE: u32 = 240;

/// The number of layers of the dispatch of `observe` for this many species, and the words that a workgroup writes in each layer.
pub fn layers_of(species: usize) -> (usize, usize) {
    let tails = species.saturating_sub(1);
    (tails.div_ceil(TAILS).max(1), if tails > 0 { WORDS + TAILS * TAIL_WORDS } else { WORDS })
}

/// Totals over all agents. Sums of integers, so the same on every backend and in every order.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// 128-bit digest of every agent's id, position and velocity.
    pub digest: [u32; 4],
    /// Length of the mean heading, 0 (no order) to 1 (all fly one way); agents at rest count as 0.
    pub polarization: f64,
    /// Mean speed, u/s.
    pub mean_speed: f64,
    /// Mean number of neighbors that at least one behavior perceived when an agent last steered.
    pub mean_neighbors: f64,
    /// Agents whose state was not finite; they are frozen, and no agent perceives them.
    pub bad_agents: u32,
    /// Agents whose loops the driver cut off in the latest step: the step is not valid.
    pub cut_off: u32,
    /// Was any agent cut off in any step since the state was set? Then the state is not valid.
    pub ever_cut_off: bool,
    /// Agents that no agent could perceive in the latest step, because their cells held more than `world.crowd` agents.
    pub unseen: u32,
    /// The smallest id among the bad agents and the agents cut off.
    pub first_bad: Option<u32>,
    /// The means of each species by itself.
    pub species: Vec<Means>,
    /// Agents of each species that are away: they have left, or have not entered yet.
    pub away: Vec<u32>,
    /// For each line the number of crossings since the start: from its left to its right, and back.
    pub crossed: Vec<[u32; 2]>,
    /// The further observables that the scene asks for, column by column; empty unless they were measured, as
    /// [`Engine::observe`](crate::engine::Engine::observe) does.
    pub requested: Vec<Option<f64>>,
    /// True if `requested` is not valid, because the driver cut a loop of the measurement off.
    pub unmeasured: bool,
}

/// Means over agents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Means {
    /// Length of their mean heading.
    pub polarization: f64,
    /// Their mean speed, u/s.
    pub mean_speed: f64,
    /// Mean number of their neighbors.
    pub mean_neighbors: f64,
}

/// Sums over some of the agents, added up from the words of workgroups.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    /// Frozen agents, and how many of them are away.
    frozen: u32,
    away: u32,
    pairs: [i64; (WORDS - PAIRS) / 2],
}

impl Sums {
    fn add(&mut self, [frozen, away]: [u32; 2], pairs: &[u32]) {
        self.frozen += frozen;
        self.away += away;
        for (total, pair) in self.pairs.iter_mut().zip(pairs.chunks_exact(2)) {
            *total += i64::from(pair[0]) + (i64::from(pair[1] as i32) << 16);
        }
    }

    fn without(mut self, others: &Sums) -> Sums {
        self.frozen -= others.frozen;
        self.away -= others.away;
        self.pairs.iter_mut().zip(others.pairs).for_each(|(sum, other)| *sum -= other);
        self
    }

    /// The means over `agents` agents, without those of them that are frozen.
    fn means(&self, agents: u32, top_speed: f32) -> Means {
        let [x, y, z, speed, neighbors] = self.pairs;
        let moving = f64::from(agents.saturating_sub(self.frozen).max(1));
        let heading = [x, y, z].map(|h| h as f64 / FIXED_POINT / moving);
        Means {
            polarization: heading.iter().map(|h| h * h).sum::<f64>().sqrt().min(1.0),
            mean_speed: speed as f64 / FIXED_POINT / moving * f64::from(top_speed),
            mean_neighbors: neighbors as f64 / moving,
        }
    }
}

impl Observation {
    /// Add up the words that the stage `observe` wrote: one block for each workgroup, layer after layer. `agents` has the number of agents
    /// of each species.
    pub fn from_words(words: &[u32], agents: &[u32], top_speed: f32) -> Self {
        let (layers, width) = layers_of(agents.len());
        let (mut digest, mut cut_off, mut inverse_id, mut ever_cut_off, mut unseen) = ([0u32; 4], 0, 0, false, 0);
        // The first tail sums over all agents; the one behind the last species is empty.
        let mut tails = vec![Sums::default(); agents.len() + 1];
        for group in words.chunks_exact(layers * width) {
            digest = std::array::from_fn(|word| digest[word].wrapping_add(group[word]));
            cut_off += group[5];
            inverse_id = group[6].max(inverse_id);
            ever_cut_off |= group[7] != 0;
            unseen += group[8];
            tails[0].add([group[4], group[9]], &group[PAIRS..WORDS]);
            let found = group.chunks_exact(width).flat_map(|layer| layer[WORDS..].chunks_exact(TAIL_WORDS));
            for (sums, tail) in tails.iter_mut().skip(1).zip(found).take(agents.len().saturating_sub(1)) {
                sums.add([tail[0], tail[1]], &tail[2..]);
            }
        }
        let all = tails[0];
        let each: Vec<Sums> = tails.windows(2).map(|tails| tails[0].without(&tails[1])).collect();
        let bad_agents = all.frozen - all.away;
        let Means { polarization, mean_speed, mean_neighbors } = all.means(agents.iter().sum(), top_speed);
        Observation {
            digest,
            polarization,
            mean_speed,
            mean_neighbors,
            bad_agents,
            cut_off,
            ever_cut_off,
            unseen,
            first_bad: (bad_agents + cut_off > 0).then_some(!inverse_id & ID_BITS),
            species: each.iter().zip(agents).map(|(sums, agents)| sums.means(*agents, top_speed)).collect(),
            away: each.iter().map(|sums| sums.away).collect(),
            crossed: Vec::new(),
            requested: Vec::new(),
            unmeasured: false,
        }
    }

    /// This observation with the counts in the words of the buffer `crossed`.
    pub(crate) fn with_crossed(self, words: &[u32]) -> Self {
        Observation { crossed: bytemuck::pod_collect_to_vec(words), ..self }
    }

    /// This observation with the further observables in the words of the buffer `measured`.
    pub(crate) fn with_measured(self, measures: &Measures, words: &[u32]) -> Self {
        let gone = self.bad_agents + self.away.iter().sum::<u32>();
        let there = measures.agents.saturating_sub(gone);
        Observation { requested: measures.values(there, words), unmeasured: Measures::cut_off(words), ..self }
    }

    /// The means of all agents.
    pub fn means(&self) -> Means {
        let Observation { polarization, mean_speed, mean_neighbors, .. } = *self;
        Means { polarization, mean_speed, mean_neighbors }
    }

    /// The digest as 32 hexadecimal digits.
    pub fn digest_hex(&self) -> String {
        self.digest.iter().map(|word| format!("{word:08x}")).collect()
    }
}

/// How unevenly the agents are spread: the variance of their number in equal cells of the world, which hold 32 agents on
/// average, over the variance that chance alone gives. 1 where they are spread at random, more where they flock. None where
/// there are too few agents for four cells. Agents outside of the world and frozen ones do not count.
pub fn density_contrast(state: &State, scene: &Scene) -> Option<f64> {
    let (counts, _) = cell_counts(state, scene);
    let counts = || counts.iter().map(|count| f64::from(*count));
    contrast(counts().count() as f64, counts().sum(), counts().map(|count| count * count).sum())
}

/// As the observable `density`, on the host, around the agents with these ids alone: how many agents, of all species, lie in the cell of
/// each of them, on average, over the volume of a cell. None where all of them are frozen or outside of the world.
pub fn density(state: &State, scene: &Scene, ids: Range<usize>) -> Option<f64> {
    let (counts, cells) = cell_counts(state, scene);
    let around: Vec<f64> = cells.get(ids)?.iter().flatten().map(|cell| f64::from(counts[*cell])).collect();
    let cell = scene.world.volume() / counts.len() as f64;
    (!around.is_empty()).then(|| around.iter().sum::<f64>() / around.len() as f64 / cell)
}

/// The number of agents in each of equal cells of the world, and the cell of each agent, if it has one.
fn cell_counts(state: &State, scene: &Scene) -> (Vec<u32>, Vec<Option<usize>>) {
    let along = density_cells(scene, state.positions.len() as u32);
    let mut counts = vec![0; along.iter().product::<u32>() as usize];
    let agents = state.positions.iter().zip(&state.frozen);
    let cell = |(position, frozen): (&[f32; 3], &bool)| {
        let cell = equal_cell(scene.world.size, Vec3::from(*position), along).filter(|_| !frozen)?;
        Some(index_of(cell, along))
    };
    let cells: Vec<Option<usize>> = agents.map(cell).collect();
    cells.iter().flatten().for_each(|cell| counts[*cell] += 1);
    (counts, cells)
}
