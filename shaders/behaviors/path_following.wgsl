// Path following: along a path, within its radius.

struct PathFollowing {
    rule: Rule,
    path: u32,
    prediction_time: f32,
    look_ahead_time: f32,
    direction: u32,
    end: u32,
    slow_radius: f32,
}

// u/s² before its weight
fn path_following_steer(path_following: PathFollowing, agent: Agent) -> vec3f {
    return vec3f(0.0);
}
