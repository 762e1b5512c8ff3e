// Leader following: arrive behind the leader, and clear the leader's way.

struct LeaderFollowing {
    rule: Rule,
    toward: Target,
    distance: f32,
    slow_radius: f32,
    clear_length: f32,
    clear_width: f32,
}

// u/s² before its weight
fn leader_following_steer(leader_following: LeaderFollowing, agent: Agent, goal: Goal) -> vec3f {
    return vec3f(0.0);
}
