//! Twin of `shaders/sim/scatter.wgsl`: write each agent's storage slot and id to a sorted index of its cell.

use crate::cpu::{Buffers, Execution};
use crate::model::CompiledScene;

/// Run the stage.
pub fn scatter(_: &CompiledScene, buffers: &mut Buffers, _: Execution) {
    let Buffers { id, cell, rank, cell_start, order, .. } = buffers;
    for (slot, own_id) in id.iter().enumerate() {
        let sorted_index = cell_start[cell[slot] as usize] + rank[slot];
        order[sorted_index as usize] = [slot as u32, *own_id];
    }
}
