//! Twin of `shaders/sim/bin.wgsl`: decide each agent's cell, once, and count the agents of each cell.

use crate::cpu::common::{grid::*, vector::is_sane3};
use crate::cpu::{Buffers, Execution};
use crate::model::away::is_away;
use crate::model::{CompiledScene, ID_BITS, IDS_ASIDE};
use glam::Vec3;

/// Run the stage.
pub fn bin(model: &CompiledScene, buffers: &mut Buffers, execution: Execution) {
    let world = &model.world;
    let Buffers { position, velocity, id, cell, count, rank, .. } = buffers;
    execution.for_each(cell, |slot, found| {
        let own_position = Vec3::from_array(position[slot]);
        let moving = Vec3::from_array(velocity[slot]);
        // Frozen agents have a cell of their own behind all others, which no query visits. Whatever words the state
        // holds, an agent in any other cell is in the world and has a valid id: later stages rely on it.
        *found = world.frozen_cell();
        let healthy = is_sane3(own_position) && is_sane3(moving) && is_in_world(model, own_position);
        if healthy && id[slot] < world.agent_count {
            *found = cell_of(world, own_position);
        }
        let own_id = id[slot] & ID_BITS;
        if world.can_be_away != 0 && healthy && is_away(id[slot]) && own_id < world.agent_count {
            *found = world.first_away_cell() + own_id / IDS_ASIDE;
        }
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
