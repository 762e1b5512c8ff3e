// Unaligned avoidance: sideways from the neighbor whose nearest approach comes first, and slower or faster.

struct UnalignedAvoidance {
    rule: Rule,
    vision: Vision,
    time_horizon: f32,
    margin: f32,
}

struct UnalignedAvoidanceSum {
    count: u32,
}

fn unaligned_avoidance_add(sum: UnalignedAvoidanceSum, unaligned_avoidance: UnalignedAvoidance, neighbor: Neighbor) -> UnalignedAvoidanceSum {
    return UnalignedAvoidanceSum(sum.count + u32(sees(unaligned_avoidance.vision, neighbor)));
}

// u/s² before its weight
fn unaligned_avoidance_resolve(sum: UnalignedAvoidanceSum, unaligned_avoidance: UnalignedAvoidance, agent: Agent) -> vec3f {
    return vec3f(0.0);
}
