// Containment: back into a region that the agent would leave.

struct Containment {
    rule: Rule,
    shape: u32,
    center: array<f32, 3>,
    size: array<f32, 3>,
    margin: f32,
    prediction_time: f32,
    mode: u32,
}

// u/s² before its weight
fn containment_steer(containment: Containment, agent: Agent) -> vec3f {
    return vec3f(0.0);
}
