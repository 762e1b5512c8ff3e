//! Twin of `shaders/sim/scatter.wgsl`: write each agent's storage slot to a sorted index of its cell.

use crate::cpu::{Buffers, Execution};
use crate::model::CompiledScene;

/// Run the stage.
pub fn scatter(_: &CompiledScene, buffers: &mut Buffers, _: Execution) {
    let Buffers { cell, rank, cell_start, order, .. } = buffers;
    for (slot, (home, rank)) in cell.iter().zip(rank).enumerate() {
        order[(cell_start[*home as usize] + *rank) as usize] = slot as u32;
    }
}
