//! Twin of `shaders/behaviors/explore.wgsl`: toward what was visited least.

use crate::cpu::common::agent::Agent;
use crate::model::Explore;
use glam::Vec3;

/// u/s² before its weight.
pub fn explore_steer(_explore: &Explore, _agent: &Agent) -> Vec3 {
    Vec3::ZERO
}
