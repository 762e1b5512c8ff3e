// Explore: toward what was visited least.

struct Explore {
    rule: Rule,
    reach: f32,
}

// u/s² before its weight
fn explore_steer(explore: Explore, agent: Agent) -> vec3f {
    return vec3f(0.0);
}
