//! Twin of `shaders/common/census.wgsl`: the sums over all agents of the world, for behaviors with unlimited vision.

use crate::cpu::Buffers;
use crate::cpu::common::fixed_point::from_fixed_point;
use crate::model::CompiledScene;
use glam::Vec3;

/// Three consecutive sums, from index `first` on, as a vector.
fn census_of(buffers: &Buffers, first: usize) -> Vec3 {
    let sum = |sum: usize| u64::from(buffers.census_sums[2 * sum]) | u64::from(buffers.census_sums[2 * sum + 1]) << 32;
    Vec3::from_array([0, 1, 2].map(|axis| from_fixed_point(sum(first + axis))))
}

/// Number of agents that are not frozen; at least 1, because it is a divisor. It would be 0 only where no agent steers.
pub fn agents_counted(buffers: &Buffers) -> u32 {
    buffers.census_sums[12].max(1)
}

/// The mean velocity of all agents, u/s.
pub fn mean_velocity(model: &CompiledScene, buffers: &Buffers) -> Vec3 {
    census_of(buffers, 0) * (model.world.top_speed / agents_counted(buffers) as f32)
}

/// Number of agents that have a heading, because they do not stand still.
pub fn headings_counted(buffers: &Buffers) -> u32 {
    buffers.census_sums[14]
}

/// The sum of the headings of all agents.
pub fn sum_of_headings(buffers: &Buffers) -> Vec3 {
    census_of(buffers, 3)
}
