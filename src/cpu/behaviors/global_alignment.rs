//! Twin of `shaders/behaviors/global_alignment.wgsl`: toward the mean velocity of all agents of the world, the own one
//! included, or toward their mean heading at full speed.

use crate::cpu::Buffers;
use crate::cpu::behaviors::alignment::{ALIGN_HEADINGS, align_to_heading};
use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::census::{mean_velocity, sum_of_headings};
use crate::model::{GlobalAlignment, Model};
use glam::Vec3;

/// u/s² before its weight.
pub fn global_alignment_steer(
    model: &Model,
    buffers: &Buffers,
    global_alignment: &GlobalAlignment,
    agent: &Agent,
) -> Vec3 {
    if global_alignment.mode == ALIGN_HEADINGS {
        return align_to_heading(sum_of_headings(buffers), agent);
    }
    steer_to(agent, mean_velocity(model, buffers))
}
