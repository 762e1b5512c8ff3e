//! Twin of `shaders/behaviors/whiskers.wgsl`: away from the walls that three feelers touch.

use super::obstacle_avoidance::sidestep;
use crate::cpu::common::agent::Agent;
use crate::cpu::common::obstacles::{Approach, first_hit_of, obstacles_within};
use crate::cpu::common::vector::{dot3, right_of, within};
use crate::model::random::STANDSTILL;
use crate::model::scenery::TOUCHING;
use crate::model::{CompiledScene, Whiskers};
use glam::Vec3;

/// What one feeler feels: the normal of the wall, longer the deeper the feeler is in the wall.
fn whisker(model: &CompiledScene, agent: &Agent, nearby: &[u32], direction: Vec3, length: f32) -> Vec3 {
    let hit = first_hit_of(model, nearby, agent.position, Approach::feeler(direction, length), agent.radius);
    let leaving = hit.distance <= 0.0 && dot3(hit.normal, direction) >= 0.0;
    if hit.exists && !leaving { hit.normal * (1.0 - hit.distance / length.max(TOUCHING)) } else { Vec3::ZERO }
}

/// The acceleration before the behavior's weight, u/s².
pub fn whiskers_steer(model: &CompiledScene, whiskers: &Whiskers, agent: &Agent) -> Vec3 {
    let sine = (1.0 - whiskers.spread * whiskers.spread).max(0.0).sqrt();
    let ahead = agent.forward * whiskers.spread;
    let aside = right_of(agent.spatial, agent.forward) * sine;
    let side_length = whiskers.length * whiskers.side_length;
    let nearby = &obstacles_within(model, agent.position, agent.radius + whiskers.length, 0.0);
    let mut push = whisker(model, agent, nearby, agent.forward, whiskers.length);
    push += whisker(model, agent, nearby, ahead + aside, side_length);
    push += whisker(model, agent, nearby, ahead - aside, side_length);
    if dot3(push, push) <= STANDSTILL {
        return Vec3::ZERO;
    }
    let back = within(dot3(push, agent.forward), -1.0, 0.0);
    (sidestep(agent, agent.forward, push) + agent.forward * back) * agent.max_acceleration
}
