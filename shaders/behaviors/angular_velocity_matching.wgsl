// Matching angular velocity: to the angular velocity of the target (Millington, variable matching). A target that does not
// turn, such as a point, has none: then the agent stops to turn.
//
//   α = (the target's ω - ω) / time_to_target

/// to the angular velocity of the target
/// weight = 1
/// priority = 5
/// order = 340
struct AngularVelocityMatching {
    rule: Rule,
    /// what the agent turns as fast as
    /// needs = heading
    toward: Target,
    /// time in which the difference would vanish; 0 is update_every time steps
    /// value = 0.1 in 0..1e3 s
    time_to_target: f32,
}

// rad/s² before its weight
fn angular_velocity_matching_turn(
    angular_velocity_matching: AngularVelocityMatching,
    agent: Agent,
    turner: Turner,
    goal: Goal,
) -> vec3f {
    if (!goal.exists) {
        return vec3f(0.0);
    }
    return (goal.spin - turner.spin) / max(angular_velocity_matching.time_to_target, agent.interval);
}
