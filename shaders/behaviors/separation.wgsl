// Separation: away from each neighbor, by the offset over its squared length (Reynolds 1999: a repulsive force in the
// direction of the offset, weighted by 1/r).

struct Separation {
    // u²/s²
    weight: f32,
    vision: Vision,
    // Offsets shorter than this count as this long, so that the sum stays finite, u.
    shortest: f32,
}

fn separation_add(sum: vec3f, separation: Separation, neighbor: Neighbor, id: u32, other: u32) -> vec3f {
    if (neighbor.distance_squared == 0.0) {
        // Coincident agents part along a direction of the pair: opposite for the two, the same in every run.
        let apart = direction(min(id, other), max(id, other), STREAM_COINCIDENT) / separation.shortest;
        return sum + select(-apart, apart, id < other);
    }
    let floor_squared = separation.shortest * separation.shortest;
    return sum - neighbor.offset * (1.0 / max(neighbor.distance_squared, floor_squared));
}

// u/s² before its weight
fn separation_resolve(sum: vec3f) -> vec3f {
    return sum;
}
