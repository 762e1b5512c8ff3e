//! Twin of `shaders/sim/schedule.wgsl`: the agents that do not steer in this step hold.

use crate::cpu::behaviors::{Scope, remember_each};
use crate::cpu::common::vector::unsigned_zeros;
use crate::cpu::common::{agent::agent_at, boundary::containment, goals::NOT_FOUND, schedule::steers_now};
use crate::cpu::{Buffers, Execution};
use crate::model::{CompiledScene, FROZEN};
use glam::Vec3;

/// Run the stage. The shader makes the active list; here each agent is tested for itself.
pub fn schedule(model: &CompiledScene, buffers: &mut Buffers, execution: Execution) {
    let mut results = std::mem::take(&mut buffers.steering);
    let shared = &*buffers;
    execution.for_each(&mut results, |sorted_index, result| {
        let id = shared.sorted_id[sorted_index];
        let own = &model.species[model.species_of(id & !FROZEN)];
        result.steers = id & FROZEN != 0 || steers_now(model, own, id, shared.clock[0]);
        if !result.steers {
            // It perceives no neighbors and holds its latest steering. Memories that need no neighbors go on.
            let agent = agent_at(model, shared, own, id, sorted_index);
            let scope = Scope { model, buffers: shared, own, agent, query_results: [NOT_FOUND; 4] };
            result.memory = shared.memory[id as usize];
            remember_each(&scope, &mut result.memory.behaviors);
            if let Some(behaviors) = &shared.own {
                behaviors.begin(&scope).remember(&scope, &mut result.memory);
            }
            let mut held = Vec3::from_array(result.memory.held);
            if agent.moves_as_desired {
                held = (held - agent.velocity) / agent.time_constant;
            }
            result.acceleration =
                model.store(unsigned_zeros(held + containment(model, agent.position, agent.max_acceleration)));
        }
    });
    for (sorted_index, result) in results.iter().enumerate().filter(|(_, result)| !result.steers) {
        buffers.acceleration[sorted_index] = result.acceleration;
        buffers.neighbors[sorted_index] = 0;
        buffers.memory[buffers.sorted_id[sorted_index] as usize] = result.memory;
    }
    buffers.steering = results;
}
