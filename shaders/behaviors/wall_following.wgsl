// Wall following: along the nearest obstacle's surface at a distance.

struct WallFollowing {
    rule: Rule,
    distance: f32,
    prediction_time: f32,
    look_ahead: f32,
}

// u/s² before its weight
fn wall_following_steer(wall_following: WallFollowing, agent: Agent) -> vec3f {
    return vec3f(0.0);
}
