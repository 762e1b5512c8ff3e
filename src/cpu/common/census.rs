//! Twin of `shaders/common/census.wgsl`: the sums over all agents of the world, for behaviors with unlimited vision.

use crate::cpu::Buffers;
use crate::cpu::common::fixed_point::from_fixed_point;
use crate::model::Model;
use glam::Vec3;

/// Three sums, from this one.
fn census_of(buffers: &Buffers, first: usize) -> Vec3 {
    let sum = |sum: usize| u64::from(buffers.census_sums[2 * sum]) | u64::from(buffers.census_sums[2 * sum + 1]) << 32;
    Vec3::from_array([0, 1, 2].map(|axis| from_fixed_point(sum(first + axis))))
}

/// How many agents there are. Nobody would be counted only where nobody steers.
pub fn agents_counted(buffers: &Buffers) -> u32 {
    buffers.census_sums[12].max(1)
}

/// The mean velocity of all agents, u/s.
pub fn mean_velocity(model: &Model, buffers: &Buffers) -> Vec3 {
    census_of(buffers, 0) * (model.world.top_speed / agents_counted(buffers) as f32)
}

/// The sum of the headings of all agents.
pub fn sum_of_headings(buffers: &Buffers) -> Vec3 {
    census_of(buffers, 3)
}
