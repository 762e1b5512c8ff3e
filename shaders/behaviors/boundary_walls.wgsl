// Boundary walls: within a distance of an edge of the world, the component of the desired velocity toward it is replaced by
// full speed away from it (Shiffman, The Nature of Code, `boundaries`). Each axis by itself: in a corner both components
// point inward, where the published code lets one axis undo the other.
//
//   A = (max_speed unit(w) - v) / τ,  w = v, but ±max_speed inward along each axis
//   whose edge is nearer than distance

/// away from the edges of the world, each axis by itself
/// weight = 1
/// priority = 0
/// order = 230
/// wants = velocity at times
struct BoundaryWalls {
    rule: Rule,
    /// distance from an edge at which its component of the velocity is replaced
    /// value = 10 in 0..1e6 u
    /// needs = turn_back
    distance: f32,
}

// u/s² before its weight
fn boundary_walls_steer(boundary_walls: BoundaryWalls, agent: Agent) -> vec3f {
    var inner = world.half_size - vec3f(boundary_walls.distance);
    var near = abs(agent.position) > inner;
    if (!SPATIAL) {
        near.z = false;
    }
    if (!any(near)) {
        return vec3f(0.0);
    }
    let inward = select(vec3f(-agent.max_speed), vec3f(agent.max_speed), agent.position < vec3f(0.0));
    let desired = select(agent.velocity, inward, near);
    return steer_to(agent, along(desired) * agent.max_speed);
}
