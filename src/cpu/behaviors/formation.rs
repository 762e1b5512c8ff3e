//! Twin of `shaders/behaviors/formation.wgsl`: to a place of its own in a shape around the target.

use super::offset_pursuit::offset_pursuit_accompany;
use crate::cpu::common::agent::Agent;
use crate::cpu::common::goals::{TARGET_AGENT, TARGET_LEADER};
use crate::cpu::common::target::Goal;
use crate::model::random::rotation;
use crate::model::{CompiledScene, Formation};
use glam::Vec3;

const LINE: u32 = 0;
const COLUMN: u32 = 1;
const WEDGE: u32 = 2;

/// The place of a rank, from 0, in a shape of `size` places: ahead of the target, to its right, above it; u.
#[allow(clippy::excessive_precision)] // the literals of the shader
fn formation_place(shape: u32, rank: u32, size: u32, spacing: f32) -> Vec3 {
    let row = (rank / 2 + 1) as f32 * spacing;
    let aside = if rank % 2 == 1 { -row } else { row };
    match shape {
        LINE => return Vec3::new(0.0, aside, 0.0),
        COLUMN => return Vec3::new(-((rank + 1) as f32 * spacing), 0.0, 0.0),
        WEDGE => return Vec3::new(-row, aside, 0.0),
        _ => {}
    }
    let turn = rotation(rank as f32 / size as f32 * 6.2831855);
    let radius = (size as f32 * spacing * 0.15915494).max(spacing);
    Vec3::new(turn.x * radius, turn.y * radius, 0.0)
}

/// The acceleration before the behavior's weight, u/s².
pub fn formation_steer(formation: &Formation, agent: &Agent, goal: &Goal, model: &CompiledScene) -> Vec3 {
    if !goal.exists {
        return Vec3::ZERO;
    }
    let own = &model.species[model.species_of(agent.id)];
    let (mut index, mut count, led_by) = (agent.id - own.first_id, own.count, formation.toward.index);
    let leaders = match formation.toward.kind {
        TARGET_LEADER => model.species[led_by as usize].count.max(1),
        _ => 1,
    };
    // If the others follow an agent of their own species, that agent takes no place.
    if formation.toward.kind == TARGET_AGENT && model.species_of(led_by) == model.species_of(agent.id) {
        index -= u32::from(agent.id > led_by);
        count -= 1;
    }
    let size = (count - index % leaders).div_ceil(leaders);
    let place = formation_place(formation.shape, index / leaders, size, formation.spacing);
    offset_pursuit_accompany(agent, goal, place, formation.slow_radius, formation.max_prediction_time)
}
