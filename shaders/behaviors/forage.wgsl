// Forage: arrive at the center of the nearest ground cell that holds some of the resource (Reynolds 1999: wandering and
// resource seeking; `wander` beside it does the rest). `steer` finds the cell. The stage `ground` lets one agent of a cell
// take from it in each step: the one with the smallest id.

struct Forage {
    rule: Rule,
    // u
    search_radius: f32,
    // Nearer than this the desired speed falls, u.
    slow_radius: f32,
}

// u/s² before its weight
fn forage_steer(forage: Forage, agent: Agent, goal: Goal) -> vec3f {
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
