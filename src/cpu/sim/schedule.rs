//! Twin of `shaders/sim/schedule.wgsl`: the agents that do not steer in this step hold.

use crate::cpu::behaviors::{Scope, remember_each};
use crate::cpu::common::vector::unsigned_zeros;
use crate::cpu::common::{agent::agent_at, boundary::containment, goals::NOT_FOUND, schedule::steers_now};
use crate::cpu::sim::steer::Steering;
use crate::cpu::watch::Watch;
use crate::cpu::{Buffers, Execution};
use crate::model::{CompiledScene, FROZEN, ID_BITS};
use glam::Vec3;

/// Run the stage. The shader makes the active list; here `Steering::steers` says of each agent whether it steers.
pub fn schedule(model: &CompiledScene, buffers: &mut Buffers, execution: Execution) {
    let mut results = std::mem::take(&mut buffers.steering);
    let shared = &*buffers;
    execution.for_each(&mut results, |sorted_index, result| {
        let id = shared.sorted_id[sorted_index];
        let own = &model.species[model.species_of(id & ID_BITS)];
        result.steers = id & FROZEN != 0 || steers_now(model, own, id, shared.clock[0]);
        if !result.steers {
            *result = hold_one(model, shared, sorted_index, &mut ());
        }
    });
    for (sorted_index, result) in results.iter().enumerate().filter(|(_, result)| !result.steers) {
        buffers.acceleration[sorted_index] = result.acceleration;
        buffers.neighbors[sorted_index] = result.perceived;
        buffers.memory[buffers.sorted_id[sorted_index] as usize] = result.memory;
    }
    buffers.steering = results;
}

/// The result of an agent that does not steer in this step: it holds its latest steering and its number of neighbors. What behaviors
/// remember still changes, because that needs no neighbors.
pub(crate) fn hold_one(
    model: &CompiledScene,
    buffers: &Buffers,
    sorted_index: usize,
    watch: &mut impl Watch,
) -> Steering {
    let id = buffers.sorted_id[sorted_index];
    let own = &model.species[model.species_of(id)];
    let agent = agent_at(model, buffers, own, id, sorted_index);
    let scope = Scope { model, buffers, own, agent, query_results: [NOT_FOUND; 4] };
    let mut memory = buffers.memory[id as usize];
    remember_each(&scope, &mut memory.behaviors);
    if let Some(behaviors) = &buffers.own {
        behaviors.begin(&scope).remember(&scope, &mut memory);
    }
    let mut held = Vec3::from_array(memory.held);
    if agent.moves_as_desired {
        held = (held - agent.velocity) / agent.time_constant;
    }
    let walls = containment(model, agent.position, agent.max_acceleration);
    watch.sums(&scope, [held, held, walls]);
    let acceleration = model.store(unsigned_zeros(held + walls));
    Steering { steers: false, acceleration, perceived: memory.perceived, memory }
}
