//! Twin of `shaders/sim/trail.wgsl`: agents lay down their deposits, then the trail fades, then it spreads.

use crate::cpu::common::ground::*;
use crate::cpu::{Buffers, Execution};
use crate::model::{CompiledScene, FROZEN, World};
use crate::scene::Boundary;
use glam::Vec3;

/// Run the stage; the sums of integers are the same in any order.
pub fn trail(model: &CompiledScene, buffers: &mut Buffers, execution: Execution) {
    if !model.has_trail() {
        return;
    }
    let (world, step) = (&model.world, buffers.clock[0]);
    for (position, id) in buffers.position.iter().zip(&buffers.id).filter(|(_, id)| **id & FROZEN == 0) {
        let own = &model.species[model.species_of(*id)];
        if (own.deposit_states >> buffers.memory[*id as usize].state) & 1 != 0 {
            let home = ground_index(world, ground_cell(world, model.spatial, Vec3::from_array(*position)));
            let trail = &mut buffers.ground[home].trail;
            *trail = trail.wrapping_add(ground_units(own.deposit, step));
        }
    }
    let ground = &buffers.ground;
    execution.for_each(&mut buffers.faded, |index, faded| {
        let laid = ground[index].trail.min(MOST_TRAIL);
        *faded = laid - portion_of(laid, world.trail_fade, step.reverse_bits());
    });
    let faded = &buffers.faded;
    let wraps = model.boundary.map(|boundary| boundary == Boundary::Wrap);
    execution.for_each(&mut buffers.ground, |index, cell| {
        let [nx, ny, _] = world.ground_cells.map(|cells| cells as usize);
        let along =
            |axis: usize, at: usize, stride: usize| trail_exchange(world, faded, index, axis, at, stride, wraps);
        let mut amount = faded[index].wrapping_add(along(0, index % nx, 1)).wrapping_add(along(1, index / nx % ny, nx));
        if model.spatial {
            amount = amount.wrapping_add(along(2, index / (nx * ny), nx * ny));
        }
        cell.trail = amount;
    });
}

/// What a cell receives from its two neighbors along an axis, less what it gives them, modulo 2^32.
fn trail_exchange(
    world: &World,
    faded: &[u32],
    index: usize,
    axis: usize,
    at: usize,
    stride: usize,
    wraps: [bool; 3],
) -> u32 {
    let share = world.trail_shares[axis];
    let given = portion_of(faded[index], share, 0);
    let mut change = 0u32;
    for step in [-1, 1] {
        if let Some(next) = ground_step(at as u32, step, world.ground_cells[axis], wraps[axis]) {
            let there = index - at * stride + next as usize * stride;
            change = change.wrapping_add(portion_of(faded[there], share, 0).wrapping_sub(given));
        }
    }
    change
}
