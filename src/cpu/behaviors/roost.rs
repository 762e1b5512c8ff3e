//! Twin of `shaders/behaviors/roost.wgsl`: agents that leave the air over the roost turn back to it.

use crate::cpu::common::agent::Agent;
use crate::cpu::common::target::along;
use crate::cpu::common::vector::{dot3, unit_or_zero};
use crate::model::{CompiledScene, Roost};
use glam::Vec3;

/// The acceleration before the behavior's weight, u/s².
pub fn roost_steer(model: &CompiledScene, roost: &Roost, agent: &Agent) -> Vec3 {
    let spatial = agent.spatial;
    let home = (Vec3::from_array(model.world.half_size) * roost.extent).max(Vec3::splat(1e-6));
    let share = agent.position / home;
    // In a spatial world the height is y. It does not count for the distance from home.
    let at = if spatial { share.with_y(0.0) } else { share.with_z(0.0) };
    let beyond = ((dot3(at, at).sqrt() - 1.0) / roost.ramp).clamp(0.0, 1.0);
    let inward = -along(at / home);
    let side = if spatial { Vec3::new(inward.z, 0.0, -inward.x) } else { Vec3::new(-inward.y, inward.x, 0.0) };
    let course = unit_or_zero(inward + side * roost.lean);
    let ahead = dot3(agent.forward, course);
    let turn = unit_or_zero(course - agent.forward * ahead) * (beyond * (0.5 - 0.5 * ahead));
    let height = if spatial { share.y * roost.level } else { 0.0 };
    (turn - Vec3::new(0.0, height, 0.0)) * agent.max_acceleration
}
