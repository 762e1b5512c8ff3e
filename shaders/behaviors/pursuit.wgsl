// Pursuit: seek where the target will be (Reynolds 1999). A target at rest is sought where it is, to the bit. An agent that
// is where the target will be desires nothing, but rest in the form `offset`. The forms are those of seek.
//
//   velocity:      A = (max_speed unit(r + T u) - v) / τ
//   acceleration:  A = a unit(r + T u)
//   offset:        A = ((r + T u) / 1 s - v) / τ
//   T <= max_prediction_time: intercept |r + T u| = max_speed T, fixed prediction_time, distance turning d,
//   own_speed d / |v|, closing d / (max_speed + |u|), target_speed d / |u|

/// toward where the target will be
/// weight = 1
/// priority = 4
/// order = 120
/// wants = velocity unless form = acceleration
struct Pursuit {
    rule: Rule,
    toward: Target,
    /// rule for the time ahead
    /// value = intercept of intercept | fixed | distance | own_speed | closing | nine_cases | target_speed
    prediction: u32,
    /// time ahead of `fixed`
    /// value = 1 in 0..1e3 s
    prediction_time: f32,
    /// time ahead per u of distance, of `distance`; 0 is 1 / (max_speed + the target's speed)
    /// value = 0 in 0..1e3 s/u
    /// needs = catch if prediction = distance
    turning: f32,
    /// the time ahead is never longer
    /// value = 1000 in 0..1e3 s
    max_prediction_time: f32,
    /// velocity: desired velocity minus velocity; acceleration: full acceleration toward where the target will be; offset: the velocity that is desired is the way there per second
    /// value = velocity of velocity | acceleration | offset
    /// needs = spring if form = offset
    /// needs = circle if form = acceleration
    form: u32,
}

// u/s² before its weight
fn pursuit_steer(pursuit: Pursuit, agent: Agent, goal: Goal) -> vec3f {
    let longest = pursuit.max_prediction_time;
    let way = predicted_way(agent, goal, pursuit.prediction, pursuit.prediction_time, pursuit.turning, longest);
    let toward = along(way);
    let at_hand = dot3(toward, toward) == 0.0 && pursuit.form != FORM_OFFSET;
    if (!goal.exists || at_hand) {
        return vec3f(0.0);
    }
    return steer_along(agent, pursuit.form, toward, sqrt(dot3(way, way)), agent.max_speed);
}
