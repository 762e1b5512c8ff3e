// Wall following: along the nearest wall at a distance (Reynolds 1999 names it). The wall is looked for at the predicted
// position, where it will be then if it moves; the target is at the distance from it and some way on, and is sought.
//
//   A = (max_speed unit(q + distance n + look_ahead t - p) - v) / τ,
//   q the wall's point nearest to p + prediction_time v,  n its normal,  t along it

/// along the nearest obstacle's surface at a distance
/// weight = 1
/// priority = 4
/// order = 210
/// wants = velocity at times
/// needs = obstacles
struct WallFollowing {
    rule: Rule,
    /// distance from the surface
    /// value = 15 in 0..1e6 u
    /// needs = aside
    distance: f32,
    /// how far ahead of the agent the surface is looked for
    /// value = 0.5 in 0..1e3 s
    prediction_time: f32,
    /// how far along the surface the target is
    /// value = 15 in 0..1e6 u
    look_ahead: f32,
}

// u/s² before its weight
fn wall_following_steer(wall_following: WallFollowing, agent: Agent) -> vec3f {
    let predicted = agent.position + agent.velocity * wall_following.prediction_time;
    let wall = nearest_wall(predicted, wall_following.prediction_time);
    if (!wall.exists) {
        return vec3f(0.0);
    }
    let onward = along_wall(agent, wall.normal) * wall_following.look_ahead;
    let place = wall.point + wall.normal * wall_following.distance + onward;
    return steer_to(agent, along(place - agent.position) * agent.max_speed);
}

// The unit vector along a wall that is nearest to the heading. If the heading has no part along the wall, the id
// decides.
fn along_wall(agent: Agent, normal: vec3f) -> vec3f {
    let tangent = agent.forward - normal * dot3(agent.forward, normal);
    if (dot3(tangent, tangent) > 1e-6) {
        return along(tangent);
    }
    return across(normal, direction(agent.id, 0u, STREAM_SIDE));
}
