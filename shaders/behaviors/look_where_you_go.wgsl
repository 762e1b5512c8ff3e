// Look where you go: turn to the own velocity.

struct LookWhereYouGo {
    rule: Rule,
    slow_angle: f32,
    capture_angle: f32,
    time_to_target: f32,
}

// rad/s² before its weight
fn look_where_you_go_turn(look_where_you_go: LookWhereYouGo, agent: Agent) -> vec3f {
    return vec3f(0.0);
}
