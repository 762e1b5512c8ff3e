//! Compares the neighbors that a sample of agents perceive with those of the brute-force oracle. The rows of a report compare
//! the GPU with the reference; this finds a mistake that both share, such as agents at places that no walk of the grid visits.

use crate::cpu::Simulation;
use crate::cpu::brute_force::{AT_THRESHOLD, Screens, perceive, sorted_state};
use crate::model::FROZEN;
use crate::scene::Scene;
use rayon::prelude::*;
use serde::Serialize;

/// The most agents that are sampled in all steps together, and the most pairs that are tested for them: with a million agents this takes
/// a second.
const AGENTS: u64 = 1024;
const PAIRS: u64 = 1 << 30;

/// The neighbors that the agents of a sample perceive, by the oracle and by the reference.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OracleSample {
    /// Agents compared, an agent once for each step in which it was sampled. Agents with a pair at the edge of a radius or angle are left
    /// out.
    pub compared: u64,
    /// Neighbors that the oracle found for them.
    pub neighbors: u64,
    /// Agents that perceive other neighbors than the oracle finds.
    pub differing: u64,
    /// The first of these agents.
    pub first: Option<Missed>,
}

/// An agent that perceives other neighbors than the oracle finds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missed {
    /// Step, from 0.
    pub step: u32,
    /// The agent.
    pub agent: u32,
    /// Number of neighbors that the oracle finds.
    pub oracle: usize,
    /// Number of neighbors that the agent perceives.
    pub found: usize,
    /// The smallest id that only one of both has as a neighbor.
    pub other: Option<u32>,
}

impl OracleSample {
    /// Did all agents of the sample perceive the right neighbors?
    pub fn pass(&self) -> bool {
        self.differing == 0
    }

    /// Sample agents in the step that the reference is in, `step` of `steps`: to be called after its stage `gather` and before its stage
    /// `integrate`.
    pub fn add(&mut self, scene: &Scene, reference: &Simulation, step: u32, steps: u32) {
        let buffers = reference.buffers();
        let agents = buffers.sorted_id.len() as u64;
        let sampled = (AGENTS.min(PAIRS / agents.max(1)) / u64::from(steps.max(1))).max(1).min(agents);
        let state = sorted_state(&reference.model().world, buffers);
        let sorted_index = |sample: u64| ((sample * agents / sampled + u64::from(step)) % agents) as usize;
        let look = |sample: u64| {
            let sorted_index = sorted_index(sample);
            let id = buffers.sorted_id[sorted_index];
            if id & FROZEN != 0 {
                return None;
            }
            let expected = perceive(scene, &Screens::of(reference.model()), &state, id as usize);
            let found = reference.perceived_by(sorted_index);
            (expected.nearest_threshold > AT_THRESHOLD).then_some((id, expected.neighbors, found))
        };
        let looks: Vec<_> = (0..sampled).into_par_iter().filter_map(look).collect();
        for (agent, expected, found) in looks {
            self.compared += 1;
            self.neighbors += expected.len() as u64;
            if expected != found {
                self.differing += 1;
                let one = |a: &[u32], b: &[u32]| a.iter().find(|id| !b.contains(id)).copied();
                let other = [one(&expected, &found), one(&found, &expected)].into_iter().flatten().min();
                let (oracle, found) = (expected.len(), found.len());
                self.first.get_or_insert(Missed { step, agent, oracle, found, other });
            }
        }
    }
}
