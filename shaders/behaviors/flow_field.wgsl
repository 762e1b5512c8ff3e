// Flow-field following: the field at the predicted position is the desired velocity, and the difference to the own
// velocity is the steering (Reynolds 1999).

struct FlowField {
    rule: Rule,
    // How far ahead the field is sampled, s.
    prediction_time: f32,
    // 0: the field is the desired velocity; 1: its direction at max_speed.
    mode: u32,
    // Where the field is zero, 0: nothing is desired; 1: standing still.
    still: u32,
    // Beyond an end that does not wrap, 0: as at the end; 1: zero.
    outside: u32,
}

fn flow_field_predict(flow_field: FlowField, agent: Agent) -> vec3f {
    return agent.position + agent.velocity * flow_field.prediction_time;
}

// u/s² before its weight. Where the field is zero it has no direction, and nothing is desired.
fn flow_field_steer(flow_field: FlowField, agent: Agent, sampled: vec3f) -> vec3f {
    let squared = dot3(sampled, sampled);
    if (squared <= STANDSTILL) {
        return vec3f(0.0);
    }
    var desired = sampled;
    if (flow_field.mode == 1u) {
        desired = sampled * (agent.max_speed / sqrt(squared));
    }
    return steer_to(agent, desired);
}
