// The vehicle: what an agent's body makes of its steering. Limits, drag, and orientation as a right-handed basis of
// forward, up and side = forward × up (Reynolds 1999, "Steering Behaviors For Autonomous Characters").

// A number that differs from agent to agent (`drawn`).
struct Drawn {
    mean: f32, // The mean over all agents.
    spread: f32, // How far it differs from agent to agent.
}

// The vehicle of one species. The limits that every body has are in `Species`.
struct Vehicle {
    // How it moves: 0 as a point mass, 1 turning first, 2 kinematic.
    locomotion: u32,
    // 1 where the position moves with the velocity from before the step.
    explicit_euler: u32,
    // 1 where forward and up are remembered.
    keeps_pose: u32,
    // 1 where the heading does not follow the velocity.
    faces_freely: u32,
    // What drag leaves of a velocity in a step: e^(-linear_drag dt).
    velocity_kept: f32,
    // What an acceleration adds to a velocity in a step: (1 - e^(-linear_drag dt)) / linear_drag, s.
    velocity_gain: f32,
    // What drag leaves of an angular velocity in a step: e^(-angular_drag dt).
    spin_kept: f32,
    spin_gain: f32, // What an angular acceleration adds to an angular velocity in a step, s.
    // Greatest angular speed, rad/s; at most half a turn in a step.
    max_angular_speed: f32,
    // Greatest angular acceleration, rad/s²; the greatest torque over the moment of inertia is in it.
    max_angular_acceleration: f32,
    // The part of `max_angular_acceleration` by which a turn brakes at its end, as rotation in one step, rad.
    braking: f32,
    // 1 where the desired velocity is projected on the heading.
    projects: u32,
    // The least speed of turn_first, u/s; negative where it may drive backward.
    least_speed: f32,
    // 1 where the agent moves on the surface of the scene.
    hugs_surface: u32,
    // 1 where the agent banks.
    banks: u32,
    bank_share: f32, // Share by which up is renewed in a step.
    smoothing: f32, // Share by which the acceleration that it banks by is renewed in a step.
    reverse_spread: f32, // How far the greatest speed backward differs from agent to agent, u/s; 0 for agents that do not drive backward.
    // 1 where the greatest angular acceleration differs from agent to agent: then `angular_limit`, `torque` and `inertia` decide, and
    // neither `max_angular_acceleration` nor `braking`.
    agility_varies: u32,
    // How much of a sideways velocity the tires take away in a step, u/s; NO_LIMIT if they hold any.
    grip: f32,
    // The greatest angular acceleration without regard to torque, rad/s²; larger than any other limit where there is none.
    angular_limit: Drawn,
    // The greatest torque over the mean moment of inertia, rad/s²; larger than any other limit where there is none.
    torque: Drawn,
    inertia: Drawn, // The moment of inertia over its mean.
    // 4 velocity_gain quadratic_drag, s/u.
    air: Drawn,
    // Below this speed lateral acceleration is limited, u/s.
    low_speed: Drawn,
    // turn_loss dt / 2, s²: a turn at ω divides the speed by 1 + ω² times this.
    turn_loss: Drawn,
    // Length of the world's up in the vector that banking rolls up to.
    righting: Drawn,
    // Factor of the acceleration in that vector, s²/u.
    leaning: Drawn,
}

const POINT_MASS = 0u; // Value of a vehicle's `locomotion`.
const TURN_FIRST = 1u;
const KINEMATIC = 2u;

const NO_LIMIT = 1e30; // The value of `grip`, the sideways speed that tires take away in a step, u/s, for tires that never slide.

// What the body of an agent can do.
struct Limits {
    // Greatest speed, u/s.
    speed: f32,
    // Least speed, u/s.
    least_speed: f32,
    // Greatest force, kg·u/s².
    force: f32,
    // Mass, kg.
    mass: f32,
    // Greatest angular speed, rad/s.
    angular_speed: f32,
    // Time within which a desired velocity is reached, s.
    time_constant: f32,
    // Id of the agent.
    id: u32,
}

// The mass of an agent, kg; at least a tenth of the mean.
fn mass_of(own: u32, id: u32) -> f32 {
    let mean = species[own].mass;
    if (varies) {
        return max(mean + species[own].mass_spread * deviation(world.seed, id, 2u, species[own].normal != 0u), mean * 0.1);
    }
    return mean;
}

