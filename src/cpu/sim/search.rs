//! Twin of `shaders/sim/search.wgsl`: the queries of agents for the nearest of a species.

use crate::cpu::common::{
    agent::facing_of, goals::*, schedule::steers_now, sight::is_hidden, target::*, vector::dot3, walk::walk,
};
use crate::cpu::{Buffers, Execution};
use crate::model::{CompiledScene, FROZEN, ID_BITS, Species, Vision};
use glam::Vec3;

/// Run the stage: the queries of all agents that have queries, one row of `found` for each agent. No row depends on another.
pub fn search(model: &CompiledScene, buffers: &mut Buffers, execution: Execution) {
    if buffers.found.is_empty() {
        return;
    }
    let mut found = std::mem::take(&mut buffers.found);
    let mut sorted_indices = vec![0; found.len()];
    for (sorted_index, id) in buffers.sorted_id.iter().enumerate() {
        let own = &model.species[model.species_of(id & ID_BITS)];
        if own.has_queries() {
            sorted_indices[found_row(own, id & ID_BITS)] = sorted_index;
        }
    }
    let shared = &*buffers;
    execution.for_each(&mut found, |row, found| {
        let sorted_index = sorted_indices[row];
        let id = shared.sorted_id[sorted_index];
        let own = &model.species[model.species_of(id & ID_BITS)];
        *found = [NOT_FOUND; 4];
        if id & FROZEN != 0 || !steers_now(model, own, id, shared.clock[0]) {
            return;
        }
        let velocity = Vec3::from_array(shared.sorted_velocity[sorted_index]);
        let position = Vec3::from_array(shared.sorted_position[sorted_index]);
        let forward = facing_of(model, shared, id, velocity);
        *found = own.queries.map(|query| {
            let nearest = find_nearest(model, shared, own, query, sorted_index, position, forward);
            if nearest.found { nearest.sorted_index } else { NOT_FOUND }
        });
    });
    buffers.found = found;
}

/// The nearest agent that a query sees.
fn find_nearest(
    model: &CompiledScene,
    buffers: &Buffers,
    own: &Species,
    query: Vision,
    sorted_index: usize,
    position: Vec3,
    forward: Vec3,
) -> Nearest {
    let mut nearest = Nearest::default();
    if query.radius_squared < 0.0 {
        return nearest;
    }
    walk(model, &buffers.cell_start, query.radius_squared.sqrt(), position, |first, last, half_shift| {
        let from_here = position - half_shift;
        for other in first as usize..last as usize {
            let offset = Vec3::from_array(buffers.sorted_position[other]) + half_shift - from_here;
            let distance_squared = dot3(offset, offset);
            let in_query_mask = (query.species >> model.species_of(buffers.sorted_id[other])) & 1;
            if other != sorted_index && in_query_mask == 1 {
                let before = nearest;
                nearest = nearest_add(before, query, offset, distance_squared, forward, other as u32);
                let is_nearer = nearest.found && (!before.found || nearest.distance_squared != before.distance_squared);
                if is_nearer && own.line_of_sight != 0 && is_hidden(model, position, offset) {
                    nearest = before;
                }
            }
        }
    });
    nearest
}
