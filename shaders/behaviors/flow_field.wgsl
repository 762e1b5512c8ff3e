// Flow-field following: the field at the predicted position is the desired velocity, and the difference to the own
// velocity is the steering (Reynolds 1999).

struct FlowField {
    weight: f32,
    // How far ahead the field is sampled, s.
    prediction_time: f32,
    // 0: the field is the desired velocity; 1: its direction at max_speed.
    mode: u32,
}

fn flow_field_predict(flow_field: FlowField, position: vec3f, velocity: vec3f) -> vec3f {
    return position + velocity * flow_field.prediction_time;
}

// u/s² before its weight. Where the field is zero it has no direction, and nothing is desired.
fn flow_field_resolve(
    flow_field: FlowField,
    sampled: vec3f,
    velocity: vec3f,
    max_speed: f32,
    time_constant: f32,
) -> vec3f {
    let squared = dot3(sampled, sampled);
    if (squared <= STANDSTILL) {
        return vec3f(0.0);
    }
    var desired = sampled;
    if (flow_field.mode == 1u) {
        desired = sampled * (max_speed / sqrt(squared));
    }
    return (desired - velocity) / time_constant;
}
