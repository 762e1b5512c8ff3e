// Target speed: to a speed, along the heading (OpenSteer's steerForTargetSpeed), within the largest acceleration.

struct TargetSpeed {
    rule: Rule,
    speed: f32,
}

// u/s² before its weight
fn target_speed_steer(target_speed: TargetSpeed, agent: Agent) -> vec3f {
    let change = (target_speed.speed - agent.speed) / agent.time_constant;
    return limit(agent.forward * change, agent.max_acceleration);
}
