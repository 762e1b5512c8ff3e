// Global alignment: toward the mean velocity of all agents of the world: unlimited vision.

struct GlobalAlignment {
    rule: Rule,
    mode: u32,
}

// u/s² before its weight
fn global_alignment_steer(global_alignment: GlobalAlignment, agent: Agent) -> vec3f {
    return vec3f(0.0);
}
