// Path following: where the predicted position is off the path, or the agent goes the wrong way, seek a point of the
// path somewhat farther on (Reynolds 1999; Shiffman for the path's radius; OpenSteer for the direction of travel). Within
// the radius and on the way, at half of the full speed at least, nothing is done: who has just turned round, or stood,
// would creep on for ever otherwise. An open path may end in an arrival at its last point.

/// along a path, within its radius
/// weight = 1
/// priority = 5
/// order = 240
struct PathFollowing {
    rule: Rule,
    /// name of the path
    /// value = path
    path: u32,
    /// how far ahead the position is predicted
    /// value = 0.5 in 0..1e3 s
    prediction_time: f32,
    /// how far along the path the target is
    /// value = 0.5 in 0..1e3 s
    look_ahead_time: f32,
    /// direction of travel
    /// value = forward of forward | backward
    direction: u32,
    /// at the end of an open path: arrive there, or seek its last point
    /// value = stop of stop | ignore
    end: u32,
    /// nearer than this to the end of an open path, the agent slows down
    /// value = 5 in 0..1e6 u
    slow_radius: f32,
}

// u/s² before its weight
fn path_following_steer(path_following: PathFollowing, agent: Agent) -> vec3f {
    let path = scenery.paths[path_following.path];
    let ahead = nearest_on_path(path, agent.position + agent.velocity * path_following.prediction_time);
    let here = nearest_on_path(path, agent.position);
    let sign = select(1.0, -1.0, path_following.direction == 1u);
    // Rounding must not lead beyond the end, or a slow radius of 0 would be reached there.
    let rest = max(select(path.length - here.arc_length, here.arc_length, path_following.direction == 1u), 0.0);
    let stops = path.closed == 0u && path_following.end == 0u && rest < path_following.slow_radius;
    let progress = dot3(agent.velocity, here.tangent) * sign;
    if (!stops && ahead.distance <= path.radius && progress > 0.5 * agent.max_speed) {
        return vec3f(0.0);
    }
    // At least the way of one step, or an agent that stands on a line would be where it wants to be.
    let least = max(path.radius, agent.max_speed * world.dt);
    let look_ahead = max(path_following.look_ahead_time * agent.speed, least);
    let place = path_at(path, here.arc_length + look_ahead * sign);
    let way = nearest_image(place.point - agent.position);
    var speed = agent.max_speed;
    if (stops) {
        let left = max(rest, sqrt(dot3(way, way)));
        speed = agent.max_speed * min(left / path_following.slow_radius, 1.0);
    }
    return steer_to(agent, along(way) * speed);
}
