//! Twin of `shaders/behaviors/flock_by_turns.wgsl`: NetLogo's flock, in which no agent changes its speed.

use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::target::along;
use crate::cpu::common::vector::{across, dot3, unit_or_zero};
use crate::cpu::common::vision::{Neighbor, sees};
use crate::model::FlockByTurns;
use crate::model::random::rotation;
use glam::Vec3;

/// Sums over the flockmates, and the nearest of them.
#[derive(Debug, Clone, Copy, Default)]
pub struct FlockByTurnsSum {
    headings: Vec3,
    toward: Vec3,
    count: u32,
    nearest_squared: f32,
    nearest_heading: Vec3,
}

/// Add one neighbor.
#[inline]
pub fn flock_by_turns_add(sum: FlockByTurnsSum, flock_by_turns: &FlockByTurns, neighbor: &Neighbor) -> FlockByTurnsSum {
    if !sees(flock_by_turns.vision, neighbor) {
        return sum;
    }
    let mut next = sum;
    next.headings = sum.headings + neighbor.heading();
    next.toward = sum.toward + along(neighbor.offset);
    next.count = sum.count + 1;
    if sum.count == 0 || neighbor.distance_squared < sum.nearest_squared {
        next.nearest_squared = neighbor.distance_squared;
        next.nearest_heading = neighbor.heading();
    }
    next
}

/// Factor of a direction for `across`, so that one that differs by 1e-5 rad from the heading still has its side.
const SMALL_TURNS: f32 = 128.0;

/// A heading turned toward a direction by no more than the angle `most`, rad.
#[allow(clippy::approx_constant)] // the literal of the shader
pub fn turned_toward(heading: Vec3, direction: Vec3, most: f32) -> Vec3 {
    let limit = rotation(most.min(3.1415927));
    if dot3(direction, direction) == 0.0 {
        return heading;
    }
    if dot3(heading, direction) >= limit.x {
        return direction;
    }
    unit_or_zero(heading * limit.x + across(heading, direction * SMALL_TURNS) * limit.y)
}

/// A heading turned away from another one by the angle between the two, but no more than the angle `most`, rad.
#[allow(clippy::approx_constant)] // the literal of the shader
pub fn turned_away(heading: Vec3, other: Vec3, most: f32) -> Vec3 {
    let limit = rotation(most.min(3.1415927));
    let cosine = dot3(heading, other);
    if dot3(other, other) == 0.0 {
        return heading;
    }
    if cosine >= limit.x {
        return unit_or_zero(heading * (2.0 * cosine) - other);
    }
    unit_or_zero(heading * limit.x - across(heading, other * SMALL_TURNS) * limit.y)
}

/// The acceleration before the behavior's weight, u/s²; zero if no neighbor is perceived.
pub fn flock_by_turns_resolve(sum: FlockByTurnsSum, flock_by_turns: &FlockByTurns, agent: &Agent) -> Vec3 {
    if sum.count == 0 {
        return Vec3::ZERO;
    }
    let time = agent.interval;
    let mut course = agent.forward;
    if sum.nearest_squared < flock_by_turns.min_separation * flock_by_turns.min_separation {
        course = turned_away(course, sum.nearest_heading, flock_by_turns.max_separate_turn * time);
    } else {
        course = turned_toward(course, unit_or_zero(sum.headings), flock_by_turns.max_align_turn * time);
        course = turned_toward(course, unit_or_zero(sum.toward), flock_by_turns.max_cohere_turn * time);
    }
    steer_to(agent, course * agent.max_speed)
}
