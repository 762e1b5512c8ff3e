// Target speed: to a speed, along the heading (OpenSteer's steerForTargetSpeed), within the largest acceleration.
//
//   A = (speed - |v|) / τ f,  |A| <= a

/// to a speed, along the heading
/// weight = 1
/// priority = 5
/// order = 180
/// wants = velocity at times
struct TargetSpeed {
    rule: Rule,
    /// the desired speed
    /// value = 10 in 0..1e6 u/s
    speed: f32,
}

// u/s² before its weight
fn target_speed_steer(target_speed: TargetSpeed, agent: Agent) -> vec3f {
    let change = (target_speed.speed - agent.speed) / agent.time_constant;
    return limit(agent.forward * change, agent.max_acceleration);
}
