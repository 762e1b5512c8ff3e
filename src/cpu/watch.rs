//! Listeners, which are told how an agent steers while it does.

use super::behaviors::Scope;
use super::common::combination::{Added, Heard};
use super::common::vision::Neighbor;
use crate::model::Rule;
use glam::Vec3;

/// A listener, which is told how an agent steers while it does. `()` does not listen, and costs nothing.
pub trait Watch {
    /// A neighbor that at least one behavior perceives: bit b is set for the behavior with index b.
    fn perceives(&mut self, _neighbor: &Neighbor, _behaviors: u64) {}
    /// The action state, the one before and the step in which that began, and the rule that held.
    fn chose(&mut self, _scope: &Scope<'_>, _state: u32, _before: [u32; 2], _rule: Option<usize>) {}
    /// What a behavior says, and what is added of it.
    fn says(&mut self, _scope: &Scope<'_>, _rule: Rule, _said: Vec3, _added: Added) {}
    /// What is taken of a priority.
    fn hears(&mut self, _angular: bool, _heard: Heard) {}
    /// What it comes to: combined, smoothed, from walls.
    fn sums(&mut self, _agent: &Scope<'_>, _sums: [Vec3; 3]) {}
}

impl Watch for () {}

/// The ids of all neighbors.
impl Watch for Vec<u32> {
    fn perceives(&mut self, neighbor: &Neighbor, _: u64) {
        self.push(neighbor.id);
    }
}
