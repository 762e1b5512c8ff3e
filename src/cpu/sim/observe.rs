//! Twin of `shaders/sim/observe.wgsl`: reduce the state to a few integers.

use crate::cpu::Buffers;
use crate::cpu::common::fixed_point::fixed_point;
use crate::cpu::common::vector::dot3;
use crate::model::random::{STANDSTILL, hash4};
use crate::model::{CUT_OFF, CompiledScene, FROZEN, OBSERVED_WORDS};
use glam::Vec3;

/// Agents that one row of words sums up, so that no word overflows; a workgroup of the shader.
const GROUP: usize = 256;

fn digest_of(own_id: u32, own_position: Vec3, moving: Vec3) -> [u32; 4] {
    let first = hash4([own_id, own_position.x.to_bits(), own_position.y.to_bits(), own_position.z.to_bits()]);
    let second = [moving.x.to_bits(), moving.y.to_bits(), moving.z.to_bits(), 0x5354_454f];
    hash4([0, 1, 2, 3].map(|k| first[k] ^ second[k]))
}

/// The words that the stage writes, [`OBSERVED_WORDS`] for each 256 agents.
pub fn observe(model: &CompiledScene, buffers: &Buffers) -> Vec<u32> {
    let mut words = vec![0u32; buffers.id.len().div_ceil(GROUP) * OBSERVED_WORDS];
    for (slot, own_id) in buffers.id.iter().enumerate() {
        let sums = &mut words[slot / GROUP * OBSERVED_WORDS..][..OBSERVED_WORDS];
        let mut add = |word: usize, value: u32| sums[word] = sums[word].wrapping_add(value);
        let moving = Vec3::from_array(buffers.velocity[slot]);
        let digest = digest_of(*own_id, Vec3::from_array(buffers.position[slot]), moving);
        for (word, value) in digest.into_iter().enumerate() {
            add(word, value);
        }
        let cut_off = buffers.neighbors[slot] == CUT_OFF;
        if own_id & FROZEN != 0 {
            add(9, 1);
        } else {
            let squared = dot3(moving, moving);
            if squared > STANDSTILL {
                let speed = squared.sqrt();
                add(4, fixed_point(moving.x / speed));
                add(5, fixed_point(moving.y / speed));
                add(6, fixed_point(moving.z / speed));
                add(7, fixed_point((speed / model.world.top_speed).min(8.0)));
            }
            if !cut_off {
                add(8, buffers.neighbors[slot]);
            }
        }
        if cut_off {
            add(10, 1);
        }
        if cut_off || own_id & FROZEN != 0 {
            sums[11] = sums[11].max(!(own_id & !FROZEN));
        }
    }
    if let Some(unseen) = words.get_mut(13) {
        let start = |cell: u32| buffers.cell_start[cell as usize];
        *unseen = start(model.world.frozen_cell()) - start(model.world.cell_count);
    }
    words
}
