//! Twin of `shaders/behaviors/heading_noise.wgsl`: the mean heading of the neighbors and of the agent itself, turned by a
//! random angle, at full speed (Vicsek et al. 1995).

use crate::cpu::common::agent::{Agent, steer_to};
use crate::cpu::common::vector::{across, dot3, unit_or_zero};
use crate::cpu::common::vision::{Neighbor, sees};
use crate::model::HeadingNoise;
use crate::model::random::{STANDSTILL, STREAM_NOISE, hash4, rotation, unit_direction, unit_interval};
use glam::Vec3;

/// What is summed over the neighbors.
#[derive(Debug, Clone, Copy, Default)]
pub struct HeadingNoiseSum {
    heading: Vec3,
    count: u32,
}

/// Add one neighbor.
#[inline]
pub fn heading_noise_add(sum: HeadingNoiseSum, heading_noise: &HeadingNoise, neighbor: &Neighbor) -> HeadingNoiseSum {
    let seen = sees(heading_noise.vision, neighbor);
    let heading = sum.heading + neighbor.heading() * if seen { 1.0 } else { 0.0 };
    HeadingNoiseSum { heading, count: sum.count + u32::from(seen) }
}

/// The acceleration before the behavior's weight, u/s². If the headings cancel, the agent's own heading is turned.
pub fn heading_noise_resolve(sum: HeadingNoiseSum, heading_noise: &HeadingNoise, agent: &Agent) -> Vec3 {
    let total = sum.heading + agent.forward;
    let course = if dot3(total, total) <= STANDSTILL { agent.forward } else { unit_or_zero(total) };
    let draw = hash4([agent.seed, agent.id, agent.step, STREAM_NOISE]);
    let turn = rotation((unit_interval(draw[0]) - 0.5) * heading_noise.noise);
    let mut side = Vec3::new(-course.y, course.x, 0.0);
    if agent.spatial {
        side = across(course, unit_direction(true, draw[1], draw[2]));
    }
    steer_to(agent, (course * turn.x + side * turn.y) * agent.max_speed)
}
