//! Twin of `shaders/behaviors/waypoint_following.wgsl`: to the points of a path, one after the other.

use super::arrive::arrive_velocity;
use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::target::{along, nearest_image};
use crate::cpu::common::vector::dot3;
use crate::model::{CompiledScene, WaypointFollowing, WaypointFollowingMemory};
use glam::Vec3;

fn waypoint_way(model: &CompiledScene, waypoint_following: &WaypointFollowing, agent: &Agent, waypoint: u32) -> Vec3 {
    let path = &model.scenery.paths[waypoint_following.path as usize];
    let [x, y, z, _] = model.scenery.points[(path.first_point + waypoint) as usize];
    nearest_image(model, Vec3::new(x, y, z) - agent.position)
}

/// The index of the waypoint that the agent heads for after this step.
fn waypoint_next(model: &CompiledScene, waypoint_following: &WaypointFollowing, agent: &Agent, before: u32) -> u32 {
    let path = &model.scenery.paths[waypoint_following.path as usize];
    let waypoint = before.min(path.segments);
    let way = waypoint_way(model, waypoint_following, agent, waypoint);
    if dot3(way, way) >= waypoint_following.reach * waypoint_following.reach {
        return waypoint;
    }
    if path.closed == 1 {
        return (waypoint + 1) % path.segments;
    }
    (waypoint + 1).min(path.segments)
}

/// What the behavior remembers after this step.
pub fn waypoint_following_remember(
    model: &CompiledScene,
    waypoint_following: &WaypointFollowing,
    agent: &Agent,
    memory: &WaypointFollowingMemory,
) -> WaypointFollowingMemory {
    WaypointFollowingMemory { waypoint: waypoint_next(model, waypoint_following, agent, memory.waypoint) }
}

/// The acceleration before the behavior's weight, u/s².
pub fn waypoint_following_steer(
    model: &CompiledScene,
    waypoint_following: &WaypointFollowing,
    agent: &Agent,
    memory: &WaypointFollowingMemory,
) -> Vec3 {
    let waypoint = memory.waypoint;
    let path = &model.scenery.paths[waypoint_following.path as usize];
    let way = waypoint_way(model, waypoint_following, agent, waypoint);
    if path.closed == 0 && waypoint == path.segments {
        return steer_to(agent, arrive_velocity(agent, way, waypoint_following.slow_radius));
    }
    steer_to(agent, along(way) * agent.max_speed)
}
