// Target speed: to a speed, along the heading.

struct TargetSpeed {
    rule: Rule,
    speed: f32,
}

// u/s² before its weight
fn target_speed_steer(target_speed: TargetSpeed, agent: Agent) -> vec3f {
    return vec3f(0.0);
}
