// Stay on path: where the predicted position is off the path, seek the nearest point of the path; the direction along
// it does not matter (OpenSteer, steerToStayOnPath).
//
//   A = (max_speed unit(q - p) - v) / τ,
//   q the path's point nearest to p + prediction_time v, where that is off the path

/// back to a path that the agent would leave
/// weight = 1
/// priority = 5
/// order = 250
/// wants = velocity at times
struct StayOnPath {
    rule: Rule,
    /// name of the path
    /// value = path
    path: u32,
    /// how far ahead the position is predicted
    /// value = 0.7 in 0..1e3 s
    /// needs = sideways
    prediction_time: f32,
}

// u/s² before its weight
fn stay_on_path_steer(stay_on_path: StayOnPath, agent: Agent) -> vec3f {
    let path = scenery.paths[stay_on_path.path];
    let ahead = nearest_on_path(path, agent.position + agent.velocity * stay_on_path.prediction_time);
    if (ahead.distance <= ahead.radius) {
        return vec3f(0.0);
    }
    let way = nearest_image(ahead.point - agent.position);
    return steer_to(agent, along(way) * agent.max_speed);
}
