// Evasion: flee from where the target will be (Reynolds 1999), unless it is farther away now than the panic distance. From
// a target at rest the agent flees as `flee` does, to the bit. The forms are those of flee.
//
//   velocity:      A = (-max_speed unit(r + T u) - v) / τ
//   acceleration:  A = -a unit(r + T u)
//   offset:        A = (-(r + T u) / 1 s - v) / τ
//   T <= max_prediction_time: closing d / (max_speed + |u|), fixed prediction_time, distance turning d,
//   own_speed d / |v|, target_speed d / |u|, intercept |r + T u| = max_speed T
//
// `closing` is the default: it predicts less than the distance, so a target that comes straight on is never predicted at
// the agent itself, where there is no direction to flee from.

/// away from where the target will be
/// weight = 1
/// priority = 2
/// order = 130
struct Evasion {
    rule: Rule,
    /// what the agent evades
    toward: Target,
    /// rule for the time ahead
    /// value = closing of intercept | fixed | distance | own_speed | closing | nine_cases | target_speed
    prediction: u32,
    /// time ahead of `fixed`
    /// value = 1 in 0..1e3 s
    prediction_time: f32,
    /// time ahead per u of distance, of `distance`; 0 is 1 / (max_speed + the target's speed)
    /// value = 0 in 0..1e3 s/u
    /// needs = escape with target if prediction = distance
    turning: f32,
    /// the time ahead is never longer
    /// value = 1000 in 0..1e3 s
    max_prediction_time: f32,
    /// farther away than this, the target is ignored
    /// value = 1e6 in 0..1e6 u
    panic_distance: f32,
    /// velocity: desired velocity minus velocity; acceleration: full acceleration away from where the target will be; offset: the velocity that is desired is the way from there per second
    /// value = velocity of velocity | acceleration | offset
    form: u32,
}

// u/s² before its weight
fn evasion_steer(evasion: Evasion, agent: Agent, goal: Goal) -> vec3f {
    if (!goal.exists || goal.distance > evasion.panic_distance) {
        return vec3f(0.0);
    }
    let longest = evasion.max_prediction_time;
    let way = predicted_way(agent, goal, evasion.prediction, evasion.prediction_time, evasion.turning, longest);
    return steer_along(agent, evasion.form, flee_direction(agent, way), sqrt(dot3(way, way)), agent.max_speed);
}
