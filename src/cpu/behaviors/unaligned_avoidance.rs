//! Twin of `shaders/behaviors/unaligned_avoidance.wgsl`: sideways from the neighbor whose nearest approach comes first
//! (Reynolds 1999, without a formula); of two that cross, one hurries and the other waits.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::vector::{across, direction, dot3, heading_of, unit_or_zero, within};
use crate::cpu::common::vision::{Neighbor, sees};
use crate::model::UnalignedAvoidance;
use crate::model::random::{STANDSTILL, STREAM_AVOIDANCE};
use glam::Vec3;

/// The neighbor whose nearest approach comes first, of those that come too near.
#[derive(Debug, Clone, Copy, Default)]
pub struct UnalignedAvoidanceSum {
    threatened: bool,
    time: f32,
    miss: Vec3,
    miss_squared: f32,
    room: f32,
    velocity: Vec3,
    id: u32,
}

/// Add one neighbor.
#[inline]
pub fn unaligned_avoidance_add(
    sum: UnalignedAvoidanceSum,
    unaligned_avoidance: &UnalignedAvoidance,
    neighbor: &Neighbor,
    agent: &Agent,
) -> UnalignedAvoidanceSum {
    let horizon = unaligned_avoidance.time_horizon;
    let room = agent.radius + neighbor.radius + unaligned_avoidance.margin;
    let relative = neighbor.velocity - agent.velocity;
    let squared = dot3(relative, relative);
    // Two agents whose offset hardly changes within the horizon count as nearest to each other now.
    let parallel = squared * (horizon * horizon) <= 1e-6 * (room * room) || squared <= STANDSTILL;
    let time = if parallel { 0.0 } else { -dot3(neighbor.offset, relative) / squared.max(STANDSTILL) };
    let miss = neighbor.offset + relative * time;
    let miss_squared = dot3(miss, miss);
    let threat =
        sees(unaligned_avoidance.vision, neighbor) && time >= 0.0 && time < horizon && miss_squared < room * room;
    let sooner = !sum.threatened || time < sum.time || (time == sum.time && miss_squared < sum.miss_squared);
    if threat && sooner {
        let (velocity, id) = (neighbor.velocity, neighbor.id);
        return UnalignedAvoidanceSum { threatened: true, time, miss, miss_squared, room, velocity, id };
    }
    sum
}

/// The acceleration before the behavior's weight, u/s².
pub fn unaligned_avoidance_resolve(sum: UnalignedAvoidanceSum, agent: &Agent) -> Vec3 {
    if !sum.threatened {
        return Vec3::ZERO;
    }
    let heading = heading_of(sum.velocity);
    let speed = dot3(sum.velocity, sum.velocity).sqrt();
    let cosine = dot3(agent.forward, heading);
    #[allow(clippy::excessive_precision, clippy::approx_constant)] // the literal of the shader
    let crossing = cosine.abs() < 0.70710678 && speed * speed > STANDSTILL;
    let slower = agent.speed < speed;
    let mut miss = sum.miss;
    if sum.miss_squared <= 1e-6 * (sum.room * sum.room) {
        let mut seen_from = if agent.id < sum.id { 1.0 } else { -1.0 };
        let (low, high) = (agent.id.min(sum.id), agent.id.max(sum.id));
        let mut wish = direction(agent.seed, agent.spatial, low, high, STREAM_AVOIDANCE);
        if crossing && agent.speed != speed {
            seen_from = if slower { 1.0 } else { -1.0 };
            wish = if slower { agent.forward } else { heading };
        }
        miss = across((sum.velocity - agent.velocity) * seen_from, wish) * seen_from;
    }
    let ahead = dot3(miss, agent.forward);
    let side = unit_or_zero(agent.forward * ahead - miss);
    let wanted = if ahead >= 0.0 { 0.0 } else { agent.max_speed };
    let change = within((wanted - agent.speed) / agent.time_constant, -agent.max_acceleration, agent.max_acceleration);
    side * agent.max_acceleration + agent.forward * if crossing { change } else { 0.0 }
}
