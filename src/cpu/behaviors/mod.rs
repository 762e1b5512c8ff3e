//! Twins of `shaders/behaviors`: same names, same operations in the same order.
//!
//! The build script lists the files of this folder and writes the calls, by what the functions of each take:
//!
//! | function | gives |
//! | --- | --- |
//! | `NAME_steer` | the acceleration of an individual behavior, u/s² before its weight |
//! | `NAME_turn` | the angular acceleration of an angular one, rad/s² before its weight |
//! | `NAME_add`, `NAME_resolve` | the sum over the neighbors of a neighborhood behavior, and its acceleration |
//! | `NAME_add_coincident` | the sum with an agent at the very same point, which has no offset |
//! | `NAME_remember` | what the behavior remembers after a step, also after one in which the agent does not steer |

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
    /// What a target names.
    pub fn goal(&self, target: Target) -> Goal {
        find_goal(self.model, self.buffers, target, self.own, &self.agent, self.query_results)
    }
}
