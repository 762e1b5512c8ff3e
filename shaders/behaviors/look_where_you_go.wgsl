// Look where you go: turn to the own velocity (Millington, Align). The angular speed falls within the slow angle, and is matched within a
// time. The way is the shorter one, of at most half a turn; where both are equal, to the left in a plane and about `up` in
// space.

struct LookWhereYouGo {
    rule: Rule,
    slow_angle: f32,
    capture_angle: f32,
    time_to_target: f32,
}

// rad/s² before its weight
fn look_where_you_go_turn(look_where_you_go: LookWhereYouGo, agent: Agent, turner: Turner) -> vec3f {
    if (agent.speed * agent.speed <= STANDSTILL) {
        return vec3f(0.0);
    }
    let error = rotation_between(agent.forward, agent.velocity / agent.speed, turner.up);
    return turn_by(turner, error, look_where_you_go.slow_angle, look_where_you_go.capture_angle, look_where_you_go.time_to_target);
}
