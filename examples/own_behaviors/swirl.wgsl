// Swirl: around a target at a distance, counter-clockwise as seen from above, at full speed.
//
// The desired velocity is across the way to the target, and turned toward the circle in proportion to how far the agent is
// from it:
//
//   desired = max_speed unit(across + toward (distance - radius) / radius)

/// around a target, at a distance
/// weight = 1
/// priority = 4
struct Swirl {
    rule: Rule,
    toward: Target,
    /// distance at which the target is circled
    /// value = 10 in 0.1..1000 u
    radius: f32,
    /// sense of the turn
    /// value = left of left | right
    sense: u32,
}

const SWIRL_RIGHT = 1u;

// u/s² before its weight
fn swirl_steer(swirl: Swirl, agent: Agent, goal: Goal) -> vec3f {
    if (!goal.exists) {
        return vec3f(0.0);
    }
    let toward = along(goal.offset);
    var across = vec3f(toward.y, -toward.x, 0.0);
    if (SPATIAL) {
        // Up is y in space.
        across = vec3f(-toward.z, 0.0, toward.x);
    }
    across = across * select(1.0, -1.0, swirl.sense == SWIRL_RIGHT);
    let course = unit_or_zero(across + toward * ((goal.distance - swirl.radius) / swirl.radius));
    return steer_to(agent, course * agent.max_speed);
}
