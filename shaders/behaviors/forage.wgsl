// Forage: arrive at the center of the nearest ground cell that holds some of the resource (Reynolds 1999: wandering and
// resource seeking; `wander` beside it does the rest). `steer` finds the cell. The stage `ground` lets one agent of a cell
// take from it in each step: the one with the smallest id.
//
//   A = (max_speed min(d / slow_radius, 1) unit(r) - v) / τ,  d < search_radius, or in the own cell

/// toward the nearest resource
/// weight = 1
/// priority = 5
/// order = 300
struct Forage {
    rule: Rule,
    /// resources farther away are not perceived, except in the own cell; nor farther than 16 ground cells, in spatial worlds 6
    /// value = 10 in 0..1e6 u
    /// needs = search
    search_radius: f32,
    /// nearer than this, the agent slows down
    /// value = 20 in 0..1e6 u
    /// needs = stop
    slow_radius: f32,
}

// u/s² before its weight
fn forage_steer(forage: Forage, agent: Agent) -> vec3f {
    let goal = nearest_resource(agent, forage.search_radius);
    if (!goal.exists) {
        return vec3f(0.0);
    }
    let speed = agent.max_speed * min(goal.distance / max(forage.slow_radius, 1e-6), 1.0);
    var desired = vec3f(0.0);
    if (goal.distance * goal.distance > STANDSTILL) {
        desired = goal.offset * (speed / goal.distance);
    }
    return steer_to(agent, desired);
}
