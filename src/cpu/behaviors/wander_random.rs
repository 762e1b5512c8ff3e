//! Twin of `shaders/behaviors/wander_random.wgsl`: a random force in every step: twitchy, for comparison.

use crate::cpu::common::agent::Agent;
use crate::model::WanderRandom;
use glam::Vec3;

/// u/s² before its weight.
pub fn wander_random_steer(_wander_random: &WanderRandom, _agent: &Agent) -> Vec3 {
    Vec3::ZERO
}
