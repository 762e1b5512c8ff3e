// Arrive: to the target, slowing down to stop there.

struct Arrive {
    rule: Rule,
    toward: Target,
    slow_radius: f32,
    capture_radius: f32,
    ramp: u32,
    moving_target: u32,
}

// u/s² before its weight
fn arrive_steer(arrive: Arrive, agent: Agent, goal: Goal) -> vec3f {
    return vec3f(0.0);
}
