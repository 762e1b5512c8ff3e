//! Twin of `shaders/sim/observe.wgsl`: reduce the state to a few integers.

use crate::cpu::Buffers;
use crate::cpu::common::fixed_point::fixed_point;
use crate::cpu::common::vector::dot3;
use crate::model::random::{STANDSTILL, hash4};
use crate::model::{CUT_OFF, CompiledScene, FROZEN, OBSERVED_WORDS};
use glam::Vec3;

/// Agents that one row of words sums up, so that no word overflows; a workgroup of the shader.
const GROUP: usize = 4096;
/// The first word that comes with another, as in the shader.
const PAIRS: usize = 9;

fn digest_of(own_id: u32, own_position: Vec3, moving: Vec3) -> [u32; 4] {
    let first = hash4([own_id, own_position.x.to_bits(), own_position.y.to_bits(), own_position.z.to_bits()]);
    let second = [moving.x.to_bits(), moving.y.to_bits(), moving.z.to_bits(), 0x5354_454f];
    hash4([0, 1, 2, 3].map(|k| first[k] ^ second[k]))
}

/// The words that the stage writes, [`OBSERVED_WORDS`] for each 4,096 agents and each species. Each agent adds to them by itself: there
/// are no invocations that go through some.
pub fn observe(model: &CompiledScene, buffers: &Buffers) -> Vec<u32> {
    let species = model.species.len();
    let mut words = vec![0u32; buffers.id.len().div_ceil(GROUP) * species * OBSERVED_WORDS];
    for (slot, own_id) in buffers.id.iter().enumerate() {
        let row = slot / GROUP * species + model.species_of(own_id & !FROZEN);
        let sums = &mut words[row * OBSERVED_WORDS..][..OBSERVED_WORDS];
        let mut add = |word: usize, value: u32| sums[word] = sums[word].wrapping_add(value);
        let moving = Vec3::from_array(buffers.velocity[slot]);
        let digest = digest_of(*own_id, Vec3::from_array(buffers.position[slot]), moving);
        for (word, value) in digest.into_iter().enumerate() {
            add(word, value);
        }
        let mut add_to_pair = |pair: usize, value: u32| {
            add(PAIRS + 2 * pair, value & 0xffff);
            add(PAIRS + 2 * pair + 1, ((value as i32) >> 16) as u32);
        };
        let (is_cut_off, is_frozen) = (buffers.neighbors[slot] == CUT_OFF, own_id & FROZEN != 0);
        let squared = dot3(moving, moving);
        if !is_frozen && squared > STANDSTILL {
            let speed = squared.sqrt();
            add_to_pair(0, fixed_point(moving.x / speed));
            add_to_pair(1, fixed_point(moving.y / speed));
            add_to_pair(2, fixed_point(moving.z / speed));
            add_to_pair(3, fixed_point((speed / model.world.top_speed).min(8.0)));
        }
        if !is_frozen && !is_cut_off {
            add_to_pair(4, buffers.neighbors[slot]);
        }
        add(4, u32::from(is_frozen));
        add(5, u32::from(is_cut_off));
        if is_cut_off || is_frozen {
            sums[6] = sums[6].max(!(own_id & !FROZEN));
        }
    }
    if let Some(unseen) = words.get_mut(8) {
        let start = |cell: u32| buffers.cell_start[cell as usize];
        *unseen = start(model.world.frozen_cell()) - start(model.world.cell_count);
    }
    words
}
