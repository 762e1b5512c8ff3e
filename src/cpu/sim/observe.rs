//! Twin of `shaders/sim/observe.wgsl`: reduce the state to a few integers.

use crate::cpu::Buffers;
use crate::cpu::common::fixed_point::fixed_point;
use crate::cpu::common::vector::dot3;
use crate::model::away::is_away;
use crate::model::observation::{PAIRS, TAIL_WORDS, TAILS, WORDS};
use crate::model::random::{STANDSTILL, hash4};
use crate::model::{CUT_OFF, CompiledScene, FROZEN, ID_BITS, layers_of};
use glam::Vec3;

/// Number of agents that one row of words sums up, as a workgroup of the shader does; few enough that no word overflows.
const GROUP: usize = 4096;

fn digest_of(own_id: u32, own_position: Vec3, moving: Vec3) -> [u32; 4] {
    let first = hash4([own_id, own_position.x.to_bits(), own_position.y.to_bits(), own_position.z.to_bits()]);
    let second = [moving.x.to_bits(), moving.y.to_bits(), moving.z.to_bits(), 0x5354_454f];
    hash4([0, 1, 2, 3].map(|k| first[k] ^ second[k]))
}

/// The words that the stage writes for each 4,096 agents, layer by layer. Agents are added one by one; in the shader an invocation
/// first sums up several of them.
pub fn observe(model: &CompiledScene, buffers: &Buffers) -> Vec<u32> {
    let (layers, width) = layers_of(model.species.len());
    let mut words = vec![0u32; buffers.id.len().div_ceil(GROUP) * layers * width];
    for (slot, own_id) in buffers.id.iter().enumerate() {
        let sums = &mut words[slot / GROUP * layers * width..][..layers * width];
        let add = |sums: &mut [u32], word: usize, value: u32| sums[word] = sums[word].wrapping_add(value);
        let add_to_pair = |sums: &mut [u32], word: usize, value: u32| {
            add(sums, word, value & 0xffff);
            add(sums, word + 1, ((value as i32) >> 16) as u32);
        };
        let moving = Vec3::from_array(buffers.velocity[slot]);
        let digest = digest_of(*own_id, Vec3::from_array(buffers.position[slot]), moving);
        for (word, value) in digest.into_iter().enumerate() {
            add(sums, word, value);
        }
        let (is_cut_off, is_frozen) = (buffers.neighbors[slot] == CUT_OFF, own_id & FROZEN != 0);
        let is_away = model.world.can_be_away != 0 && is_away(*own_id);
        let squared = dot3(moving, moving);
        let mut pairs = [0u32; 5];
        if !is_frozen && squared > STANDSTILL {
            let speed = squared.sqrt();
            let pace = (speed / model.world.top_speed).min(8.0);
            let [x, y, z, pace] = [moving.x / speed, moving.y / speed, moving.z / speed, pace].map(fixed_point);
            pairs = [x, y, z, pace, 0];
        }
        if !is_frozen && !is_cut_off {
            pairs[4] = buffers.neighbors[slot];
        }
        for (pair, value) in pairs.into_iter().enumerate() {
            add_to_pair(sums, PAIRS + 2 * pair, value);
        }
        // Tail t sums up species t + 1 and all later ones.
        for tail in 0..model.species_of(own_id & ID_BITS) {
            let first = tail / TAILS * width + WORDS + tail % TAILS * TAIL_WORDS;
            add(sums, first, u32::from(is_frozen));
            add(sums, first + 1, u32::from(is_away));
            for (pair, value) in pairs.into_iter().enumerate() {
                add_to_pair(sums, first + 2 + 2 * pair, value);
            }
        }
        add(sums, 4, u32::from(is_frozen));
        add(sums, 5, u32::from(is_cut_off));
        add(sums, 9, u32::from(is_away));
        if is_cut_off || (is_frozen && !is_away) {
            sums[6] = sums[6].max(!(own_id & ID_BITS));
        }
    }
    if let Some(unseen) = words.get_mut(8) {
        let start = |cell: u32| buffers.cell_start[cell as usize];
        *unseen = start(model.world.first_absent_cell()) - start(model.world.cell_count);
    }
    words
}
