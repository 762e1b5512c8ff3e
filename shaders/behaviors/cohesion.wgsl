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

fn cohesion_add(sum: CohesionSum, neighbor: Neighbor) -> CohesionSum {
    return CohesionSum(sum.offset + neighbor.offset, sum.count + 1u);
}

// u before its weight
fn cohesion_resolve(sum: CohesionSum) -> vec3f {
    if (sum.count == 0u) {
        return vec3f(0.0);
    }
    return sum.offset / f32(sum.count);
}
