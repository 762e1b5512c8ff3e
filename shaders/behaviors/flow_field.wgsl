// Flow-field following: the field at the predicted position is the desired velocity, and the difference to the own
// velocity is the steering (Reynolds 1999).
//
//   velocity:   A = (F(p + prediction_time v) - v) / τ
//   direction:  A = (max_speed unit(F(p + prediction_time v)) - v) / τ
//
// A species may take the field turned, so that streams cross in one field.

/// toward the velocity that the flow field has at the predicted position
/// weight = 1
/// priority = 5
/// order = 80
/// wants = velocity
struct FlowField {
    rule: Rule,
    /// how far ahead of the agent the field is sampled
    /// value = 0 in 0..1e3 s
    prediction_time: f32,
    /// velocity: the field is the desired velocity; direction: its direction at max_speed
    /// value = velocity of velocity | direction
    mode: u32,
    /// where the field is zero: nothing is desired, or standing still
    /// value = ignore of ignore | brake
    still: u32,
    /// beyond an end that does not wrap: as at the end, or zero
    /// value = clamp of clamp | zero
    outside: u32,
    /// how far the field is turned for these agents, counter-clockwise about z
    /// value = 0 in -180..180 deg as radians
    turn: f32,
}

const FLOW_FIELD_BRAKE = 1u;
const FLOW_FIELD_ENDS = 1u;

// The field at the predicted position, u/s.
fn flow_field_ahead(flow_field: FlowField, agent: Agent) -> vec3f {
    let ahead = agent.position + agent.velocity * flow_field.prediction_time;
    if (flow_field.outside == FLOW_FIELD_ENDS && is_outside_field(ahead)) {
        return vec3f(0.0);
    }
    let sampled = sample_field(ahead);
    if (flow_field.turn == 0.0) {
        return sampled;
    }
    return turned(sampled, half_turn(vec3f(0.0, 0.0, flow_field.turn)));
}

// u/s² before its weight
fn flow_field_steer(flow_field: FlowField, agent: Agent) -> vec3f {
    let sampled = flow_field_ahead(flow_field, agent);
    let squared = dot3(sampled, sampled);
    if (squared <= STANDSTILL) {
        return select(vec3f(0.0), steer_to(agent, vec3f(0.0)), flow_field.still == FLOW_FIELD_BRAKE);
    }
    var desired = sampled;
    if (flow_field.mode == 1u) {
        desired = sampled * (agent.max_speed / sqrt(squared));
    }
    return steer_to(agent, desired);
}
