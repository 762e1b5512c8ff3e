//! Twin of `shaders/sim/collide.wgsl`: bodies that overlap at the end of a step are moved apart.

use crate::cpu::common::agent::radius_of;
use crate::cpu::common::boundary::{bounded_move, wrapped};
use crate::cpu::common::obstacles::nearest_wall;
use crate::cpu::common::surface::ground_at;
use crate::cpu::common::target::nearest_image;
use crate::cpu::common::vector::{direction, dot3, forward_of, is_sane3, unsigned_zeros, within};
use crate::cpu::common::vehicle::{clip_speed, limits_of, mass_of, tangential};
use crate::cpu::common::walk::walk_once;
use crate::cpu::common::walls::{along_walls, in_wall};
use crate::cpu::{Buffers, Execution};
use crate::model::random::STREAM_COINCIDENT;
use crate::model::scenery::TOUCHING;
use crate::model::{CompiledScene, FROZEN, ID_BITS};
use glam::Vec3;

/// Run the stage.
pub fn collide(model: &CompiledScene, buffers: &mut Buffers, execution: Execution) {
    if !model.collides() {
        return;
    }
    for _ in 0..model.contact_rounds {
        round(model, buffers, execution);
    }
}

fn round(model: &CompiledScene, buffers: &mut Buffers, execution: Execution) {
    let mut pushes = std::mem::take(&mut buffers.pushes);
    let shared = &*buffers;
    execution.for_each(&mut pushes, |index, push| *push = model.store(unsigned_zeros(push_on(model, shared, index))));
    buffers.pushes = pushes;
    let mut results = vec![None; buffers.position.len()];
    let shared = &*buffers;
    execution.for_each(&mut results, |index, result| *result = moved(model, shared, index));
    for (index, result) in results.into_iter().enumerate() {
        if let Some([position, velocity]) = result {
            buffers.position[index] = position;
            buffers.velocity[index] = velocity;
        }
    }
}

fn collides(model: &CompiledScene, id: u32) -> bool {
    let own_id = id & ID_BITS;
    id & FROZEN == 0 && own_id < model.world.agent_count && model.species[model.species_of(own_id)].collides != 0
}

fn push_on(model: &CompiledScene, buffers: &Buffers, index: usize) -> Vec3 {
    let own_id = buffers.id[index];
    if collides(model, own_id) { pushed_by_others(model, buffers, index, own_id) } else { Vec3::ZERO }
}

fn pushed_by_others(model: &CompiledScene, buffers: &Buffers, index: usize, own_id: u32) -> Vec3 {
    let world = &model.world;
    let own = &model.species[model.species_of(own_id)];
    let here = Vec3::from_array(buffers.position[index]);
    let radius = radius_of(model, own, own_id);
    let mass = mass_of(model, own, own_id);
    let (mut push, mut sum, mut squares) = (Vec3::ZERO, 0f32, 0f32);
    walk_once(model, &buffers.cell_start, radius + world.contact_reach, here, |first, last| {
        for other in first as usize..last as usize {
            let offset = nearest_image(model, Vec3::from_array(buffers.position[other]) - here);
            let (squared, id) = (dot3(offset, offset), buffers.id[other]);
            if other == index || !collides(model, id) {
                continue;
            }
            let theirs = &model.species[model.species_of(id)];
            let touching = radius + radius_of(model, theirs, id);
            if squared >= touching * touching {
                continue;
            }
            let distance = squared.sqrt();
            let mut away = -offset / distance.max(TOUCHING);
            if squared < TOUCHING * TOUCHING {
                let apart = direction(world.seed, model.spatial, own_id.min(id), own_id.max(id), STREAM_COINCIDENT);
                away = if own_id < id { apart } else { -apart };
            }
            let their_mass = mass_of(model, theirs, id);
            let overlap = touching - distance;
            push += away * (overlap * (their_mass / (mass + their_mass)));
            sum += overlap;
            squares += overlap * overlap;
        }
    });
    push / (0.5 * sum * sum / squares.max(1e-30)).max(1.0)
}

fn braked(model: &CompiledScene, moving: Vec3, push: Vec3) -> Vec3 {
    let length = dot3(push, push).sqrt();
    if length < TOUCHING {
        return moving;
    }
    let along = push / length;
    moving + along * within(-dot3(moving, along), 0.0, length / model.world.dt)
}

/// New position and velocity of an agent; `None` if it is not moved.
fn moved(model: &CompiledScene, buffers: &Buffers, index: usize) -> Option<[[f32; 3]; 2]> {
    let own_id = buffers.id[index];
    if !collides(model, own_id) {
        return None;
    }
    let world = &model.world;
    let own = &model.species[model.species_of(own_id)];
    let before = Vec3::from_array(buffers.position[index]);
    let moving = Vec3::from_array(buffers.velocity[index]);
    let mut push = Vec3::from_array(buffers.pushes[index]);
    let wall = nearest_wall(model, before + push, world.dt);
    push += wall.normal * (radius_of(model, own, own_id) - wall.distance).max(0.0);
    if push == Vec3::ZERO {
        return None;
    }
    let mut after = (before + push, braked(model, moving, push));
    let limits = limits_of(model, buffers, own, own_id);
    let least = limits.least_speed.min(dot3(moving, moving).sqrt());
    after.1 = clip_speed(after.1, least, limits.speed, forward_of(world.seed, model.spatial, moving, own_id));
    let walled = model.nearest_walls.is_some();
    if walled {
        after = along_walls(model, before, after);
    }
    let mut new_position = bounded_move(model, (after.0, Vec3::ZERO)).0;
    let mut new_velocity = after.1;
    if own.vehicle.hugs_surface != 0 {
        let ground = ground_at(model, new_position);
        new_position = wrapped(model, ground.point);
        new_velocity = tangential(new_velocity, ground.up);
    }
    if walled && new_position != after.0 && in_wall(model, new_position) && !in_wall(model, before) {
        (new_position, new_velocity) = (before, Vec3::ZERO);
    }
    let is_sane = is_sane3(new_position) && is_sane3(new_velocity);
    is_sane.then(|| [new_position, new_velocity].map(|vector| model.store(unsigned_zeros(vector))))
}
