//! Listeners: the functions that compute an agent's steering report each result to one.

use super::behaviors::Scope;
use super::common::combination::{Added, PriorityOutcome};
use super::common::vision::Neighbor;
use crate::model::Rule;
use glam::Vec3;

/// A listener, to which the functions that compute an agent's steering report. `()` ignores all reports, and costs nothing.
pub trait Watch {
    /// A neighbor that at least one behavior perceives: bit b is set for the behavior with index b.
    fn perceives(&mut self, _neighbor: &Neighbor, _behaviors: u64) {}
    /// The action state; the state before, and the step in which that one began; the index of the rule that held, if one did.
    fn chose(&mut self, _scope: &Scope<'_>, _state: u32, _before: [u32; 2], _rule: Option<usize>) {}
    /// What a behavior says, and what is added of it.
    fn says(&mut self, _scope: &Scope<'_>, _rule: Rule, _said: Vec3, _added: Added) {}
    /// What is taken of a priority.
    fn on_priority(&mut self, _angular: bool, _outcome: PriorityOutcome) {}
    /// The accelerations that result, u/s²: of all behaviors combined, the same smoothed, and the one away from contained walls.
    fn sums(&mut self, _agent: &Scope<'_>, _sums: [Vec3; 3]) {}
}

impl Watch for () {}

/// Collects the ids of all neighbors.
impl Watch for Vec<u32> {
    fn perceives(&mut self, neighbor: &Neighbor, _: u64) {
        self.push(neighbor.id);
    }
}
