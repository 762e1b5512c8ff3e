// Velocity matching: to the velocity of the target.

struct VelocityMatching {
    rule: Rule,
    toward: Target,
    time_to_target: f32,
}

// u/s² before its weight
fn velocity_matching_steer(velocity_matching: VelocityMatching, agent: Agent, goal: Goal) -> vec3f {
    return vec3f(0.0);
}
