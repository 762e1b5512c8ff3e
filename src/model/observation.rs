//! What a run reports about its state: the digest and the flock's simplest observables.

use super::{FROZEN, State};
use crate::scene::Scene;

/// Words that one workgroup of the stage `observe` writes for each species.
pub const WORDS: usize = 19;
/// From this word on two words hold one sum, a lower and an upper half.
const PAIRS: usize = 9;
/// Agents that one invocation of it goes through on a GPU.
pub const AGENTS_PER_SHARE: u32 = 16;
/// The same on an adapter that computes on the CPU, where more invocations gain nothing. One word holds a sum over so many agents, but
/// over no more than 255; a sum over a workgroup takes two words.
pub const AGENTS_PER_LONG_SHARE: u32 = 128;

const FIXED_POINT: f64 = 1048576.0;

/// Totals over all agents. Sums of integers, so the same on every backend and in every order.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// 128-bit digest of every agent's id, position and velocity.
    pub digest: [u32; 4],
    /// Length of the mean heading, 0 (no order) to 1 (all fly one way); agents at rest count as 0.
    pub polarization: f64,
    /// Mean speed, u/s.
    pub mean_speed: f64,
    /// Mean number of neighbors that at least one behavior perceived in the latest step.
    pub mean_neighbors: f64,
    /// Agents whose state was not finite; they are frozen, and no agent perceives them.
    pub bad_agents: u32,
    /// Agents whose loops the driver cut off in the latest step: the step is not valid.
    pub cut_off: u32,
    /// Was any agent cut off in any step since the state was set? Then the state is not valid.
    pub ever_cut_off: bool,
    /// Agents that nobody perceived in the latest step, because their cells held more than `world.crowd`.
    pub unseen: u32,
    /// The smallest id among the bad agents and those cut off.
    pub first_bad: Option<u32>,
    /// The means of each species by itself.
    pub species: Vec<Means>,
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

/// What the words of some workgroups add up to.
#[derive(Debug, Clone, Default)]
struct Sums {
    digest: [u32; 4],
    bad: u32,
    cut_off: u32,
    inverse_id: u32,
    ever_cut_off: bool,
    unseen: u32,
    pairs: [i64; (WORDS - PAIRS) / 2],
}

impl Sums {
    fn add(&mut self, group: &[u32]) {
        for (total, word) in self.digest.iter_mut().zip(group) {
            *total = total.wrapping_add(*word);
        }
        self.bad += group[4];
        self.cut_off += group[5];
        self.inverse_id = self.inverse_id.max(group[6]);
        self.ever_cut_off |= group[7] != 0;
        self.unseen += group[8];
        for (total, pair) in self.pairs.iter_mut().zip(group[PAIRS..].chunks_exact(2)) {
            *total += i64::from(pair[0]) + (i64::from(pair[1] as i32) << 16);
        }
    }

    /// The means over so many agents, of which the bad ones do not count.
    fn means(&self, agents: u32, top_speed: f32) -> Means {
        let [x, y, z, speed, neighbors] = self.pairs;
        let moving = f64::from(agents.saturating_sub(self.bad).max(1));
        let heading = [x, y, z].map(|h| h as f64 / FIXED_POINT / moving);
        Means {
            polarization: heading.iter().map(|h| h * h).sum::<f64>().sqrt().min(1.0),
            mean_speed: speed as f64 / FIXED_POINT / moving * f64::from(top_speed),
            mean_neighbors: neighbors as f64 / moving,
        }
    }
}

impl Observation {
    /// Add up the words that the stage `observe` wrote: for each workgroup those of each species in turn, which have so many agents.
    pub fn from_words(words: &[u32], agents: &[u32], top_speed: f32) -> Self {
        let (mut all, mut each) = (Sums::default(), vec![Sums::default(); agents.len()]);
        for (row, words) in words.chunks_exact(WORDS).enumerate() {
            all.add(words);
            each[row % agents.len()].add(words);
        }
        let Means { polarization, mean_speed, mean_neighbors } = all.means(agents.iter().sum(), top_speed);
        Observation {
            digest: all.digest,
            polarization,
            mean_speed,
            mean_neighbors,
            bad_agents: all.bad,
            cut_off: all.cut_off,
            ever_cut_off: all.ever_cut_off,
            unseen: all.unseen,
            first_bad: (all.bad + all.cut_off > 0).then_some(!all.inverse_id & !FROZEN),
            species: each.iter().zip(agents).map(|(sums, agents)| sums.means(*agents, top_speed)).collect(),
        }
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
/// average, over the variance that chance alone gives. 1 where they are spread evenly, more where they flock. None where
/// there are too few agents for four cells. Agents outside of the world and frozen ones do not count.
pub fn density_contrast(state: &State, scene: &Scene) -> Option<f64> {
    let size = scene.world.size;
    let dimensions: u8 = if scene.world.spatial { 3 } else { 2 };
    let volume: f64 = (0..dimensions.into()).map(|axis: usize| f64::from(size[axis])).product();
    let edge = (volume * 32.0 / state.positions.len().max(1) as f64).powf(1.0 / f64::from(dimensions));
    let mut cells = [1usize; 3];
    for axis in 0..dimensions.into() {
        cells[axis] = (f64::from(size[axis]) / edge).round().clamp(1.0, 4096.0) as usize;
    }
    let mut counts = vec![0u32; cells.iter().product()];
    let mut total = 0u32;
    for (position, _) in state.positions.iter().zip(&state.frozen).filter(|(_, frozen)| !**frozen) {
        let place = [0, 1, 2].map(|axis| match cells[axis] {
            1 => 0.0,
            count => (position[axis] / size[axis] + 0.5) * count as f32,
        });
        if (0..3).all(|axis| place[axis] >= 0.0 && place[axis] < cells[axis] as f32) {
            let [x, y, z] = place.map(|p| p as usize);
            counts[(z * cells[1] + y) * cells[0] + x] += 1;
            total += 1;
        }
    }
    if counts.len() < 4 || total == 0 {
        return None;
    }
    let mean = f64::from(total) / counts.len() as f64;
    let squares: f64 = counts.iter().map(|&count| (f64::from(count) - mean).powi(2)).sum();
    Some(squares / (counts.len() - 1) as f64 / mean)
}
