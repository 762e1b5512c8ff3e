// Evasion: away from where the target will be.

struct Evasion {
    rule: Rule,
    toward: Target,
    prediction: u32,
    prediction_time: f32,
    max_prediction_time: f32,
    panic_distance: f32,
}

// u/s² before its weight
fn evasion_steer(evasion: Evasion, agent: Agent, goal: Goal) -> vec3f {
    return vec3f(0.0);
}
