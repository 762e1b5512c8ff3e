//! Twin of `shaders/common/vehicle.wgsl`: what an agent's body makes of its steering.

use super::angle::{rotate, rotation_between};
use super::hash::deviation;
pub use super::structs::{Body, Limits, Turned};
use super::vector::{cross3, dot3, kept, limit, within};
use crate::constants::NO_LIMIT;
pub use crate::constants::{KINEMATIC, POINT_MASS, TURN_FIRST};
use crate::cpu::Buffers;
use crate::model::random::STANDSTILL;
use crate::model::{CompiledScene, Drawn, Pose, Species};
use glam::Vec3;
use std::f32::consts::PI;

/// The mass of an agent, kg; at least a tenth of the mean.
pub fn mass_of(model: &CompiledScene, own: &Species, id: u32) -> f32 {
    match own.mass_spread {
        0.0 => own.mass,
        spread => (own.mass + spread * deviation(model.world.seed, id, 2, own.normal != 0)).max(own.mass * 0.1),
    }
}

/// The limits of an agent: those of its species, its own random ones where these have a spread, times the factors of its action state.
pub fn limits_of(model: &CompiledScene, buffers: &Buffers, own: &Species, id: u32) -> Limits {
    let (seed, normal) = (model.world.seed, own.normal != 0);
    let angular_speed = own.vehicle.max_angular_speed;
    let mut limits = Limits {
        speed: own.max_speed,
        least_speed: own.min_speed,
        force: own.max_force,
        mass: mass_of(model, own, id),
        angular_speed,
        time_constant: own.time_constant,
        id,
        seed,
        dt: model.world.dt,
    };
    // In most scenes these have no spread, and nothing is drawn.
    if own.least_spread != 0.0 {
        let least = own.min_speed + own.least_spread * deviation(seed, id, 5, normal);
        limits.least_speed = within(least, 0.0, own.max_speed);
    }
    if own.speed_spread != 0.0 {
        limits.speed = (limits.speed + own.speed_spread * deviation(seed, id, 0, normal)).max(limits.least_speed);
    }
    if own.time_spread != 0.0 {
        let time = own.time_constant + own.time_spread * deviation(seed, id, 6, normal);
        limits.time_constant = time.max(own.time_constant * 0.1);
    }
    if own.force_spread != 0.0 {
        limits.force = (limits.force + own.force_spread * deviation(seed, id, 1, normal)).max(0.0);
    }
    if own.angular_spread != 0.0 {
        let angular = angular_speed + own.angular_spread * deviation(seed, id, 4, normal);
        limits.angular_speed = within(angular, 0.0, PI / model.world.dt);
    }
    // Memories lie by id, so reading the action state is slow: do so only if the states' factors differ.
    let equal = |of_states: &[f32]| of_states.iter().fold(true, |equal, factor| equal & (*factor == of_states[0]));
    let mut state = 0;
    if !equal(&own.state_speeds) || !equal(&own.state_forces) {
        state = buffers.memory[id as usize].state.min(31) as usize;
    }
    limits.speed = (limits.speed * own.state_speeds[state]).max(limits.least_speed);
    limits.force *= own.state_forces[state];
    limits
}

/// A stored pose.
pub fn load_pose(stored: &Pose) -> Body {
    let [forward, up, spin, bank] = [stored.forward, stored.up, stored.spin, stored.bank].map(Vec3::from_array);
    Body { forward, up, spin, bank }
}

/// A pose to be stored.
pub fn store_pose(body: &Body) -> Pose {
    let [forward, up, spin, bank] = [body.forward, body.up, body.spin, body.bank].map(kept);
    Pose { forward, up, spin, bank }
}

/// The direction of a velocity, or `otherwise` if it is too slow to have one.
pub fn direction_of(moving: Vec3, otherwise: Vec3) -> Vec3 {
    let squared = dot3(moving, moving);
    if squared > STANDSTILL {
        return moving / squared.sqrt();
    }
    otherwise
}

/// Up for a new heading: the unit vector at a right angle to the heading that is nearest to `wish`.
pub fn rebase(spatial: bool, forward: Vec3, wish: Vec3) -> Vec3 {
    if !spatial {
        return Vec3::Z;
    }
    let mut side = cross3(forward, wish);
    let length_squared = dot3(wish, wish);
    if dot3(side, side) <= 1e-8 * length_squared || length_squared <= 1e-30 {
        let size = forward.abs();
        side = Vec3::new(forward.y, -forward.x, 0.0);
        if size.y <= size.x && size.y <= size.z {
            side = Vec3::new(-forward.z, 0.0, forward.x);
        }
        if size.x < size.y && size.x <= size.z {
            side = Vec3::new(0.0, forward.z, -forward.y);
        }
    }
    cross3(side / dot3(side, side).sqrt(), forward)
}

