//! Twin of `shaders/sim/census.wgsl`: the sums of the velocities and of the headings of all agents.
//!
//! One loop of 64-bit integers here; words with a carry in the shader. Sums of integers are the same in any order.

use crate::constants::MOST_SHARE;
pub use crate::constants::SUMS;
use crate::cpu::common::fixed_point::fixed_point;
use crate::cpu::common::vector::heading_of;
use crate::cpu::{Buffers, Execution};
use crate::model::{CompiledScene, FROZEN};
use glam::Vec3;

/// Run the stage.
pub fn census(model: &CompiledScene, buffers: &mut Buffers, _: Execution) {
    let mut sums = [0u64; SUMS];
    let mut add = |sum: usize, share: u32| sums[sum] = sums[sum].wrapping_add(i64::from(share as i32) as u64);
    let share_of = |x: f32| fixed_point((x / model.world.top_speed).clamp(-MOST_SHARE, MOST_SHARE));
    for (velocity, id) in buffers.sorted_velocity.iter().zip(&buffers.sorted_id) {
        if id & FROZEN == 0 {
            let heading = heading_of(Vec3::from_array(*velocity)).to_array();
            for axis in 0..3 {
                add(axis, share_of(velocity[axis]));
                add(3 + axis, fixed_point(heading[axis]));
            }
            add(6, 1);
            add(7, u32::from(heading != [0.0; 3]));
        }
    }
    let words = sums.iter().flat_map(|sum| [*sum as u32, (sum >> 32) as u32]);
    buffers.census_sums = words.chain([0; 4]).collect();
}
