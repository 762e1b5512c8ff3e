// What a behavior knows of its own agent, and the two ways to want something.

struct Agent {
    id: u32,
    // Number of the step, for random numbers; 0 in scenes that draw none.
    step: u32,
    position: vec3f,
    velocity: vec3f,
    speed: f32,
    // Unit vector.
    forward: vec3f,
    // Body radius, u.
    radius: f32,
    max_speed: f32,
    // max_force / mass, u/s².
    max_acceleration: f32,
    // s
    time_constant: f32,
}

// The acceleration that makes the velocity the desired one within the time constant (Reynolds 1999: desired velocity
// minus velocity), u/s².
fn steer_to(agent: Agent, desired: vec3f) -> vec3f {
    return (desired - agent.velocity) / agent.time_constant;
}