/// An agent's own value of a number with a mean and a spread; never below 0. `which` is the number of its random draw.
fn drawn(own: &Species, limits: Limits, which: u32, Drawn { mean, spread }: Drawn) -> f32 {
    // In most scenes these have no spread, and nothing is drawn.
    if spread == 0.0 {
        return mean;
    }
    (mean + spread * deviation(limits.seed, limits.id, which, own.normal != 0)).max(0.0)
}

/// The speed below which an agent's lateral acceleration is limited, u/s.
pub fn low_speed_of(own: &Species, limits: Limits) -> f32 {
    drawn(own, limits, 7, own.vehicle.low_speed)
}

/// The least speed of an agent that moves along its heading, u/s; negative where it may drive backward.
fn backward_of(own: &Species, limits: Limits) -> f32 {
    if own.vehicle.reverse_spread == 0.0 {
        return own.vehicle.least_speed;
    }
    -drawn(own, limits, 12, Drawn { mean: -own.vehicle.least_speed, spread: own.vehicle.reverse_spread })
}

/// The greatest angular acceleration of an agent whose species draws it for each agent, rad/s².
fn agility_of(own: &Species, limits: Limits) -> f32 {
    let vehicle = &own.vehicle;
    let given = drawn(own, limits, 13, vehicle.angular_limit);
    let torque = drawn(own, limits, 14, vehicle.torque);
    let inertia = drawn(own, limits, 15, vehicle.inertia).max(0.1);
    given.min(torque / inertia)
}

/// The greatest angular acceleration of an agent, rad/s².
pub fn angular_acceleration_of(own: &Species, limits: Limits) -> f32 {
    if own.vehicle.agility_varies == 0 { own.vehicle.max_angular_acceleration } else { agility_of(own, limits) }
}

/// The angular acceleration by which an agent brakes at the end of a turn, 0.8 of its greatest, times dt², rad.
fn braking_of(own: &Species, limits: Limits) -> f32 {
    if own.vehicle.agility_varies == 0 {
        return own.vehicle.braking;
    }
    0.8 * agility_of(own, limits) * limits.dt * limits.dt
}

/// An acceleration, u/s², with its part across the heading limited at low speed.
pub fn limit_lateral(acceleration: Vec3, forward: Vec3, speed: f32, low_speed: f32) -> Vec3 {
    if speed >= low_speed {
        return acceleration;
    }
    let along = forward * dot3(acceleration, forward);
    along + (acceleration - along) * (speed / low_speed)
}

/// A velocity after a step with linear and quadratic drag, u/s. Terminal speeds are exact whatever the time step.
pub fn dragged(own: &Species, limits: Limits, moving: Vec3, acceleration: Vec3) -> Vec3 {
    let pushed = moving * own.vehicle.velocity_kept + acceleration * own.vehicle.velocity_gain;
    let speed = dot3(pushed, pushed).sqrt();
    let air = drawn(own, limits, 9, own.vehicle.air);
    pushed * (2.0 / (1.0 + (1.0 + air * speed).sqrt()))
}

/// An angular velocity after a step with an angular acceleration, both limited, and angular drag, rad/s.
pub fn spun(own: &Species, limits: Limits, spin: Vec3, angular_acceleration: Vec3) -> Vec3 {
    let limited = limit(angular_acceleration, angular_acceleration_of(own, limits));
    let faster = spin * own.vehicle.spin_kept + limited * own.vehicle.spin_gain;
    limit(faster, limits.angular_speed)
}

/// Turn the heading toward a direction as fast as the limits allow, so that it comes to rest there.
pub fn turn_to(model: &CompiledScene, own: &Species, limits: Limits, body: &Body, direction: Vec3) -> Turned {
    let dt = model.world.dt;
    let rest = rotation_between(model.spatial, body.forward, direction, body.up);
    let angle = dot3(rest, rest).sqrt();
    let braking = braking_of(own, limits);
    let stopping =
        2.0 * angle * braking / (0.5 * braking + (0.25 * braking * braking + 2.0 * angle * braking).sqrt()).max(1e-30);
    let step = angle.min(stopping);
    let desired = rest * (step / angle.max(1e-30) / dt);
    let kept = body.spin * own.vehicle.spin_kept;
    let spin = spun(own, limits, body.spin, (desired - kept) / own.vehicle.spin_gain);
    let rotation = spin * dt;
    let missing = rest - rotation;
    if dot3(missing, missing) <= 1e-13 {
        return Turned { forward: direction, spin, arrived: true };
    }
    let turned = rotate(model.spatial, body.forward, rotation);
    Turned { forward: turned / dot3(turned, turned).sqrt(), spin, arrived: false }
}

