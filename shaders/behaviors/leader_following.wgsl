// Leader following: arrive behind the leader, and clear the leader's way (Reynolds 1999, who adds separation for the
// distances between followers).
//
//   A = (max_speed min(|w| / slow_radius, 1) unit(w) - v) / τ,  w = r - distance f of the leader
//   in the box clear_length long and clear_width wide:  A = (max_speed s - v) / τ,  s straight aside
//
// The place is `distance` behind the leader. Behind a steady leader of speed u the agent stays slow_radius u / max_speed
// short of it. An agent in the box ahead of the leader (in a spatial world a cylinder) moves straight aside instead; on
// the leader's line, to its right.

/// arrive behind the leader, and clear the leader's way
/// weight = 1
/// priority = 4
/// order = 160
/// wants = velocity
struct LeaderFollowing {
    rule: Rule,
    toward: Target,
    /// distance of the place behind the leader
    /// value = 3 in 0..1e6 u
    distance: f32,
    /// nearer than this to that place, the agent slows down
    /// value = 5 in 0..1e6 u
    /// needs = slow
    slow_radius: f32,
    /// length of the box ahead of the leader that is kept clear
    /// value = 6 in 0..1e6 u
    clear_length: f32,
    /// width of that box
    /// value = 4 in 0..1e6 u
    clear_width: f32,
}

// u/s² before its weight
fn leader_following_steer(leader_following: LeaderFollowing, agent: Agent, goal: Goal) -> vec3f {
    if (!goal.exists) {
        return vec3f(0.0);
    }
    let ahead = -dot3(goal.offset, goal.forward);
    let across = -goal.offset - goal.forward * ahead;
    let half_width = leader_following.clear_width * 0.5;
    if (ahead > 0.0 && ahead < leader_following.clear_length && dot3(across, across) < half_width * half_width) {
        var aside = along(across);
        if (dot3(aside, aside) == 0.0) {
            aside = right_of(goal.forward);
        }
        return steer_to(agent, aside * agent.max_speed);
    }
    let way = goal.offset - goal.forward * leader_following.distance;
    return steer_to(agent, arrive_velocity(agent, way, leader_following.slow_radius));
}
