// Wander: toward a target that strolls on a circle ahead.

struct Wander {
    rule: Rule,
    radius: f32,
    distance: f32,
    rate: f32,
}

// u/s² before its weight
fn wander_steer(wander: Wander, agent: Agent) -> vec3f {
    return vec3f(0.0);
}
