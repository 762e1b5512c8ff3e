//! Twin of `shaders/sim/notice.wgsl`: list the agents that change their action state in this step, and which agent was the reason.

use crate::cpu::common::{actions::*, agent::agent_at, events::list_change, goals::*, schedule::steers_now};
use crate::cpu::{Buffers, Execution};
use crate::model::events::NOBODY;
use crate::model::{CompiledScene, FROZEN};

/// Run the stage, if events are listed.
pub fn notice(model: &CompiledScene, buffers: &mut Buffers, execution: Execution) {
    if buffers.events.is_empty() || !buffers.remembers {
        return;
    }
    let mut changes = vec![None; buffers.sorted_id.len()];
    let shared = &*buffers;
    execution.for_each(&mut changes, |index, change| *change = notice_one(model, shared, index));
    changes.into_iter().flatten().for_each(|change| list_change(buffers, change));
}

/// The id of the agent, its state before and after, and the id of the agent that was the reason; `None` if the state stays.
fn notice_one(model: &CompiledScene, buffers: &Buffers, index: usize) -> Option<[u32; 4]> {
    let id = buffers.sorted_id[index];
    if id & FROZEN != 0 {
        return None;
    }
    let own = &model.species[model.species_of(id)];
    if !steers_now(model, own, id, buffers.clock[0]) {
        return None;
    }
    let query_results = found_by(buffers, own, id);
    let (before, agent) = (&buffers.memory[id as usize], agent_at(model, buffers, own, id, index));
    let goal = |target| find_goal(model, buffers, target, own, &agent, query_results);
    let (state, _, rule) = select_action(model, own, &agent, before, goal);
    if state == before.state {
        return None;
    }
    let rule = rule.map(|row| own.actions[row]).filter(|rule| [WHEN_NEARER, WHEN_FARTHER].contains(&rule.when));
    let other = rule.map(|rule| agent_of(model, buffers, rule.toward, own, id, query_results));
    let other_id = other.filter(|other| *other < NOT_FOUND).map(|other| buffers.sorted_id[other as usize]);
    Some([id, before.state, state, other_id.filter(|id| id & FROZEN == 0).unwrap_or(NOBODY)])
}
