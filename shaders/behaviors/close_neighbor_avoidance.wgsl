// Close neighbor avoidance: sideways from neighbors that overlap.

struct CloseNeighborAvoidance {
    rule: Rule,
    vision: Vision,
    margin: f32,
}

struct CloseNeighborAvoidanceSum {
    count: u32,
}

fn close_neighbor_avoidance_add(sum: CloseNeighborAvoidanceSum, close_neighbor_avoidance: CloseNeighborAvoidance, neighbor: Neighbor) -> CloseNeighborAvoidanceSum {
    return CloseNeighborAvoidanceSum(sum.count + u32(sees(close_neighbor_avoidance.vision, neighbor)));
}

// u/s² before its weight
fn close_neighbor_avoidance_resolve(sum: CloseNeighborAvoidanceSum, close_neighbor_avoidance: CloseNeighborAvoidance, agent: Agent) -> vec3f {
    return vec3f(0.0);
}
