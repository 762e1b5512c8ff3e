//! Twin of `shaders/behaviors/wander_random.wgsl`: noise, a random force in every step.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::vector::direction;
use crate::model::WanderRandom;
use crate::model::random::STREAM_WANDER_RANDOM;
use glam::Vec3;

/// The acceleration before the behavior's weight, which is in u/s^1.5: times the weight it is in u/s².
pub fn wander_random_steer(_wander_random: &WanderRandom, agent: &Agent) -> Vec3 {
    let push = direction(agent.seed, agent.spatial, agent.id, agent.step, STREAM_WANDER_RANDOM);
    let root = agent.interval.sqrt();
    if agent.moves_as_desired { push * (root / agent.time_constant) } else { push / root }
}