// The limits of an agent: those of its species, with its own differences and the factors of its action state. The greatest speed is
// never below the least.
fn limits_of(own: u32, id: u32) -> Limits {
    let angular_speed = species[own].vehicle.max_angular_speed;
    var limits = Limits(
        species[own].max_speed,
        species[own].min_speed,
        species[own].max_force,
        mass_of(own, id),
        angular_speed,
        species[own].time_constant,
        id,
    );
    if (varies) {
        let normal = species[own].normal != 0u;
        let least = limits.least_speed + species[own].least_spread * deviation(world.seed, id, 5u, normal);
        limits.least_speed = within(least, 0.0, limits.speed);
        limits.speed = max(limits.speed + species[own].speed_spread * deviation(world.seed, id, 0u, normal), limits.least_speed);
        limits.force = max(limits.force + species[own].force_spread * deviation(world.seed, id, 1u, normal), 0.0);
        let time = limits.time_constant + species[own].time_spread * deviation(world.seed, id, 6u, normal);
        limits.time_constant = max(time, limits.time_constant * 0.1);
        if (species[own].angular_spread > 0.0) {
            let angular = angular_speed + species[own].angular_spread * deviation(world.seed, id, 4u, normal);
            limits.angular_speed = within(angular, 0.0, PI / world.dt);
        }
    }
    if (states_change_limits) {
        let state = min(state_of(id), 31u);
        limits.speed = max(limits.speed * species[own].state_speeds[state], limits.least_speed);
        limits.force *= species[own].state_forces[state];
    }
    return limits;
}

// Which way an agent faces, by id.
struct Pose {
    forward: array<f32, 3>, // Unit vector of the heading.
    up: array<f32, 3>, // Unit vector at a right angle to it; +z in a planar world.
    // Angular velocity, rad/s; along z in a planar world.
    spin: array<f32, 3>,
    // The acceleration that it banks by, smoothed, u/s².
    bank: array<f32, 3>,
}

// A pose in registers.
struct Body {
    forward: vec3f, // Which way it faces, a unit vector.
    up: vec3f, // Up, a unit vector at a right angle to it.
    spin: vec3f, // Angular velocity, rad/s.
    bank: vec3f, // The acceleration that it banks by, smoothed, u/s².
}

fn load_pose(stored: Pose) -> Body {
    return Body(triple(stored.forward), triple(stored.up), triple(stored.spin), triple(stored.bank));
}

fn store_pose(body: Body) -> Pose {
    return Pose(
        kept(body.forward),
        kept(body.up),
        kept(body.spin),
        kept(body.bank),
    );
}

// The direction of a velocity, or `otherwise` if the velocity is too slow to have one.
fn direction_of(moving: vec3f, otherwise: vec3f) -> vec3f {
    let squared = dot3(moving, moving);
    if (squared > STANDSTILL) {
        return moving / sqrt(squared);
    }
    return otherwise;
}

// Up for a new heading: the unit vector at a right angle to the heading that is nearest to the wish.
fn rebase(forward: vec3f, wish: vec3f) -> vec3f {
    if (!SPATIAL) {
        return vec3f(0.0, 0.0, 1.0);
    }
    var side = cross3(forward, wish);
    let length_squared = dot3(wish, wish);
    if (dot3(side, side) <= 1e-8 * length_squared || length_squared <= 1e-30) {
        // The wish is nearly parallel to the heading, so in its place comes the axis of the world that is least parallel to the
        // heading.
        let size = abs(forward);
        side = vec3f(forward.y, -forward.x, 0.0);
        if (size.y <= size.x && size.y <= size.z) {
            side = vec3f(-forward.z, 0.0, forward.x);
        }
        if (size.x < size.y && size.x <= size.z) {
            side = vec3f(0.0, forward.z, -forward.y);
        }
    }
    return cross3(side / sqrt(dot3(side, side)), forward);
}

// The value of a number for an agent, where vehicles differ; it is never below 0. `which` tells the draws of an agent apart: the first
// seven belong to every body.
fn drawn(own: u32, id: u32, which: u32, number: Drawn) -> f32 {
    if (vehicles_vary) {
        return max(number.mean + number.spread * deviation(world.seed, id, which, species[own].normal != 0u), 0.0);
    }
    return number.mean;
}

// The speed below which an agent's lateral acceleration is limited, u/s.
fn low_speed_of(own: u32, id: u32) -> f32 {
    return drawn(own, id, 7u, species[own].vehicle.low_speed);
}

// The least speed of an agent that moves along its heading, u/s; negative where it may drive backward.
fn backward_of(own: u32, id: u32) -> f32 {
    if (vehicles_vary) {
        if (species[own].vehicle.reverse_spread > 0.0) {
            return -drawn(own, id, 12u, Drawn(-species[own].vehicle.least_speed, species[own].vehicle.reverse_spread));
        }
    }
    return species[own].vehicle.least_speed;
}

