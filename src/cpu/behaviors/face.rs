//! Twin of `shaders/behaviors/face.wgsl`: turn to the target.

use crate::cpu::common::agent::{Agent, Turner, turn_by};
use crate::cpu::common::angle::rotation_between;
use crate::cpu::common::target::{COINCIDENT, Goal, along};
use crate::model::Face;
use glam::Vec3;

/// The angular acceleration before the behavior's weight, rad/s².
pub fn face_turn(face: &Face, agent: &Agent, turner: &Turner, goal: &Goal) -> Vec3 {
    if !goal.exists || goal.distance <= COINCIDENT {
        return Vec3::ZERO;
    }
    let error = rotation_between(agent.spatial, agent.forward, along(goal.offset), turner.up);
    turn_by(turner, error, face.slow_angle, face.capture_angle, face.time_to_target)
}
