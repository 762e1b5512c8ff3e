//! Twin of `shaders/behaviors/global_alignment.wgsl`: toward the mean velocity of all agents of the world, the agent itself
//! included, or toward their mean heading, or in the direction of one of these at full speed.

use crate::cpu::Buffers;
use crate::cpu::behaviors::alignment::{
    ALIGN_COURSE, ALIGN_FULL_SPEED, ALIGN_HEADINGS, align_headings, align_to_course,
};
use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::census::{headings_counted, mean_velocity, sum_of_headings};
use crate::model::{CompiledScene, GlobalAlignment};
use glam::Vec3;

/// The acceleration before the behavior's weight, u/s².
pub fn global_alignment_steer(
    model: &CompiledScene,
    buffers: &Buffers,
    global_alignment: &GlobalAlignment,
    agent: &Agent,
) -> Vec3 {
    match global_alignment.mode {
        ALIGN_HEADINGS => align_headings(sum_of_headings(buffers), headings_counted(buffers), agent),
        ALIGN_COURSE => align_to_course(sum_of_headings(buffers), agent),
        ALIGN_FULL_SPEED => align_to_course(mean_velocity(model, buffers), agent),
        _ => steer_to(agent, mean_velocity(model, buffers)),
    }
}
