//! Twin of `shaders/sim/ground.wgsl`: agents mark the cells that they are in, then each cell grants one claim, grows and
//! forgets.

use crate::cpu::common::combination::rule_is_active;
use crate::cpu::common::ground::*;
use crate::cpu::{Buffers, Execution};
use crate::model::{CompiledScene, FROZEN};
use glam::Vec3;

/// Run the stage; the sums of integers are the same in any order.
pub fn ground(model: &CompiledScene, buffers: &mut Buffers, _execution: Execution) {
    let world = &model.world;
    if !model.reads_ground() {
        return;
    }
    for (position, id) in buffers.position.iter().zip(&buffers.id).filter(|(_, id)| **id & FROZEN == 0) {
        let home = ground_index(world, ground_cell(world, model.spatial, Vec3::from_array(*position)));
        let cell = &mut buffers.ground[home];
        cell.visits += 1;
        let own = &model.species[model.species_of(*id)];
        let (rule, agent) = (own.behaviors.forage.rule, [*id, world.seed]);
        if cell.stock > 0 && rule_is_active(own, agent, rule, buffers.memory[*id as usize].state) {
            cell.claim = cell.claim.min(*id);
        }
    }
    let step = buffers.clock[0];
    for cell in &mut buffers.ground {
        if cell.claim < world.agent_count {
            let taken = cell.stock.min(ground_units(world.ground_intake, step));
            cell.stock -= taken;
            buffers.memory[cell.claim as usize].load += taken;
        }
        cell.stock += (cell.capacity - cell.stock).min(ground_units(world.ground_regrowth, step));
        cell.visits = cell.visits.min(0x3fff_ffff);
        if world.ground_half_life > 0 && step.is_multiple_of(world.ground_half_life) {
            cell.visits >>= 1;
        }
        cell.claim = UNCLAIMED;
    }
}