/// The part of a velocity along a heading, as a speed, u/s.
pub fn speed_along(velocity: Vec3, forward: Vec3) -> f32 {
    dot3(velocity, forward) / dot3(forward, forward)
}

/// A velocity with its length brought between the two speeds, u/s.
pub fn clip_speed(moving: Vec3, slowest: f32, fastest: f32, forward: Vec3) -> Vec3 {
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

/// The velocity after a step of an agent that moves along its heading only, unless its tires let it slide, u/s.
pub fn drive(
    model: &CompiledScene,
    own: &Species,
    limits: Limits,
    [moving, desired]: [Vec3; 2],
    body: &Body,
    turn: &Turned,
) -> Vec3 {
    let before = speed_along(moving, body.forward);
    let loss = drawn(own, limits, 8, own.vehicle.turn_loss);
    let mut left = before / (1.0 + dot3(turn.spin, turn.spin) * loss);
    let grip = own.vehicle.grip;
    let along = speed_along(moving, turn.forward);
    let mut aside = moving - turn.forward * along;
    let slide = dot3(aside, aside).sqrt();
    let tires_limited = grip < NO_LIMIT;
    let slides = tires_limited && (slide > grip || before * along < 0.0);
    if slides {
        left = along;
        aside *= 1.0 - grip / slide.max(grip).max(1e-30);
    }
    let ahead = speed_along(desired, turn.forward);
    let aim = if own.vehicle.projects != 0 { ahead } else { dot3(desired, desired).sqrt() };
    let backward = backward_of(own, limits);
    let least = if backward < 0.0 { backward } else { limits.least_speed };
    let most = limits.speed;
    let strongest = limits.force / limits.mass;
    let pedal = within((within(aim, least, most) - left) / limits.time_constant, -strongest, strongest);
    if slides {
        return skidding(model, own, limits, [turn.forward, aside], [left, pedal, least]);
    }
    let lowest = if tires_limited && left < 0.0 { least.min(left) } else { least.max(-most) };
    let mut velocity = turn.forward * (left + pedal * model.world.dt);
    if model.vehicles.drag {
        velocity = dragged(own, limits, turn.forward * left, turn.forward * pedal);
    }
    turn.forward * within(speed_along(velocity, turn.forward), lowest, most)
}

/// The velocity after a step of an agent that slides, u/s. `left` is its speed along the heading before the step, `aside` what the
/// tires leave of its sideways velocity.
fn skidding(
    model: &CompiledScene,
    own: &Species,
    limits: Limits,
    [forward, aside]: [Vec3; 2],
    [left, pedal, least]: [f32; 3],
) -> Vec3 {
    let sliding = forward * left + aside;
    let mut velocity = sliding + forward * (pedal * model.world.dt);
    if model.vehicles.drag {
        velocity = dragged(own, limits, sliding, forward * pedal);
    }
    let along = speed_along(velocity, forward);
    let driven = velocity + forward * (within(along, least.min(left), limits.speed) - along);
    clip_speed(driven, if along < 0.0 { 0.0 } else { limits.least_speed }, limits.speed, forward)
}

/// A velocity without its part along a normal, of unchanged length unless nothing is left, u/s.
pub fn tangential(velocity: Vec3, normal: Vec3) -> Vec3 {
    let along = velocity - normal * dot3(velocity, normal);
    let squared = dot3(along, along);
    if squared > STANDSTILL {
        return along * (dot3(velocity, velocity).sqrt() / squared.sqrt());
    }
    along
}

/// A body that stands on the ground: up is the normal, and the heading lies in the surface.
pub fn standing(spatial: bool, body: &Body, normal: Vec3) -> Body {
    let mut next = *body;
    let level = body.forward - normal * dot3(body.forward, normal);
    let squared = dot3(level, level);
    if squared > 1e-8 {
        next.forward = level / squared.sqrt();
    } else {
        next.forward = rebase(spatial, normal, body.up);
    }
    next.up = rebase(spatial, next.forward, normal);
    next
}

/// The up that a banking body wishes for: rolled toward the inside of the turn, and back to the world's up.
pub fn banked(own: &Species, limits: Limits, up: Vec3, bank: Vec3) -> Vec3 {
    let mut wish = bank * drawn(own, limits, 11, own.vehicle.leaning);
    wish.y += drawn(own, limits, 10, own.vehicle.righting);
    up + (wish - up) * own.vehicle.bank_share
}
