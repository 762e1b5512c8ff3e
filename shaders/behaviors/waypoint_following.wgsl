// Waypoint following: to the points of a path, one after the other. A point is reached, and the next one follows, within
// `reach` of it. A closed path goes round, an open one ends in an arrival at its last point.
//
//   A = (max_speed unit(r) - v) / τ,  r to the point;  the next one where d < reach
//   last:  A = (max_speed min(d / slow_radius, 1) unit(r) - v) / τ

/// to the points of a path, one after the other
/// weight = 1
/// priority = 5
/// order = 260
/// wants = velocity
struct WaypointFollowing {
    rule: Rule,
    /// name of the path
    /// value = path
    path: u32,
    /// a point that is nearer than this is reached
    /// value = 2 in 0..1e6 u
    /// needs = stride
    reach: f32,
    /// nearer than this to the last point of an open path, the agent slows down
    /// value = 20 in 0..1e6 u
    /// needs = stop if path = open
    slow_radius: f32,
}

fn waypoint_way(waypoint_following: WaypointFollowing, agent: Agent, waypoint: u32) -> vec3f {
    let path = scenery.paths[waypoint_following.path];
    return nearest_image(scenery.points[path.first_point + waypoint].xyz - agent.position);
}

struct WaypointFollowingMemory {
    /// the point of the path that it heads for
    waypoint: u32,
}

// The waypoint after this step.
fn waypoint_next(waypoint_following: WaypointFollowing, agent: Agent, before: u32) -> u32 {
    let path = scenery.paths[waypoint_following.path];
    let waypoint = min(before, path.segments);
    let way = waypoint_way(waypoint_following, agent, waypoint);
    if (dot3(way, way) >= waypoint_following.reach * waypoint_following.reach) {
        return waypoint;
    }
    if (path.closed == 1u) {
        // The last point is the first one again.
        return (waypoint + 1u) % path.segments;
    }
    return min(waypoint + 1u, path.segments);
}

fn waypoint_following_remember(
    waypoint_following: WaypointFollowing,
    agent: Agent,
    memory: WaypointFollowingMemory,
) -> WaypointFollowingMemory {
    return WaypointFollowingMemory(waypoint_next(waypoint_following, agent, memory.waypoint));
}

// u/s² before its weight
fn waypoint_following_steer(
    waypoint_following: WaypointFollowing,
    agent: Agent,
    memory: WaypointFollowingMemory,
) -> vec3f {
    let waypoint = memory.waypoint;
    let path = scenery.paths[waypoint_following.path];
    let way = waypoint_way(waypoint_following, agent, waypoint);
    if (path.closed == 0u && waypoint == path.segments) {
        return steer_to(agent, arrive_velocity(agent, way, waypoint_following.slow_radius));
    }
    return steer_to(agent, along(way) * agent.max_speed);
}
