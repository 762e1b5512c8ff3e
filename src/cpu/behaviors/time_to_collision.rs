//! Twin of `shaders/behaviors/time_to_collision.wgsl`: people avoid others and walls that they would bump into, the more strongly the
//! sooner that would happen (Karamouzas, Skinner and Guy 2014).

use crate::cpu::common::agent::Agent;
use crate::cpu::common::obstacles::{Approach, first_hit};
use crate::cpu::common::vector::{decay, dot3, heading_of};
use crate::cpu::common::vision::{Neighbor, sees};
use crate::model::random::STANDSTILL;
use crate::model::{CompiledScene, TimeToCollision};
use glam::Vec3;

/// A collision sooner than this counts as this soon, s.
const SHORTEST_TIME: f32 = 0.01;
/// The least share of their speed at which bodies count as meeting head-on: the force between bodies that only graze would be unbounded.
const GRAZING_SHARE: f32 = 1e-3;

/// How steeply the interaction energy falls with the time to the collision, u²/s³.
fn time_to_collision_slope(time_to_collision: &TimeToCollision, time: f32) -> f32 {
    let left = time.max(SHORTEST_TIME);
    let energy = time_to_collision.strength * decay(left / time_to_collision.horizon) / (left * left);
    energy * (2.0 / left + 1.0 / time_to_collision.horizon)
}

/// Add one neighbor.
#[inline]
pub fn time_to_collision_add(
    sum: Vec3,
    time_to_collision: &TimeToCollision,
    neighbor: &Neighbor,
    agent: &Agent,
) -> Vec3 {
    let relative = agent.velocity - neighbor.velocity;
    let squared = dot3(relative, relative).max(STANDSTILL);
    let distance = neighbor.distance();
    let room = (agent.radius + neighbor.radius).min(0.99 * distance);
    let nearing = dot3(neighbor.offset, relative);
    let miss = relative * (nearing / squared) - neighbor.offset;
    let rest = room * room - dot3(miss, miss);
    let collides = rest > 0.0 && nearing > 0.0 && squared > STANDSTILL;
    let grazing = room * room * (GRAZING_SHARE * GRAZING_SHARE);
    let root = (squared * rest.max(grazing)).sqrt();
    let time = (distance - room) * (distance + room) / (nearing + root).max(STANDSTILL);
    let later = (miss * (squared / root.max(STANDSTILL)) - relative) / squared;
    let felt = collides && sees(time_to_collision.vision, neighbor);
    sum + if felt { later * time_to_collision_slope(time_to_collision, time) } else { Vec3::ZERO }
}

/// The acceleration before the behavior's weight, u/s².
pub fn time_to_collision_resolve(
    model: &CompiledScene,
    sum: Vec3,
    time_to_collision: &TimeToCollision,
    agent: &Agent,
) -> Vec3 {
    let ahead = 4.0 * time_to_collision.horizon;
    let forward = heading_of(agent.velocity);
    let course =
        Approach { forward, speed: agent.speed, min_look_ahead: 0.0, look_ahead_time: ahead, is_feeler: false };
    let hit = first_hit(model, agent.position, course, agent.radius);
    let nearing = -dot3(hit.normal, hit.course.forward);
    if !hit.exists || nearing <= 0.0 || hit.course.speed * hit.course.speed <= STANDSTILL {
        return sum;
    }
    let time = hit.distance / hit.course.speed;
    let later = 1.0 / (hit.course.speed * nearing.max(GRAZING_SHARE));
    sum + hit.normal * (time_to_collision_slope(time_to_collision, time) * later)
}
