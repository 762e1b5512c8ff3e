//! Twin of `shaders/common/goals.wgsl`: finds what a target names.

use super::agent::{Agent, facing_of};
use super::field::sample_field;
use super::paths::nearest_on_path;
use super::target::{Goal, along, goal_at, nearest_image};
use super::ways::goal_on_way;
pub use crate::constants::{NOT_FOUND, TARGET_AGENT, TARGET_LEADER};
use crate::constants::{
    TARGET_FIELD, TARGET_GOAL, TARGET_MOUSE, TARGET_NEAREST, TARGET_PATH, TARGET_POINT, TARGET_TRAJECTORY,
};
use crate::cpu::Buffers;
use crate::model::{CompiledScene, FROZEN, Species, Target};
use glam::{Vec3, Vec4, Vec4Swizzles};

/// The row in `found` of an agent that has queries.
pub fn found_row(own: &Species, id: u32) -> usize {
    own.query_row.wrapping_add(id) as usize
}

/// The sorted indices that the queries of an agent found in this step.
pub fn found_by(buffers: &Buffers, own: &Species, id: u32) -> [u32; 4] {
    if own.has_queries() { buffers.found[found_row(own, id)] } else { [NOT_FOUND; 4] }
}

/// What an agent heads for. `query_results` are the sorted indices that its queries found.
pub fn find_goal(
    model: &CompiledScene,
    buffers: &Buffers,
    target: Target,
    own: &Species,
    agent: &Agent,
    query_results: [u32; 4],
) -> Goal {
    match target.kind {
        TARGET_POINT => {
            let offset = Vec3::from_array(target.point) - agent.position;
            goal_at(nearest_image(model, offset), Vec3::ZERO, Vec3::ZERO)
        }
        TARGET_MOUSE => {
            let offset = Vec3::from_array(model.world.mouse) - agent.position;
            goal_at(nearest_image(model, offset), Vec3::ZERO, Vec3::ZERO)
        }
        TARGET_PATH => {
            let nearest = nearest_on_path(model, &model.scenery.paths[target.index as usize], agent.position);
            goal_at(nearest_image(model, nearest.point - agent.position), Vec3::ZERO, nearest.tangent)
        }
        TARGET_FIELD => {
            let flow = sample_field(model, agent.position);
            goal_at(flow, flow, Vec3::ZERO)
        }
        TARGET_TRAJECTORY => {
            let trajectory = &model.scenery.trajectories[target.index as usize];
            let [place, rate] = [trajectory.place, trajectory.rate].map(|now| Vec4::from_array(now).xyz());
            goal_at(nearest_image(model, place - agent.position), rate, along(rate))
        }
        TARGET_GOAL => goal_on_way(model, target, agent.position, agent.velocity),
        _ => match agent_of(model, buffers, target, own, agent.id, query_results) {
            NOT_FOUND.. => Goal::default(),
            sorted_index => goal_of(model, buffers, sorted_index as usize, agent),
        },
    }
}

/// The sorted index of the agent that a target names; [`NOT_FOUND`] where it names none, or none is perceived.
pub fn agent_of(
    model: &CompiledScene,
    buffers: &Buffers,
    target: Target,
    own: &Species,
    id: u32,
    query_results: [u32; 4],
) -> u32 {
    match target.kind {
        TARGET_AGENT | TARGET_LEADER => {
            let mut leader = target.index;
            if target.kind == TARGET_LEADER {
                let leaders = &model.species[target.index as usize];
                leader = leaders.first_id + (id - own.first_id) % leaders.count.max(1);
                if leaders.count == 0 {
                    leader = id;
                }
            }
            if leader < model.world.agent_count && leader != id {
                return buffers.sorted_index_of[leader as usize];
            }
            NOT_FOUND
        }
        TARGET_NEAREST => query_results[target.index.min(3) as usize],
        _ => NOT_FOUND,
    }
}

/// The agent at a sorted index as a goal, which does not exist if the agent is frozen.
fn goal_of(model: &CompiledScene, buffers: &Buffers, sorted_index: usize, agent: &Agent) -> Goal {
    let id = buffers.sorted_id[sorted_index];
    if id & FROZEN != 0 {
        return Goal::default();
    }
    let velocity = Vec3::from_array(buffers.sorted_velocity[sorted_index]);
    let offset = nearest_image(model, Vec3::from_array(buffers.sorted_position[sorted_index]) - agent.position);
    let mut goal = goal_at(offset, velocity, facing_of(model, buffers, id, velocity));
    if !buffers.pose.is_empty() {
        goal.spin = Vec3::from_array(buffers.pose[id as usize].spin);
    }
    goal
}
