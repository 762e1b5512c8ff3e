//! Twin of `shaders/behaviors/wall_following.wgsl`: along the nearest wall at a distance.

use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::obstacles::nearest_wall;
use crate::cpu::common::target::along;
use crate::cpu::common::vector::{across, direction, dot3};
use crate::model::random::STREAM_SIDE;
use crate::model::{CompiledScene, WallFollowing};
use glam::Vec3;

/// The acceleration before the behavior's weight, u/s².
pub fn wall_following_steer(model: &CompiledScene, wall_following: &WallFollowing, agent: &Agent) -> Vec3 {
    let predicted = agent.position + agent.velocity * wall_following.prediction_time;
    let wall = nearest_wall(model, predicted, wall_following.prediction_time);
    if !wall.exists {
        return Vec3::ZERO;
    }
    let onward = along_wall(agent, wall.normal) * wall_following.look_ahead;
    let place = wall.point + wall.normal * wall_following.distance + onward;
    steer_to(agent, along(place - agent.position) * agent.max_speed)
}

/// The unit vector along a wall that is nearest to the heading; if the heading is perpendicular to the wall, one drawn by the id.
fn along_wall(agent: &Agent, normal: Vec3) -> Vec3 {
    let tangent = agent.forward - normal * dot3(agent.forward, normal);
    if dot3(tangent, tangent) > 1e-6 {
        return along(tangent);
    }
    across(normal, direction(agent.seed, agent.spatial, agent.id, 0, STREAM_SIDE))
}
