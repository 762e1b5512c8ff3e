//! Twin of `shaders/behaviors/align.wgsl`: turn to the heading of the target.

use crate::cpu::common::agent::{Agent, Turner, turn_by};
use crate::cpu::common::angle::rotation_between;
use crate::cpu::common::target::Goal;
use crate::cpu::common::vector::dot3;
use crate::model::Align;
use glam::Vec3;

/// The angular acceleration before the behavior's weight, rad/s².
pub fn align_turn(align: &Align, agent: &Agent, turner: &Turner, goal: &Goal) -> Vec3 {
    if !goal.exists || dot3(goal.forward, goal.forward) < 0.5 {
        return Vec3::ZERO;
    }
    let error = rotation_between(agent.spatial, agent.forward, goal.forward, turner.up);
    turn_by(turner, error, align.slow_angle, align.capture_angle, align.time_to_target)
}
