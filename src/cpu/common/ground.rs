//! Twin of `shaders/common/ground.wgsl`: a coarse grid over the world that counts visits and holds a resource
//! and a trail.

use super::agent::Agent;
use super::boundary::wrapped;
use super::target::{Goal, goal_at};
use super::vector::dot3;
pub use crate::constants::{MOST_TRAIL, UNCLAIMED};
use crate::cpu::Buffers;
use crate::model::{CompiledScene, World};
use crate::scene::{Boundary, Ground};
use glam::Vec3;

fn ground_axis(x: f32, half_size: f32, per_unit: f32, cells: u32) -> u32 {
    ((x + half_size) * per_unit).floor().clamp(0.0, cells as f32 - 1.0) as u32
}

/// The cell of a point; agents outside of the world are at its edge.
pub fn ground_cell(world: &World, spatial: bool, position: Vec3) -> [u32; 3] {
    let along = |axis: usize| {
        let (per_unit, cells) = (world.ground_cells_per_unit[axis], world.ground_cells[axis]);
        ground_axis(position[axis], world.half_size[axis], per_unit, cells)
    };
    [along(0), along(1), if spatial { along(2) } else { 0 }]
}

/// Index of a cell.
pub fn ground_index(world: &World, cell: [u32; 3]) -> usize {
    ((cell[2] * world.ground_cells[1] + cell[1]) * world.ground_cells[0] + cell[0]) as usize
}

/// Index along one axis of the cell `step` cells from `home`; `None` beyond an end that does not wrap, or more than half way
/// around a wrapped axis.
pub fn ground_step(home: u32, step: i32, cells: u32, wraps: bool) -> Option<u32> {
    let (there, count) = (home as i32 + step, cells as i32);
    if wraps {
        return (step.abs() <= count / 2).then_some(there.rem_euclid(count) as u32);
    }
    (0..count).contains(&there).then_some(there as u32)
}

/// From a point to the center of the cell `step` cells from its own, `home`, u.
pub fn ground_offset(world: &World, spatial: bool, position: Vec3, home: [u32; 3], step: [i32; 3]) -> Vec3 {
    let cell = [0, 1, 2].map(|axis| (home[axis] as i32 + step[axis]) as f32);
    let center = (Vec3::from_array(cell) + 0.5) * Vec3::from_array(world.ground_cell_size);
    let offset = center - Vec3::from_array(world.half_size) - position;
    if spatial { offset } else { Vec3::new(offset.x, offset.y, 0.0) }
}

/// The whole units that fall into this step at a rate in 1/65536 units per step.
pub fn ground_units(rate: u32, step: u32) -> u32 {
    let until = |step: u32| step.wrapping_mul(rate) >> 16;
    until(step).wrapping_sub(until(step.wrapping_sub(1))) & 0xffff
}

/// The center of the best ground cell around an agent. With a radius that is the nearest cell within it that holds some of
/// the resource; without one, the least visited other cell, and of equally visited ones the nearest.
fn search_ground(model: &CompiledScene, buffers: &Buffers, agent: &Agent, cells: i32, radius: Option<f32>) -> Goal {
    let world = &model.world;
    let home = ground_cell(world, model.spatial, agent.position);
    let reach = cells.min(Ground::reach(model.spatial) as i32);
    let deep = if model.spatial { reach } else { 0 };
    let axis = |axis: usize, step: i32| {
        let wraps = model.boundary[axis] == Boundary::Wrap;
        ground_step(home[axis], step, world.ground_cells[axis], wraps)
    };
    let mut best: Option<(u32, f32, Vec3)> = None;
    for z in -deep..=deep {
        for y in -reach..=reach {
            for x in -reach..=reach {
                let (Some(at_x), Some(at_y), Some(at_z)) = (axis(0, x), axis(1, y), axis(2, z)) else { continue };
                let cell = &buffers.ground[ground_index(world, [at_x, at_y, at_z])];
                let offset = ground_offset(world, model.spatial, agent.position, home, [x, y, z]);
                let distance_squared = dot3(offset, offset);
                let own = [x, y, z] == [0; 3];
                let (visits, counts) = match radius {
                    None => (cell.visits, !own),
                    Some(radius) => (0, cell.stock > 0 && (own || distance_squared <= radius * radius)),
                };
                let better = best.is_none_or(|(fewest, nearest, _)| {
                    visits < fewest || (visits == fewest && distance_squared < nearest)
                });
                if counts && better {
                    best = Some((visits, distance_squared, offset));
                }
            }
        }
    }
    best.map_or(Goal::default(), |(_, _, offset)| goal_at(offset, Vec3::ZERO, Vec3::ZERO))
}

/// The center of the least visited cell other than the agent's own, of equal ones the nearest.
pub fn least_visited(model: &CompiledScene, buffers: &Buffers, agent: &Agent, cells: u32) -> Goal {
    search_ground(model, buffers, agent, cells as i32, None)
}

/// The center of the nearest cell within a radius that holds some of the resource, u.
pub fn nearest_resource(model: &CompiledScene, buffers: &Buffers, agent: &Agent, radius: f32) -> Goal {
    let [x, y, z] = model.world.ground_cells_per_unit;
    let cells = (radius * x.max(y.max(z))).min(100.0).ceil();
    search_ground(model, buffers, agent, cells as i32, Some(radius))
}

/// Units of the trail at a point; beyond an end of the world, those at that end.
pub fn trail_at(model: &CompiledScene, buffers: &Buffers, position: Vec3) -> u32 {
    let cell = ground_cell(&model.world, model.spatial, wrapped(model, position));
    buffers.ground[ground_index(&model.world, cell)].trail
}

/// (amount · share + rounding) / 2^32, rounded down: a share of some units. The shader has no 64-bit integers, and
/// computes this from four partial products.
pub fn portion_of(amount: u32, share: u32, rounding: u32) -> u32 {
    ((u64::from(amount) * u64::from(share) + u64::from(rounding)) >> 32) as u32
}
