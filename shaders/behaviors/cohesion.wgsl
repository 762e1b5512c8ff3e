// Cohesion: toward the mean position of the neighbors (Reynolds 1999), in proportion to its distance. The mean is taken
// of offsets, never of positions, so that it holds across a seam and far from the origin.

struct Cohesion {
    // Weight in 1/s².
    rule: Rule,
    vision: Vision,
    // 0: in proportion to the distance; 1: at max_speed; 2: a unit acceleration.
    form: u32,
}

struct CohesionSum {
    offset: vec3f,
    count: u32,
}

fn cohesion_add(sum: CohesionSum, cohesion: Cohesion, neighbor: Neighbor) -> CohesionSum {
    let seen = sees(cohesion.vision, neighbor);
    return CohesionSum(sum.offset + neighbor.offset * select(0.0, 1.0, seen), sum.count + u32(seen));
}

// u before its weight
fn cohesion_resolve(sum: CohesionSum, cohesion: Cohesion, agent: Agent) -> vec3f {
    if (sum.count == 0u) {
        return vec3f(0.0);
    }
    return sum.offset / f32(sum.count);
}
