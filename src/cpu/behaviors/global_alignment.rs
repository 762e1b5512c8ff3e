//! Twin of `shaders/behaviors/global_alignment.wgsl`: toward the mean velocity of all agents of the world, the own one
//! included, or toward their mean heading at full speed.

use crate::cpu::behaviors::alignment::{ALIGN_HEADINGS, align_to_heading};
use crate::cpu::common::agent::{Agent, steer_to};
use crate::model::GlobalAlignment;
use glam::Vec3;

/// u/s² before its weight. `velocity` is the mean, u/s; `headings` is the sum of the headings.
pub fn global_alignment_steer(
    global_alignment: &GlobalAlignment,
    agent: &Agent,
    velocity: Vec3,
    headings: Vec3,
) -> Vec3 {
    if global_alignment.mode == ALIGN_HEADINGS {
        return align_to_heading(headings, agent);
    }
    steer_to(agent, velocity)
}
