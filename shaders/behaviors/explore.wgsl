// Explore: seek the center of the least visited ground cell within reach, of equal ones the nearest (Reynolds 1999 names
// exploring and gives no formula). `steer` finds the cell; the agent's own does not count. Integer counts of unvisited
// ground have no gradient, so the cells themselves are compared.

struct Explore {
    rule: Rule,
    // Ground cells to each side.
    reach: u32,
}

// u/s² before its weight
fn explore_steer(explore: Explore, agent: Agent, goal: Goal) -> vec3f {
    if (!goal.exists || goal.distance * goal.distance <= STANDSTILL) {
        return vec3f(0.0);
    }
    return steer_to(agent, goal.offset * (agent.max_speed / goal.distance));
}
