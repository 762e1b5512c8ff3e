// Flee: away from the target at full speed.

struct Flee {
    rule: Rule,
    toward: Target,
    panic_distance: f32,
    form: u32,
}

// u/s² before its weight
fn flee_steer(flee: Flee, agent: Agent, goal: Goal) -> vec3f {
    return vec3f(0.0);
}
