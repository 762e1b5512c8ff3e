// Explore: seek the center of the least visited ground cell within reach, of equal ones the nearest (Reynolds 1999 names
// exploring and gives no formula). `steer` finds the cell; the agent's own does not count. Integer counts of unvisited
// ground have no gradient, so the cells themselves are compared.
//
//   A = (max_speed unit(r) - v) / τ,  r to the center of the cell

/// toward what was visited least
/// weight = 1
/// priority = 6
/// order = 290
struct Explore {
    rule: Rule,
    /// how many ground cells to each side it looks; at most 6 in spatial worlds
    /// value = 4 in 1..16
    reach: u32,
}

// u/s² before its weight
fn explore_steer(explore: Explore, agent: Agent) -> vec3f {
    let goal = least_visited(agent, explore.reach);
    if (!goal.exists || goal.distance * goal.distance <= STANDSTILL) {
        return vec3f(0.0);
    }
    return steer_to(agent, goal.offset * (agent.max_speed / goal.distance));
}
