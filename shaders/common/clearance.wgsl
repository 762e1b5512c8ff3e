// How far a position is from a surface, whatever that is of.

struct Clearance {
    // To the surface, u; negative on the solid side.
    distance: f32,
    // Gradient of the distance, of unit length.
    normal: vec3f,
}

// The point of a surface that a position is put on.
struct Ground {
    // Point of the surface, u.
    point: vec3f,
    // Unit normal of the surface there.
    up: vec3f,
}

// The same from within, where that is free.
fn facing(clearance: Clearance, within: bool) -> Clearance {
    return Clearance(
        select(clearance.distance, -clearance.distance, within),
        select(clearance.normal, -clearance.normal, within),
    );
}
