//! Twins of `shaders/behaviors`: same names, same operations in the same order.
//!
//! The build script lists the files of this folder and writes the calls. [`crate::scene::calls::Part`] says which functions a
//! behavior may have and what each returns; the types of a function's parameters say what is passed.

use crate::cpu::Buffers;
use crate::cpu::common::agent::{Agent, Turner};
use crate::cpu::common::goals::find_goal;
use crate::cpu::common::target::Goal;
use crate::cpu::common::vision::{FARTHEST, Neighbor, Ranking, ranking_of, ranking_see, sees};
use crate::model::{BehaviorMemories, Behaviors, CompiledScene, Rule, Species, Target};
use glam::Vec3;

include!(concat!(env!("OUT_DIR"), "/twins.rs"));

/// What the behaviors of one agent can read.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// Parameters.
    pub model: &'a CompiledScene,
    /// All agents.
    pub buffers: &'a Buffers,
    /// The agent's species.
    pub own: &'a Species,
    /// The agent.
    pub agent: Agent,
    /// The sorted indices that its queries found.
    pub query_results: [u32; 4],
}

impl Scope<'_> {
    /// What a target names, as a goal of the agent.
    pub fn goal(&self, target: Target) -> Goal {
        find_goal(self.model, self.buffers, target, self.own, &self.agent, self.query_results)
    }
}
