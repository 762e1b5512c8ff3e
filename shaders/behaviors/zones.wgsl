// Zones: keep away from the nearest, else go where the near go and toward the far (Couzin et al. 2002, "Collective memory and
// spatial sorting in animal groups"). Around the agent lie a zone of repulsion, one of orientation and one of attraction, which
// ends at the perception radius. If any neighbor is in the zone of repulsion, the agent heeds no neighbor outside of it. That
// zone has no blind angle; the field of view holds for the other two. With `k_nearest` the k nearest in view say how far the
// agent looks; behind it, all that are no farther away count.
//
//   A = (max_speed unit(c) - v) / τ
//   anybody within repulsion_radius:  c = -Σ unit(r)
//   else:  c = Σ unit(u) within orientation_radius + Σ unit(r) beyond
//
// In the paper agents move at one speed (min_speed = max_speed, time_constant = 0) and turn by at most 40 degrees a second
// (vehicle.max_angular_speed); its error of the direction is `wander_random`. A narrow zone of orientation gives a swarm, a
// somewhat wider one a torus, a wide one a group that flies one way.

/// away from neighbors that are too near, else along with the near and toward the far (Couzin)
/// weight = 1
/// priority = 6
/// order = 66
/// wants = velocity
struct Zones {
    rule: Rule,
    vision: Vision,
    /// neighbors up to here are moved away from, all around, and then nobody else counts
    /// value = 1 in 0..1e6 u
    repulsion_radius: f32,
    /// beyond that and up to here, their headings are taken; beyond this they attract
    /// value = 2 in 0..1e6 u
    orientation_radius: f32,
}

struct ZonesSum {
    // Unit vectors away from neighbors that are too near.
    away: vec3f,
    crowded: u32,
    // Headings of the near, and unit vectors toward the far.
    course: vec3f,
}

fn zones_add(sum: ZonesSum, zones: Zones, neighbor: Neighbor) -> ZonesSum {
    var around = zones.vision;
    around.cosine = ALL_AROUND;
    let near = sees(around, neighbor) && neighbor.distance <= zones.repulsion_radius;
    let heeded = sees(zones.vision, neighbor) && !near;
    let toward = neighbor.offset / max(neighbor.distance, COINCIDENT);
    let theirs = select(toward, neighbor.heading, neighbor.distance <= zones.orientation_radius);
    return ZonesSum(
        sum.away - toward * select(0.0, 1.0, near),
        sum.crowded + u32(near),
        sum.course + theirs * select(0.0, 1.0, heeded),
    );
}

// Coincident agents part along a direction of the pair: opposite for the two, the same in every run.
fn zones_add_coincident(sum: ZonesSum, agent: Agent, other: u32) -> ZonesSum {
    let apart = direction(min(agent.id, other), max(agent.id, other), STREAM_COINCIDENT);
    return ZonesSum(sum.away + select(-apart, apart, agent.id < other), sum.crowded, sum.course);
}

// u/s² before its weight. Where nobody is heeded, or the vectors cancel, the agent keeps its heading.
fn zones_resolve(sum: ZonesSum, agent: Agent) -> vec3f {
    let total = select(sum.course, sum.away, sum.crowded > 0u);
    let course = select(unit_or_zero(total), agent.forward, dot3(total, total) <= STANDSTILL);
    return steer_to(agent, course * agent.max_speed);
}
