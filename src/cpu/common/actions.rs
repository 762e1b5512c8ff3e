//! Twin of `shaders/common/actions.wgsl`: the first rule that holds decides the state of an agent.

use super::agent::Agent;
use super::away::first_step;
use super::field::sample_field;
use super::target::Goal;
use super::vector::dot3;
use crate::constants::{WHEN_AFTER, WHEN_FIELD_ABOVE, WHEN_FIELD_BELOW, WHEN_LOAD_ABOVE};
pub use crate::constants::{WHEN_FARTHER, WHEN_NEARER};
use crate::model::{CompiledScene, Memory, Species, Target};

/// The action state after the first rule that holds, whether that rule unloads, and its index.
pub fn select_action(
    model: &CompiledScene,
    own: &Species,
    agent: &Agent,
    before: &Memory,
    goal_of_target: impl Fn(Target) -> Goal,
) -> (u32, bool, Option<usize>) {
    for (index, rule) in own.actions[..own.transition_count as usize].iter().enumerate() {
        let goal = goal_of_target(rule.toward);
        let speed = || {
            let flow = sample_field(model, agent.position);
            dot3(flow, flow).sqrt()
        };
        let holds = match rule.when {
            WHEN_NEARER => goal.exists && goal.distance < rule.than,
            WHEN_FARTHER => !goal.exists || goal.distance > rule.than,
            WHEN_AFTER => {
                let first = first_step(own, agent.id);
                agent.step.wrapping_sub(before.since.max(first)) as f32 * model.world.dt >= rule.than
            }
            WHEN_FIELD_ABOVE => speed() > rule.than,
            WHEN_FIELD_BELOW => speed() < rule.than,
            WHEN_LOAD_ABOVE => before.load as f32 >= rule.than,
            _ => false,
        };
        if holds && (rule.from_states >> before.state) & 1 != 0 {
            return (rule.to, rule.unloads != 0, Some(index));
        }
    }
    (before.state, false, None)
}
