//! Twin of `shaders/sim/crowd.wgsl`: a cell that holds more agents than `world.crowd` shows a sample of them.

use crate::cpu::common::grid::{crowd_flag, is_shown};
use crate::cpu::{Buffers, Execution};
use crate::model::{CompiledScene, IDS_ASIDE};

/// Run the stage.
pub fn crowd(model: &CompiledScene, buffers: &mut Buffers, _: Execution) {
    let world = &model.world;
    let Buffers { id, cell, rank, count, visible, .. } = buffers;
    if count[crowd_flag(world)] == 0 {
        return;
    }
    for ((id, home), rank) in id.iter().zip(cell).zip(rank) {
        let agents = count[*home as usize];
        if *home >= world.cell_count || agents <= world.crowd {
            continue;
        }
        let counter = if is_shown(world, *id, agents) {
            &mut visible[*home as usize]
        } else {
            *home = world.cell_count + id / IDS_ASIDE;
            &mut count[*home as usize]
        };
        *rank = *counter;
        *counter += 1;
    }
}
