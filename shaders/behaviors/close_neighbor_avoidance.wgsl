// Close neighbor avoidance: a push to the side from the neighbor that is deepest within both radii and the margin, in
// proportion to the depth (after OpenSteer's rule for close neighbors, which pushes the more the farther the other is). One
// dead ahead, dead behind or at the same point is dodged along a direction of the pair.
//
//   A = a (1 - d / R) s,  R = both radii + margin,
//   s = unit((r·f) f - r) of the neighbor with the largest R - d

/// sideways from the neighbor that overlaps most, in proportion to the overlap
/// weight = 1
/// priority = 1
/// order = 50
struct CloseNeighborAvoidance {
    rule: Rule,
    vision: Vision,
    /// added to the two radii
    /// value = 0 in 0..1e6 u
    margin: f32,
}

struct CloseNeighborAvoidanceSum {
    // How deep the deepest neighbor is within the room, u; 0 where none is.
    depth: f32,
    // Both radii and the margin, u.
    room: f32,
    // From the agent to that neighbor, u.
    offset: vec3f,
    id: u32,
}

fn close_neighbor_avoidance_add(
    sum: CloseNeighborAvoidanceSum,
    close_neighbor_avoidance: CloseNeighborAvoidance,
    neighbor: Neighbor,
    agent: Agent,
) -> CloseNeighborAvoidanceSum {
    let room = agent.radius + neighbor.radius + close_neighbor_avoidance.margin;
    let depth = room - neighbor.distance;
    if (sees(close_neighbor_avoidance.vision, neighbor) && depth > sum.depth) {
        return CloseNeighborAvoidanceSum(depth, room, neighbor.offset, neighbor.id);
    }
    return sum;
}

// u/s² before its weight
fn close_neighbor_avoidance_resolve(sum: CloseNeighborAvoidanceSum, agent: Agent) -> vec3f {
    if (sum.depth <= 0.0) {
        return vec3f(0.0);
    }
    let aside = agent.forward * dot3(sum.offset, agent.forward) - sum.offset;
    var side = unit_or_zero(aside);
    if (dot3(aside, aside) <= 1e-6 * (sum.room * sum.room)) {
        let apart = direction(min(agent.id, sum.id), max(agent.id, sum.id), STREAM_AVOIDANCE);
        side = across(agent.forward, apart * select(-1.0, 1.0, agent.id < sum.id));
    }
    return side * (agent.max_acceleration * (sum.depth / sum.room));
}
