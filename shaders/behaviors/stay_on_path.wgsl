// Stay on path: back to a path that the agent would leave.

struct StayOnPath {
    rule: Rule,
    path: u32,
    prediction_time: f32,
}

// u/s² before its weight
fn stay_on_path_steer(stay_on_path: StayOnPath, agent: Agent) -> vec3f {
    return vec3f(0.0);
}
