//! Twin of `shaders/behaviors/seek.wgsl`: toward the target at full speed, and through it.

use crate::cpu::common::agent::{Agent, FORM_OFFSET, steer_along};
use crate::cpu::common::target::{COINCIDENT, Goal, along};
use crate::cpu::common::vector::dot3;
use crate::model::Seek;
use glam::Vec3;

const CURRENT_SPEED: u32 = 1;
const AROUND: u32 = 1;

/// Is the target inside one of the circles, of radius v²/a, that the agent would fly in its tightest turns?
fn seek_inside_turn(agent: &Agent, goal: &Goal) -> bool {
    let ahead = dot3(goal.offset, agent.forward);
    let squared = goal.distance * goal.distance;
    let aside = (squared - ahead * ahead).max(0.0).sqrt();
    squared * agent.max_acceleration < 2.0 * aside * agent.speed * agent.speed
}

/// The acceleration before the behavior's weight, u/s².
pub fn seek_steer(seek: &Seek, agent: &Agent, goal: &Goal) -> Vec3 {
    let at_hand = goal.distance <= COINCIDENT && seek.form != FORM_OFFSET;
    if !goal.exists || goal.distance < seek.capture_radius || at_hand {
        return Vec3::ZERO;
    }
    let mut direction = along(goal.offset);
    if seek.approach == AROUND && seek_inside_turn(agent, goal) {
        direction = agent.forward;
    }
    let speed = if seek.speed == CURRENT_SPEED { agent.speed } else { agent.max_speed };
    steer_along(agent, seek.form, direction, goal.distance, speed)
}
