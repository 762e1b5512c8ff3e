// Whiskers: away from walls that one of three feelers touches.

struct Whiskers {
    rule: Rule,
    length: f32,
    side_length: f32,
    spread: f32,
}

// u/s² before its weight
fn whiskers_steer(whiskers: Whiskers, agent: Agent) -> vec3f {
    return vec3f(0.0);
}
