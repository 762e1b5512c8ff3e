// How far a position is from a surface of any kind.

// Distance of a position from a surface.
struct Clearance {
    // To the surface, u; negative on the solid side.
    distance: f32,
    // Gradient of the distance, of unit length.
    normal: vec3f,
}

// The point of a surface to which a position is projected.
struct Ground {
    // Point of the surface, u.
    point: vec3f,
    // Unit normal of the surface there.
    up: vec3f,
}

// The clearance that counts for an agent: with `within` the inside is free, so both members are negated.
fn facing(clearance: Clearance, within: bool) -> Clearance {
    return Clearance(
        select(clearance.distance, -clearance.distance, within),
        select(clearance.normal, -clearance.normal, within),
    );
}
