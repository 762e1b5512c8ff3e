// Interpose: between two others, at a share of the way from the target to the other one (Buckland, "Programming Game AI by
// Example"). Both are predicted by the closing time to that place, and the agent arrives there.
//
//   A = (max_speed min(|w| / slow_radius, 1) unit(w) - v) / τ,  w = q + T u',  T = |q| / (max_speed + |u'|),
//   q = r + share (r of the other - r),  u' = u + share (u of the other - u)

/// between the target and another one
/// weight = 1
/// priority = 4
/// order = 150
/// wants = velocity
struct Interpose {
    rule: Rule,
    toward: Target,
    /// the other one
    /// value = target
    other: Target,
    /// place on the way between them: 0 at the target, 1 at the other one
    /// value = 0.5 in 0..1
    share: f32,
    /// nearer than this to its place, the agent slows down
    /// value = 20 in 0..1e6 u
    /// needs = stop
    slow_radius: f32,
}

// u/s² before its weight
fn interpose_steer(interpose: Interpose, agent: Agent, goal: Goal, other: Goal) -> vec3f {
    if (!goal.exists || !other.exists) {
        return vec3f(0.0);
    }
    let between = nearest_image(other.offset - goal.offset);
    let place = nearest_image(goal.offset + between * interpose.share);
    let velocity = goal.velocity + (other.velocity - goal.velocity) * interpose.share;
    let way = place + velocity * closing_time(agent, place, velocity);
    return steer_to(agent, arrive_velocity(agent, way, interpose.slow_radius));
}
