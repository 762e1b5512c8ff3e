// Perception: who is within a behavior's radius and field of view.

struct Vision {
    // Squared perception radius, u²; neighbors at exactly this distance are perceived. Negative for a species that does
    // not use the behavior, so that not even a coincident agent is.
    radius_squared: f32,
    // Cosine of half the field of view; -2 for 360 degrees, so that rounding never hides a neighbor dead behind.
    cosine: f32,
}

struct Neighbor {
    // From the agent to the neighbor's nearest image, u.
    offset: vec3f,
    distance_squared: f32,
    distance: f32,
    // Component of the offset along the agent's heading, u.
    ahead: f32,
    // The neighbor's velocity, u/s, where a behavior that acts needs it.
    velocity: vec3f,
}

fn sees(vision: Vision, neighbor: Neighbor) -> bool {
    return neighbor.distance_squared <= vision.radius_squared
        && neighbor.ahead >= neighbor.distance * vision.cosine;
}
