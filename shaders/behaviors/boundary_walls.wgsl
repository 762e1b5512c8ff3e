// Boundary walls: away from the edges of the world, each axis by itself.

struct BoundaryWalls {
    rule: Rule,
    distance: f32,
}

// u/s² before its weight
fn boundary_walls_steer(boundary_walls: BoundaryWalls, agent: Agent) -> vec3f {
    return vec3f(0.0);
}
