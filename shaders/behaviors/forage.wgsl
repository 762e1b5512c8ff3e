// Forage: toward the nearest resource.

struct Forage {
    rule: Rule,
    search_radius: f32,
    slow_radius: f32,
}

// u/s² before its weight
fn forage_steer(forage: Forage, agent: Agent) -> vec3f {
    return vec3f(0.0);
}
