//! Twin of `shaders/sim/integrate.wgsl`: limit the force, then semi-implicit Euler, the speed limits, the turn of the
//! heading and the boundary.

use crate::cpu::common::angle::rotate;
use crate::cpu::common::away::{after_absence, is_out};
use crate::cpu::common::boundary::{bounded_move, wrapped};
use crate::cpu::common::surface::ground_at;
use crate::cpu::common::vector::{dot3, forward_of, is_sane3, limit, unsigned_zeros, within};
use crate::cpu::common::vehicle::*;
use crate::cpu::common::walls::{along_walls, in_wall};
use crate::cpu::{Buffers, Execution};
use crate::model::away::is_away;
use crate::model::{AWAY, CompiledScene, FROZEN, ID_BITS, Pose, Species};
use glam::Vec3;

/// Run the stage.
pub fn integrate(model: &CompiledScene, buffers: &mut Buffers, execution: Execution) {
    let mut results = std::mem::take(&mut buffers.motion);
    let shared = &*buffers;
    execution.for_each(&mut results, |sorted_index, result| *result = integrate_one(model, shared, sorted_index));
    for (sorted_index, motion) in results.iter().enumerate() {
        buffers.position[sorted_index] = motion.position;
        buffers.velocity[sorted_index] = motion.velocity;
        buffers.id[sorted_index] = motion.id;
        if let Some(pose) = motion.pose {
            buffers.pose[(motion.id & ID_BITS) as usize] = pose;
        }
    }
    buffers.motion = results;
}

/// One agent after the step.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Moved {
    position: [f32; 3],
    pub(crate) velocity: [f32; 3],
    id: u32,
    /// The new pose; `None` if it does not change.
    pose: Option<Pose>,
}

/// The velocity that steering asks for.
fn desired_velocity(limits: Limits, moving: Vec3, steering: Vec3) -> Vec3 {
    let desired = moving + steering * limits.time_constant;
    if dot3(desired, desired) <= 1e-12 * dot3(moving, moving) {
        return Vec3::ZERO;
    }
    limit(desired, limits.speed)
}

/// The steering after the force limit, u/s².
pub(crate) fn force_limited(limits: Limits, steering: Vec3) -> Vec3 {
    limit(steering * limits.mass, limits.force) / limits.mass
}

/// The velocity of a point mass after a step, within its speed limits. A kinematic agent takes the velocity `desired` at once.
fn propelled(
    model: &CompiledScene,
    own: &Species,
    limits: Limits,
    [moving, steering, desired, forward]: [Vec3; 4],
) -> Vec3 {
    let mut pushed = force_limited(limits, steering);
    if model.vehicles.low_speed {
        pushed = limit_lateral(pushed, forward, dot3(moving, moving).sqrt(), low_speed_of(own, limits));
    }
    let mut faster = moving + pushed * model.world.dt;
    if model.vehicles.drag {
        faster = dragged(own, limits, moving, pushed);
    }
    if own.vehicle.locomotion == KINEMATIC {
        faster = desired;
    }
    clip_speed(faster, limits.least_speed, limits.speed, forward)
}

/// How an agent moves and faces after a step, before the boundary.
struct Course {
    velocity: Vec3,
    body: Body,
}

/// Turn the heading, and the velocity with it unless the agent faces freely. `desired` is the velocity that steering asks
/// for, `after` the one that a point mass would get, `torque` the angular acceleration of an agent that faces freely.
fn course_of(
    model: &CompiledScene,
    own: &Species,
    limits: Limits,
    body: &Body,
    [moving, desired, after, torque]: [Vec3; 4],
) -> Course {
    let dt = model.world.dt;
    let mut next = *body;
    let mut velocity = after;
    let mut wish = body.up;
    if own.vehicle.faces_freely != 0 {
        next.spin = spun(own, limits, body.spin, torque);
        let rotation = next.spin * dt;
        let forward = rotate(model.spatial, body.forward, rotation);
        next.forward = forward / dot3(forward, forward).sqrt();
        wish = rotate(model.spatial, body.up, rotation);
    } else {
        let mut direction = direction_of(after, body.forward);
        let drives = own.vehicle.locomotion == TURN_FIRST;
        if drives {
            direction = direction_of(desired, body.forward);
        }
        let turn = turn_to(model, own, limits, body, direction);
        next.forward = turn.forward;
        next.spin = turn.spin;
        if !turn.arrived {
            let speed = within(speed_along(after, turn.forward), limits.least_speed, limits.speed);
            velocity = turn.forward * speed;
        }
        if drives {
            velocity = drive(model, own, limits, [moving, desired], body, &turn);
        }
    }
    if own.vehicle.banks != 0 {
        next.bank = body.bank + ((velocity - moving) / dt - body.bank) * own.vehicle.smoothing;
        wish = banked(own, limits, wish, next.bank);
    }
    if next.forward != body.forward || wish != body.up {
        next.up = rebase(model.spatial, next.forward, wish);
    }
    Course { velocity, body: next }
}