// The greatest angular acceleration of an agent, where it differs from agent to agent, rad/s².
fn agility_of(own: u32, id: u32) -> f32 {
    let given = drawn(own, id, 13u, species[own].vehicle.angular_limit);
    let torque = drawn(own, id, 14u, species[own].vehicle.torque);
    let inertia = max(drawn(own, id, 15u, species[own].vehicle.inertia), 0.1);
    return min(given, torque / inertia);
}

// The greatest angular acceleration of an agent, rad/s².
fn angular_acceleration_of(own: u32, id: u32) -> f32 {
    if (vehicles_vary) {
        if (species[own].vehicle.agility_varies != 0u) {
            return agility_of(own, id);
        }
    }
    return species[own].vehicle.max_angular_acceleration;
}

// The part of its greatest angular acceleration by which an agent brakes at the end of a turn, as rotation in one step, rad.
fn braking_of(own: u32, id: u32) -> f32 {
    if (vehicles_vary) {
        if (species[own].vehicle.agility_varies != 0u) {
            return 0.8 * agility_of(own, id) * world.dt * world.dt;
        }
    }
    return species[own].vehicle.braking;
}

// An acceleration with its part across the heading limited at low speed: a wheel that does not roll does not turn.
fn limit_lateral(acceleration: vec3f, forward: vec3f, speed: f32, low_speed: f32) -> vec3f {
    if (speed >= low_speed) {
        return acceleration;
    }
    let along = forward * dot3(acceleration, forward);
    return along + (acceleration - along) * (speed / low_speed);
}

// A velocity after a step with drag. Linear drag with a constant acceleration is integrated exactly. Quadratic drag
// takes its speed from the end of the step: |v'| (1 + quadratic_drag gain |v'|) = |what linear drag gives|, solved for
// |v'|. So the terminal speed, of both together too, is exact whatever the time step.
fn dragged(own: u32, limits: Limits, moving: vec3f, acceleration: vec3f) -> vec3f {
    let pushed = moving * species[own].vehicle.velocity_kept + acceleration * species[own].vehicle.velocity_gain;
    let speed = sqrt(dot3(pushed, pushed));
    let air = drawn(own, limits.id, 9u, species[own].vehicle.air);
    return pushed * (2.0 / (1.0 + sqrt(1.0 + air * speed)));
}

// An angular velocity after a step with an angular acceleration, both limited, and angular drag.
fn spun(own: u32, limits: Limits, spin: vec3f, angular_acceleration: vec3f) -> vec3f {
    let limited = limit(angular_acceleration, angular_acceleration_of(own, limits.id));
    let faster = spin * species[own].vehicle.spin_kept + limited * species[own].vehicle.spin_gain;
    return limit(faster, limits.angular_speed);
}

// The result of a turn in one step.
struct Turned {
    forward: vec3f, // The new heading, a unit vector.
    spin: vec3f, // The new angular velocity, rad/s.
    // True if it faces the direction that it turns to.
    arrived: bool,
}

// Turn the heading to a direction as fast as the limits allow, and so that it comes to rest there. A turn that rotates by n b in a
// step, where b = braking, comes to rest after n steps and an angle of n (n + 1) / 2 b. For the angle left, φ, this is solved for n b.
fn turn_to(own: u32, limits: Limits, body: Body, direction: vec3f) -> Turned {
    let rest = rotation_between(body.forward, direction, body.up);
    let angle = sqrt(dot3(rest, rest));
    let braking = braking_of(own, limits.id);
    let stopping = 2.0 * angle * braking / max(0.5 * braking + sqrt(0.25 * braking * braking + 2.0 * angle * braking), 1e-30);
    let step = min(angle, stopping);
    let desired = rest * (step / max(angle, 1e-30) / world.dt);
    let kept = body.spin * species[own].vehicle.spin_kept;
    let spin = spun(own, limits, body.spin, (desired - kept) / species[own].vehicle.spin_gain);
    let rotation = spin * world.dt;
    let missing = rest - rotation;
    if (dot3(missing, missing) <= 1e-13) {
        // Only rounding is left to turn. The direction itself is taken, so that what flies straight keeps its heading to the bit.
        return Turned(direction, spin, true);
    }
    let turned = rotate(body.forward, rotation);
    return Turned(turned / sqrt(dot3(turned, turned)), spin, false);
}

// The part of a velocity along a heading, as a speed. The heading's length, which is 1 but for rounding, cancels.
fn speed_along(velocity: vec3f, forward: vec3f) -> f32 {
    return dot3(velocity, forward) / dot3(forward, forward);
}

// A velocity with its length brought between the two speeds.
fn clip_speed(moving: vec3f, slowest: f32, fastest: f32, forward: vec3f) -> vec3f {
    let squared = dot3(moving, moving);
    if (squared > fastest * fastest) {
        return moving * (fastest / sqrt(squared));
    }
    if (squared < slowest * slowest) {
        if (squared > STANDSTILL) {
            return moving * (slowest / sqrt(squared));
        }
        return forward * slowest;
    }
    return moving;
}

