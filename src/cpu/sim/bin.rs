//! Twin of `shaders/sim/bin.wgsl`: decide each agent's cell, once, and count the agents of each cell.

use crate::cpu::common::grid::*;
use crate::cpu::{Buffers, Execution};
use crate::model::{CompiledScene, ID_BITS, IDS_ASIDE};
use glam::Vec3;

/// Run the stage.
pub fn bin(model: &CompiledScene, buffers: &mut Buffers, execution: Execution) {
    let world = &model.world;
    let Buffers { position, velocity, id, cell, count, rank, .. } = buffers;
    execution.for_each(cell, |slot, found| {
        let own_position = Vec3::from_array(position[slot]);
        let is_healthy = is_healthy(model, own_position, Vec3::from_array(velocity[slot]));
        let own_id = id[slot] & ID_BITS;
        // Later stages rely on this: an agent in a cell of the grid is in the world and has a valid id, whatever words the state holds.
        *found = match own_id < world.agent_count {
            true if id[slot] == own_id && is_healthy => cell_of(world, own_position),
            true => world.first_absent_cell() + own_id / IDS_ASIDE,
            false => world.last_cell(),
        };
    });
    // In the shader this is an atomic, and its ranks depend on the timing of threads.
    for (rank, found) in rank.iter_mut().zip(cell.iter()) {
        *rank = count[*found as usize];
        count[*found as usize] += 1;
        if *rank == world.crowd && *found < world.cell_count {
            count[crowd_flag(world)] = 1;
        }
    }
}
