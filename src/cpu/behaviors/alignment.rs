//! Twin of `shaders/behaviors/alignment.wgsl`: toward the mean velocity of the neighbors (Reynolds 1999: average
//! velocity minus own velocity).

use glam::Vec3;

/// What is summed over the neighbors.
#[derive(Clone, Copy, Default)]
pub struct AlignmentSum {
    velocity: Vec3,
    count: u32,
}

/// Add one neighbor.
pub fn alignment_add(sum: AlignmentSum, velocity: Vec3) -> AlignmentSum {
    AlignmentSum { velocity: sum.velocity + velocity, count: sum.count + 1 }
}

/// u/s² before its weight.
pub fn alignment_resolve(sum: AlignmentSum, velocity: Vec3, time_constant: f32) -> Vec3 {
    if sum.count == 0 {
        return Vec3::ZERO;
    }
    (sum.velocity / sum.count as f32 - velocity) / time_constant
}
