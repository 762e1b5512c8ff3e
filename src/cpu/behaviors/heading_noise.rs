//! Twin of `shaders/behaviors/heading_noise.wgsl`: the mean heading of the neighbors and itself, turned by a random angle (Vicsek).

use crate::cpu::common::agent::Agent;
use crate::cpu::common::vision::{Neighbor, sees};
use crate::model::HeadingNoise;
use glam::Vec3;

/// What is summed over the neighbors.
#[derive(Clone, Copy, Default)]
pub struct HeadingNoiseSum {
    count: u32,
}

/// Add one neighbor.
pub fn heading_noise_add(sum: HeadingNoiseSum, heading_noise: &HeadingNoise, neighbor: &Neighbor) -> HeadingNoiseSum {
    HeadingNoiseSum { count: sum.count + u32::from(sees(heading_noise.vision, neighbor)) }
}

/// u/s² before its weight.
pub fn heading_noise_resolve(_sum: HeadingNoiseSum, _heading_noise: &HeadingNoise, _agent: &Agent) -> Vec3 {
    Vec3::ZERO
}
