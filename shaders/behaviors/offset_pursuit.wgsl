// Offset pursuit: to a place beside the target, or past it at a distance.

struct OffsetPursuit {
    rule: Rule,
    toward: Target,
    mode: u32,
    offset: array<f32, 3>,
    distance: f32,
    slow_radius: f32,
    max_prediction_time: f32,
}

// u/s² before its weight
fn offset_pursuit_steer(offset_pursuit: OffsetPursuit, agent: Agent, goal: Goal) -> vec3f {
    return vec3f(0.0);
}
