// Velocity matching: to the velocity of the target (Millington's variable matching). In each step the difference falls
// by the factor 1 - dt / time_to_target, as long as the force suffices; a time shorter than a step counts as one step.
// A kinematic body has the velocity at once. A point has velocity 0.
//
//   A = (u - v) / time_to_target

/// to the velocity of the target
/// weight = 1
/// priority = 5
/// order = 170
/// wants = velocity
struct VelocityMatching {
    rule: Rule,
    /// what the agent takes the velocity of
    toward: Target,
    /// time in which the difference would vanish; 0 is update_every time steps
    /// value = 0.1 in 0..1e3 s
    time_to_target: f32,
}

// u/s² before its weight
fn velocity_matching_steer(velocity_matching: VelocityMatching, agent: Agent, goal: Goal) -> vec3f {
    if (!goal.exists) {
        return vec3f(0.0);
    }
    return match_velocity(agent, goal.velocity, velocity_matching.time_to_target);
}
