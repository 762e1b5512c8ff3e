//! Twin of `shaders/sim/integrate.wgsl`: limit the force, then semi-implicit Euler, the speed limits and the boundary.

use crate::cpu::common::vector::{dot3, forward_of, is_sane3, limit};
use crate::cpu::{Buffers, Execution};
use crate::model::boundary::bounded;
use crate::model::{FROZEN, Model, random::STANDSTILL};
use glam::Vec3;

/// Run the stage.
pub fn integrate(model: &Model, buffers: &mut Buffers, execution: Execution) {
    let mut results = std::mem::take(&mut buffers.motion);
    let shared = &*buffers;
    execution.for_each(&mut results, |place, result| *result = integrate_one(model, shared, place));
    for (place, (position, velocity, id)) in results.iter().enumerate() {
        buffers.position[place] = *position;
        buffers.velocity[place] = *velocity;
        buffers.id[place] = *id;
    }
    buffers.motion = results;
}

/// A velocity with its length brought between the two speeds.
fn clip_speed(moving: Vec3, slowest: f32, fastest: f32, forward: Vec3) -> Vec3 {
    let squared = dot3(moving, moving);
    if squared > fastest * fastest {
        return moving * (fastest / squared.sqrt());
    }
    if squared < slowest * slowest {
        if squared > STANDSTILL {
            return moving * (slowest / squared.sqrt());
        }
        return forward * slowest;
    }
    moving
}

fn integrate_one(model: &Model, buffers: &Buffers, place: usize) -> ([f32; 3], [f32; 3], u32) {
    let own_id = buffers.sorted_id[place];
    let before = Vec3::from_array(buffers.sorted_position[place]);
    if own_id & FROZEN != 0 {
        return (model.store(before), [0.0; 3], own_id);
    }
    let world = &model.world;
    let own = &model.species[model.species_of(own_id)];
    let moving = Vec3::from_array(buffers.sorted_velocity[place]);
    let force = limit(Vec3::from_array(buffers.acceleration[place]) * own.mass, own.max_force);
    let forward = forward_of(world.seed, model.spatial, moving, own_id);
    let faster = moving + force / own.mass * world.dt;
    let after = clip_speed(faster, own.min_speed, own.max_speed, forward);
    let moved = before + after * world.dt;

    let motion =
        |axis: usize| bounded(moved[axis], after[axis], world.size[axis], world.half_size[axis], model.boundary[axis]);
    let (x, y) = (motion(0), motion(1));
    let z = if model.spatial { motion(2) } else { (0.0, 0.0) };
    let new_position = Vec3::new(x.0, y.0, z.0);
    let new_velocity = Vec3::new(x.1, y.1, z.1);
    if is_sane3(new_position) && is_sane3(new_velocity) {
        (model.store(new_position), model.store(new_velocity), own_id)
    } else {
        (model.store(before), [0.0; 3], own_id | FROZEN)
    }
}
