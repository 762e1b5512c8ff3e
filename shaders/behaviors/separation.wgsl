// Separation: away from each neighbor, by the offset over its squared length (Reynolds 1999: a repulsive force in the
// direction of the offset, weighted by 1/r).

struct Separation {
    // u²/s²
    weight: f32,
    vision: Vision,
    // Offsets shorter than this count as this long, so that the sum stays finite, u.
    shortest: f32,
}

fn separation_add(sum: vec3f, separation: Separation, neighbor: Neighbor) -> vec3f {
    let floor_squared = separation.shortest * separation.shortest;
    let weight = 1.0 / max(neighbor.distance_squared, floor_squared);
    return sum - neighbor.offset * select(0.0, weight, sees(separation.vision, neighbor));
}

// Coincident agents have no offset. They part along a direction of the pair: opposite for the two, the same in every run.
fn separation_add_coincident(sum: vec3f, separation: Separation, id: u32, other: u32) -> vec3f {
    let apart = direction(min(id, other), max(id, other), STREAM_COINCIDENT) / separation.shortest;
    return sum + select(-apart, apart, id < other);
}

// u/s² before its weight
fn separation_resolve(sum: vec3f) -> vec3f {
    return sum;
}
