// Waypoint following: to the points of a path, one after the other.

struct WaypointFollowing {
    rule: Rule,
    path: u32,
    reach: f32,
    slow_radius: f32,
}

// u/s² before its weight
fn waypoint_following_steer(waypoint_following: WaypointFollowing, agent: Agent) -> vec3f {
    return vec3f(0.0);
}
