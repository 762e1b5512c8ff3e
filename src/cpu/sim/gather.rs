//! Twin of `shaders/sim/gather.wgsl`: copy the agents into order by cell, and by id within a cell.

use crate::cpu::common::{grid::is_healthy, vector::is_sane3};
use crate::cpu::{Buffers, Execution};
use crate::model::away::is_away;
use crate::model::{CompiledScene, FROZEN, ID_BITS};
use glam::Vec3;

/// Run the stage.
pub fn gather(model: &CompiledScene, buffers: &mut Buffers, execution: Execution) {
    let Buffers { position, velocity, id, cell, cell_start, order, .. } = buffers;
    // Sort each cell by id. The shader counts, for each agent, the smaller ids in its cell.
    for range in cell_start[..model.world.last_cell() as usize + 2].windows(2) {
        order[range[0] as usize..range[1] as usize].sort_unstable_by_key(|slot| id[*slot as usize] & ID_BITS);
    }
    let order = &*order;
    let frozen = |slot: u32| {
        let (slot, world) = (slot as usize, &model.world);
        // Nearly all agents are in cells of the grid, and none of these is frozen.
        if cell[slot] < world.first_absent_cell() {
            return false;
        }
        let [at, moving] = [&*position, &*velocity].map(|vectors| Vec3::from_array(vectors[slot]));
        let is_away = world.can_be_away != 0 && is_away(id[slot]) && cell[slot] != world.last_cell();
        !(is_away && is_healthy(model, at, moving))
    };
    execution.for_each(&mut buffers.sorted_position, |sorted_index, sorted| {
        let slot = order[sorted_index];
        let rest = position[slot as usize];
        *sorted = if !frozen(slot) || is_sane3(Vec3::from_array(rest)) { rest } else { [0.0; 3] };
    });
    execution.for_each(&mut buffers.sorted_velocity, |sorted_index, sorted| {
        let slot = order[sorted_index];
        *sorted = if frozen(slot) { [0.0; 3] } else { velocity[slot as usize] };
    });
    execution.for_each(&mut buffers.sorted_id, |sorted_index, sorted| {
        let slot = order[sorted_index];
        *sorted = if frozen(slot) { id[slot as usize] | FROZEN } else { id[slot as usize] };
    });
    for (sorted_index, id) in buffers.sorted_id.iter().enumerate() {
        if let Some(own) = buffers.sorted_index_of.get_mut((id & ID_BITS) as usize) {
            *own = sorted_index as u32;
        }
    }
}
