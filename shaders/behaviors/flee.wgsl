// Flee: away from the target at full speed (Reynolds 1999: seek with the sign turned), unless it is farther away than the
// panic distance. An agent that is at its target flees in a direction of its own. The forms are those of seek; with `offset`
// (OpenSteer) it flees the faster the farther away it is, and at the target not at all.
//
//   velocity:      A = (-max_speed unit(r) - v) / τ
//   acceleration:  A = -a unit(r)
//   offset:        A = (-r / 1 s - v) / τ

/// away from the target at full speed
/// weight = 1
/// priority = 2
/// order = 100
struct Flee {
    rule: Rule,
    /// what the agent flees from
    toward: Target,
    /// farther away than this, the target is ignored
    /// value = 1e6 in 0..1e6 u
    panic_distance: f32,
    /// velocity: desired velocity minus velocity; acceleration: full acceleration away from the target; offset: the velocity that is desired is the way from the target per second
    /// value = velocity of velocity | acceleration | offset
    form: u32,
}

// Unit vector away from the end of a way.
fn flee_direction(agent: Agent, way: vec3f) -> vec3f {
    let toward = along(way);
    if (dot3(toward, toward) > 0.0) {
        return -toward;
    }
    return direction(agent.id, 0u, STREAM_FLEE);
}

// u/s² before its weight
fn flee_steer(flee: Flee, agent: Agent, goal: Goal) -> vec3f {
    if (!goal.exists || goal.distance > flee.panic_distance) {
        return vec3f(0.0);
    }
    return steer_along(agent, flee.form, flee_direction(agent, goal.offset), goal.distance, agent.max_speed);
}
