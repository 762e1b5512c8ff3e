// Pursuit: toward where the target will be.

struct Pursuit {
    rule: Rule,
    toward: Target,
    prediction: u32,
    prediction_time: f32,
    max_prediction_time: f32,
}

// u/s² before its weight
fn pursuit_steer(pursuit: Pursuit, agent: Agent, goal: Goal) -> vec3f {
    return vec3f(0.0);
}
