// Align: turn to the heading of the target (Millington, Align). The angular speed falls within the slow angle, and is matched within a
// time. The way is the shorter one, of at most half a turn; where both are equal, to the left in a plane and about `up` in
// space.
//
//   angle from f to the target's heading
//   ω' = max_angular_speed min(angle / slow_angle, 1)
//   α = (ω' - ω) / time_to_target

/// turn to the heading of the target
/// weight = 1
/// priority = 5
/// order = 310
struct Align {
    rule: Rule,
    /// what the agent takes the heading of
    /// needs = heading
    toward: Target,
    /// nearer than this, the desired angular speed falls
    /// value = 45 in 0..180 deg as radians
    /// needs = turn with time_to_target
    slow_angle: f32,
    /// nearer than this, standing still is desired
    /// value = 0 in 0..180 deg as radians
    capture_angle: f32,
    /// time in which the difference would vanish; 0 is update_every time steps
    /// value = 0.1 in 0..1e3 s
    time_to_target: f32,
}

// rad/s² before its weight
fn align_turn(align: Align, agent: Agent, turner: Turner, goal: Goal) -> vec3f {
    if (!goal.exists || dot3(goal.forward, goal.forward) < 0.5) {
        return vec3f(0.0);
    }
    let error = rotation_between(agent.forward, goal.forward, turner.up);
    return turn_by(turner, error, align.slow_angle, align.capture_angle, align.time_to_target);
}
