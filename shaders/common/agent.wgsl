// An agent as its behaviors see it, and functions that make an acceleration of what a behavior desires.

// An agent as its own behaviors know it.
struct Agent {
    id: u32, // Its id.
    // Number of the step, for random numbers.
    step: u32,
    position: vec3f, // Position, u.
    velocity: vec3f, // Velocity, u/s.
    speed: f32, // Speed, u/s.
    forward: vec3f, // Which way it faces, a unit vector.
    // Body radius, u.
    radius: f32,
    max_speed: f32, // Greatest speed, u/s.
    // max_force / mass, u/s².
    max_acceleration: f32,
    // Time within which a desired velocity is reached, s.
    time_constant: f32,
    // Time for which its steering is held, s: update_every steps.
    interval: f32,
    // True if the desired velocity itself drives its body, rather than a force (kinematic and turn-first vehicles).
    moves_as_desired: bool,
}

// The acceleration that makes the velocity the desired one within the time constant (Reynolds 1999: desired velocity
// minus velocity), u/s².
fn steer_to(agent: Agent, desired: vec3f) -> vec3f {
    return (desired - agent.velocity) / agent.time_constant;
}

// Values of `form` of seek and flee, and of the behaviors that derive from them.
const FORM_VELOCITY = 0u;
const FORM_ACCELERATION = 1u;
const FORM_OFFSET = 2u; // The desired speed is the distance to the target, in u/s.

// The acceleration along a way of this direction and length (`distance`), u/s². It depends on the form: toward a
// velocity of this speed (Reynolds 1999), full acceleration (Millington), or toward a velocity that covers the way in a
// second (OpenSteer), which brings the agent to rest where the way is short.
fn steer_along(agent: Agent, form: u32, direction: vec3f, distance: f32, speed: f32) -> vec3f {
    if (form == FORM_ACCELERATION) {
        return direction * agent.max_acceleration;
    }
    return steer_to(agent, direction * select(speed, distance, form == FORM_OFFSET));
}

// The acceleration that reaches a velocity within a time that the behavior gives, but no sooner than until the agent
// steers again, u/s². Bodies that move as desired multiply every acceleration by their time constant, so for them that
// is the time.
fn match_velocity(agent: Agent, velocity: vec3f, time: f32) -> vec3f {
    let needed = select(max(time, agent.interval), agent.time_constant, agent.moves_as_desired);
    return (velocity - agent.velocity) / needed;
}

// What an angular behavior knows of its agent beside `Agent`.
struct Turner {
    // Angular velocity, rad/s; along z in a planar world.
    spin: vec3f,
    up: vec3f, // Up, a unit vector.
    max_angular_speed: f32, // Greatest angular speed, rad/s.
    // Time for which its turning is held, s.
    interval: f32,
}

// The angular acceleration that turns by a rotation and comes to rest there, rad/s² (Millington, Align).
fn turn_by(turner: Turner, rotation: vec3f, slow_angle: f32, capture_angle: f32, time_to_target: f32) -> vec3f {
    let angle = sqrt(dot3(rotation, rotation));
    var desired = vec3f(0.0);
    if (angle > max(capture_angle, 1e-9)) {
        desired = rotation * (turner.max_angular_speed * min(angle / max(slow_angle, 1e-6), 1.0) / angle);
    }
    return (desired - turner.spin) / max(time_to_target, turner.interval);
}

// The radius of a body, u.
fn radius_of(own: u32, id: u32) -> f32 {
    if (varies) {
        let normal = species[own].normal != 0u;
        return body_radius(species[own].radius, species[own].radius_spread, normal, world.seed, id);
    }
    return species[own].radius;
}

// The direction that an agent of a species faces.
fn facing_of(own: u32, id: u32, velocity: vec3f) -> vec3f {
    var forward = forward_of(velocity, id);
    if (pose_acts) {
        if (species[own].vehicle.keeps_pose != 0u) {
            forward = triple(pose_of(id).forward);
        }
    }
    return forward;
}

// A sorted agent, which must not be frozen, as its behaviors see it.
fn agent_at(own: u32, stored: SortedAgent) -> Agent {
    let id = stored.id;
    let velocity = stored.velocity;
    let limits = limits_of(own, id);
    return Agent(
        id,
        step_now(),
        stored.position,
        velocity,
        sqrt(dot3(velocity, velocity)),
        facing_of(own, id, velocity),
        radius_of(own, id),
        limits.speed,
        limits.force / limits.mass,
        limits.time_constant,
        world.dt * f32(species[own].update_every),
        species[own].vehicle.locomotion != POINT_MASS,
    );
}
