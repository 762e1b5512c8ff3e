//! Twin of `shaders/behaviors/wander.wgsl`: toward a target that strolls on a circle ahead.

use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::vector::{direction, dot3, turned_along};
use crate::model::random::{STANDSTILL, STREAM_WANDER, STREAM_WANDER_START, hash4, rotation, unit_variance};
use crate::model::{Wander, WanderMemory};
use glam::Vec3;

/// The direction of the target from the center of its circle, after this step.
fn wander_stroll(wander: &Wander, agent: &Agent, memory: &WanderMemory) -> Vec3 {
    let before = Vec3::from_array(memory.target_direction);
    if dot3(before, before) < 0.5 {
        return direction(agent.seed, agent.spatial, agent.id, 0, STREAM_WANDER_START);
    }
    let w = turned_along(before, Vec3::from_array(memory.heading), agent.forward);
    let hash = hash4([agent.seed, agent.id, agent.step, STREAM_WANDER]);
    let size = wander.rate * agent.dt.sqrt();
    let strolled = if agent.spatial {
        let step = Vec3::new(unit_variance(hash[0]), unit_variance(hash[1]), unit_variance(hash[2]));
        w + (step - w * dot3(step, w)) * size
    } else {
        let turn = rotation(size * unit_variance(hash[0]));
        Vec3::new(w.x * turn.x - w.y * turn.y, w.x * turn.y + w.y * turn.x, 0.0)
    };
    strolled / dot3(strolled, strolled).sqrt()
}

/// What the behavior remembers after this step.
pub fn wander_remember(wander: &Wander, agent: &Agent, memory: &WanderMemory) -> WanderMemory {
    let w = wander_stroll(wander, agent, memory);
    WanderMemory { target_direction: w.to_array(), heading: agent.forward.to_array() }
}

/// The acceleration before the behavior's weight, u/s².
pub fn wander_steer(wander: &Wander, agent: &Agent, memory: &WanderMemory) -> Vec3 {
    let w = Vec3::from_array(memory.target_direction);
    let offset = agent.forward * wander.distance + w * wander.radius;
    let squared = dot3(offset, offset);
    if squared <= STANDSTILL {
        return Vec3::ZERO;
    }
    steer_to(agent, offset * (agent.max_speed / squared.sqrt()))
}
