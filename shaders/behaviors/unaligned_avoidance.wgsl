// Unaligned collision avoidance: sideways from the neighbor whose nearest approach comes first (Reynolds 1999, without a
// formula). With offset r and relative velocity w the nearest approach is at t = -r·w/|w|², and the two miss each other
// by r + w t. It is a threat within the time horizon and nearer than both radii and the margin. Pushing the miss apart
// is the same as turning away from where the other one will be. Of two that cross, the one that is there first
// accelerates forward, up to full speed, and the other brakes (Reynolds 1999: to reach the site before or after the
// other). On a collision course, where the miss has no direction, the two agree on one across their relative velocity:
// where they cross at different speeds, the one that puts the slower agent back, so that it lets the other pass (OpenSteer's comment says
// so, but its test is for the faster); otherwise one that is drawn for the pair.
//
//   w = u - v,  t = -r·w / |w|²,  m = r + w t
//   threat:    0 <= t < time_horizon and |m| < both radii + margin
//   A = -a unit(m - (m·f) f)
//   crossing:  |cos(f, u)| < 1/√2, u not 0: and along f (max_speed - |v|) / τ, or -|v| / τ where m·f >= 0, at most a

/// sideways from the neighbor whose nearest approach comes first; of two that cross, one hurries and the other waits
/// weight = 1
/// priority = 1
/// order = 40
struct UnalignedAvoidance {
    rule: Rule,
    vision: Vision,
    /// approaches later than this are no threat
    /// value = 2 in 0..1e3 s
    /// needs = room with margin
    time_horizon: f32,
    /// added to the two radii
    /// value = 0.5 in 0..1e6 u
    margin: f32,
}

struct UnalignedAvoidanceSum {
    threatened: bool,
    // Until the nearest approach of the first threat, s.
    time: f32,
    // From the agent to the threat at that time, u.
    miss: vec3f,
    miss_squared: f32,
    // Distance within which a neighbor is a threat, u.
    room: f32,
    // The threat's velocity, u/s, and its id.
    velocity: vec3f,
    id: u32,
}

fn unaligned_avoidance_add(
    sum: UnalignedAvoidanceSum,
    unaligned_avoidance: UnalignedAvoidance,
    neighbor: Neighbor,
    agent: Agent,
) -> UnalignedAvoidanceSum {
    let horizon = unaligned_avoidance.time_horizon;
    let room = agent.radius + neighbor.radius + unaligned_avoidance.margin;
    let relative = neighbor.velocity - agent.velocity;
    let squared = dot3(relative, relative);
    // Two agents whose offset hardly changes within the horizon are as near as they will be.
    let parallel = squared * (horizon * horizon) <= 1e-6 * (room * room) || squared <= STANDSTILL;
    let time = select(-dot3(neighbor.offset, relative) / max(squared, STANDSTILL), 0.0, parallel);
    let miss = neighbor.offset + relative * time;
    let miss_squared = dot3(miss, miss);
    let threat = sees(unaligned_avoidance.vision, neighbor) && time >= 0.0 && time < horizon && miss_squared < room * room;
    let sooner = !sum.threatened || time < sum.time || (time == sum.time && miss_squared < sum.miss_squared);
    if (threat && sooner) {
        return UnalignedAvoidanceSum(true, time, miss, miss_squared, room, neighbor.velocity, neighbor.id);
    }
    return sum;
}

// u/s² before its weight
fn unaligned_avoidance_resolve(sum: UnalignedAvoidanceSum, agent: Agent) -> vec3f {
    if (!sum.threatened) {
        return vec3f(0.0);
    }
    let heading = heading_of(sum.velocity);
    let speed = sqrt(dot3(sum.velocity, sum.velocity));
    let cosine = dot3(agent.forward, heading);
    // A neighbor that stands has no heading: it has no course to cross, and lets nobody pass.
    let crossing = abs(cosine) < 0.70710678 && speed * speed > STANDSTILL;
    var miss = sum.miss;
    if (sum.miss_squared <= 1e-6 * (sum.room * sum.room)) {
        // Computed from the side of one of the two, and reversed for the other, so that both get the same miss.
        var seen_from = select(-1.0, 1.0, agent.id < sum.id);
        var wish = direction(min(agent.id, sum.id), max(agent.id, sum.id), STREAM_AVOIDANCE);
        if (crossing && agent.speed != speed) {
            seen_from = select(-1.0, 1.0, agent.speed < speed);
            wish = select(heading, agent.forward, agent.speed < speed);
        }
        miss = across((sum.velocity - agent.velocity) * seen_from, wish) * seen_from;
    }
    let ahead = dot3(miss, agent.forward);
    let side = unit_or_zero(agent.forward * ahead - miss);
    // If the neighbor is ahead of the agent, the agent is behind the neighbor: so one of the two hurries.
    let wanted = select(agent.max_speed, 0.0, ahead >= 0.0);
    let change = within((wanted - agent.speed) / agent.time_constant, -agent.max_acceleration, agent.max_acceleration);
    return side * agent.max_acceleration + agent.forward * select(0.0, change, crossing);
}
