//! Twin of `shaders/behaviors/queue.wgsl`: to the target, no faster than the distance to the neighbor ahead allows.

use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::target::{COINCIDENT, Goal, along};
use crate::cpu::common::vector::{dot3, within};
use crate::cpu::common::vision::{Neighbor, sees};
use crate::model::Queue;
use glam::Vec3;

/// What is summed over the neighbors.
#[derive(Debug, Clone, Copy, Default)]
pub struct QueueSum {
    /// The share of the speed that the nearest neighbor ahead takes away, 0 to 1.
    taken: f32,
}

/// Add one neighbor.
#[inline]
pub fn queue_add(sum: QueueSum, queue: &Queue, neighbor: &Neighbor, agent: &Agent) -> QueueSum {
    let stop = queue.gap + agent.radius + neighbor.radius;
    let room = (queue.vision.radius_squared.max(0.0).sqrt() - stop).max(COINCIDENT);
    let share = within((neighbor.distance() - stop) / room, 0.0, 1.0);
    let ahead = neighbor.ahead > 0.0 && dot3(neighbor.heading(), agent.forward) >= 0.0;
    QueueSum { taken: sum.taken.max(if ahead && sees(queue.vision, neighbor) { 1.0 - share } else { 0.0 }) }
}

/// The acceleration before the behavior's weight, u/s².
pub fn queue_resolve(sum: QueueSum, agent: &Agent, goal: &Goal) -> Vec3 {
    if !goal.exists {
        return Vec3::ZERO;
    }
    steer_to(agent, along(goal.offset) * (agent.max_speed * (1.0 - sum.taken)))
}