// The velocity of an agent that moves along its heading only. Turning costs speed; what is left follows the desired
// velocity's part along the new heading, or its length. Tires whose grip is not enough for a turn let it slide (`skidding`).
fn drive(own: u32, limits: Limits, moving: vec3f, desired: vec3f, body: Body, turn: Turned) -> vec3f {
    let before = speed_along(moving, body.forward);
    let loss = drawn(own, limits.id, 8u, species[own].vehicle.turn_loss);
    var left = before / (1.0 + dot3(turn.spin, turn.spin) * loss);
    var tires_limited = false;
    var slides = false;
    var aside = vec3f(0.0);
    if (grip_acts) {
        let grip = species[own].vehicle.grip;
        let along = speed_along(moving, turn.forward);
        aside = moving - turn.forward * along;
        let slide = sqrt(dot3(aside, aside));
        tires_limited = grip < NO_LIMIT;
        // A turn by more than a right angle in one step would reverse the velocity, which no tires do.
        slides = tires_limited && (slide > grip || before * along < 0.0);
        if (slides) {
            // Friction takes the place of `turn_loss`.
            left = along;
            aside = aside * (1.0 - grip / max(max(slide, grip), 1e-30));
        }
    }
    let ahead = speed_along(desired, turn.forward);
    let aim = select(sqrt(dot3(desired, desired)), ahead, species[own].vehicle.projects != 0u);
    let backward = backward_of(own, limits.id);
    let least = select(limits.least_speed, backward, backward < 0.0);
    let most = limits.speed;
    let strongest = limits.force / limits.mass;
    let pedal = within((within(aim, least, most) - left) / limits.time_constant, -strongest, strongest);
    // The limit of an action state also holds backward.
    var lowest = max(least, -most);
    if (grip_acts) {
        if (slides) {
            return skidding(own, limits, turn.forward, left, aside, pedal, least);
        }
        // An agent that slid around rolls backward until it stands, even if it may not drive backward.
        if (tires_limited && left < 0.0) {
            lowest = min(least, left);
        }
    }
    var velocity = turn.forward * (left + pedal * world.dt);
    if (drag_acts) {
        velocity = dragged(own, limits, turn.forward * left, turn.forward * pedal);
    }
    return turn.forward * within(speed_along(velocity, turn.forward), lowest, most);
}

// The velocity, after a step, of an agent that slides: before, `left` along its heading and `aside`, the sideways velocity that the
// tires left. The pedal acts along the heading; drag and the limits of the speed act on the whole velocity. An agent that slides or
// rolls backward is on its way through 0, so no least speed holds for it there.
fn skidding(own: u32, limits: Limits, forward: vec3f, left: f32, aside: vec3f, pedal: f32, least: f32) -> vec3f {
    let sliding = forward * left + aside;
    var velocity = sliding + forward * (pedal * world.dt);
    if (drag_acts) {
        velocity = dragged(own, limits, sliding, forward * pedal);
    }
    let along = speed_along(velocity, forward);
    let driven = velocity + forward * (within(along, min(least, left), limits.speed) - along);
    return clip_speed(driven, select(limits.least_speed, 0.0, along < 0.0), limits.speed, forward);
}

// A velocity without its part along a normal, of unchanged length unless nothing is left.
fn tangential(velocity: vec3f, normal: vec3f) -> vec3f {
    let along = velocity - normal * dot3(velocity, normal);
    let squared = dot3(along, along);
    if (squared > STANDSTILL) {
        return along * (sqrt(dot3(velocity, velocity)) / sqrt(squared));
    }
    return along;
}

// A body that stands on the ground: up is the normal, and the heading lies in the surface. A body that would look straight up faces
// where its own up points.
fn standing(body: Body, normal: vec3f) -> Body {
    var next = body;
    let level = body.forward - normal * dot3(body.forward, normal);
    let squared = dot3(level, level);
    if (squared > 1e-8) {
        next.forward = level / sqrt(squared);
    } else {
        next.forward = rebase(normal, body.up);
    }
    next.up = rebase(next.forward, normal);
    return next;
}

// The up vector that banking asks for. It rolls toward the inside of the turn, and back to the world's up, which is y.
fn banked(own: u32, limits: Limits, up: vec3f, bank: vec3f) -> vec3f {
    var wish = bank * drawn(own, limits.id, 11u, species[own].vehicle.leaning);
    wish.y += drawn(own, limits.id, 10u, species[own].vehicle.righting);
    return up + (wish - up) * species[own].vehicle.bank_share;
}
