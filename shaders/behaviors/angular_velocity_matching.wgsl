// Angular velocity matching: to the angular velocity of the target.

struct AngularVelocityMatching {
    rule: Rule,
    toward: Target,
    time_to_target: f32,
}

// rad/s² before its weight
fn angular_velocity_matching_turn(angular_velocity_matching: AngularVelocityMatching, agent: Agent, goal: Goal) -> vec3f {
    return vec3f(0.0);
}
