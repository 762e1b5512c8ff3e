// Align: turn to the heading of the target.

struct Align {
    rule: Rule,
    toward: Target,
    slow_angle: f32,
    capture_angle: f32,
    time_to_target: f32,
}

// rad/s² before its weight
fn align_turn(align: Align, agent: Agent, goal: Goal) -> vec3f {
    return vec3f(0.0);
}