/// Reflect a direction as the boundary has reflected the velocity: flip each axis on which `before` and `after` differ.
fn mirrored(direction: Vec3, before: Vec3, after: Vec3) -> Vec3 {
    Vec3::select(before.cmpne(after), -direction, direction)
}

pub(crate) fn integrate_one(model: &CompiledScene, buffers: &Buffers, sorted_index: usize) -> Moved {
    let own_id = buffers.sorted_id[sorted_index];
    let before = Vec3::from_array(buffers.sorted_position[sorted_index]);
    if model.world.can_be_away != 0 && is_away(own_id) {
        let velocity = buffers.sorted_velocity[sorted_index];
        let id = after_absence(model, own_id, buffers.clock[0]);
        return Moved { position: model.store(before), velocity, id, pose: None };
    }
    if own_id & FROZEN != 0 {
        return Moved { position: model.store(before), velocity: [0.0; 3], id: own_id, pose: None };
    }
    let world = &model.world;
    let own = &model.species[model.species_of(own_id)];
    let moving = Vec3::from_array(buffers.sorted_velocity[sorted_index]);
    let steering = Vec3::from_array(buffers.acceleration[sorted_index]);
    let keeps_pose = own.vehicle.keeps_pose != 0;
    let mut body = match keeps_pose {
        true => load_pose(&buffers.pose[own_id as usize]),
        false => Body { forward: forward_of(world.seed, model.spatial, moving, own_id), ..Default::default() },
    };

    let limits = limits_of(model, buffers, own, own_id);
    let desired = desired_velocity(limits, moving, steering);
    let mut after = propelled(model, own, limits, [moving, steering, desired, body.forward]);
    if keeps_pose {
        let torque = Vec3::from_array(buffers.memory[own_id as usize].behaviors.turning);
        let course = course_of(model, own, limits, &body, [moving, desired, after, torque]);
        after = course.velocity;
        body = course.body;
    }
    let mut moved = before + after * world.dt;
    if own.vehicle.explicit_euler != 0 {
        moved = before + moving * world.dt;
    }

    let walled = model.nearest_walls.is_some();
    if walled {
        (moved, after) = along_walls(model, before, (moved, after));
    }
    let (mut new_position, mut new_velocity) = bounded_move(model, (moved, after));
    if own.vehicle.faces_freely == 0 {
        body.forward = mirrored(body.forward, after, new_velocity);
        body.up = mirrored(body.up, after, new_velocity);
    }
    if own.vehicle.hugs_surface != 0 {
        let ground = ground_at(model, new_position);
        // The surface may go on beyond an end of the world, where no query would find the agent.
        new_position = wrapped(model, ground.point);
        new_velocity = tangential(new_velocity, ground.up);
        body = standing(model.spatial, &body, ground.up);
    }
    if !(is_sane3(new_position) && is_sane3(new_velocity)) {
        return Moved { position: model.store(before), velocity: [0.0; 3], id: own_id | FROZEN, pose: None };
    }
    if walled && new_position != moved && in_wall(model, new_position) && !in_wall(model, before) {
        (new_position, new_velocity) = (before, Vec3::ZERO);
    }
    Moved {
        position: model.store(unsigned_zeros(new_position)),
        velocity: model.store(unsigned_zeros(new_velocity)),
        id: if is_out(model, own, new_position) { own_id | FROZEN | AWAY } else { own_id },
        pose: keeps_pose.then(|| store_pose(&body)),
    }
}
