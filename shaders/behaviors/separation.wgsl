// Separation: away from each neighbor, by the offset over its squared length (Reynolds 1999: a repulsive force in the
// direction of the offset, weighted by 1/r).

struct Separation {
    // Weight in u²/s².
    rule: Rule,
    vision: Vision,
    exponent: u32,
    // 0: the repulsions add up; 1: their direction at max_speed is the desired velocity.
    form: u32,
}

// Offsets shorter than a thousandth of the radius count as that long, so that the sum stays finite.
fn separation_floor(separation: Separation) -> f32 {
    return max(separation.vision.radius_squared * 1e-6, 1e-12);
}

fn separation_add(sum: vec3f, separation: Separation, neighbor: Neighbor) -> vec3f {
    let weight = 1.0 / max(neighbor.distance_squared, separation_floor(separation));
    return sum - neighbor.offset * select(0.0, weight, sees(separation.vision, neighbor));
}

// Coincident agents have no offset. They part along a direction of the pair: opposite for the two, the same in every run.
fn separation_add_coincident(sum: vec3f, separation: Separation, id: u32, other: u32) -> vec3f {
    let apart = direction(min(id, other), max(id, other), STREAM_COINCIDENT) / sqrt(separation_floor(separation));
    return sum + select(-apart, apart, id < other);
}

// u/s² before its weight
fn separation_resolve(sum: vec3f, separation: Separation, agent: Agent) -> vec3f {
    return sum;
}
