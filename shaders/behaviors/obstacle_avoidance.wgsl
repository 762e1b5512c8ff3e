// Obstacle avoidance: sideways from the most threatening obstacle ahead.

struct ObstacleAvoidance {
    rule: Rule,
    look_ahead_time: f32,
    min_look_ahead: f32,
    braking: f32,
}

// u/s² before its weight
fn obstacle_avoidance_steer(obstacle_avoidance: ObstacleAvoidance, agent: Agent) -> vec3f {
    return vec3f(0.0);
}
