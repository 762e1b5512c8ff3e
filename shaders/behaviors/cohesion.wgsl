// Cohesion: toward the mean position of the neighbors (Reynolds 1999), in proportion to its distance. The mean is taken
// of offsets, never of positions, so that it holds across a seam and far from the origin.

struct Cohesion {
    // 1/s²
    weight: f32,
    vision: Vision,
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
fn cohesion_resolve(sum: CohesionSum) -> vec3f {
    if (sum.count == 0u) {
        return vec3f(0.0);
    }
    return sum.offset / f32(sum.count);
}
