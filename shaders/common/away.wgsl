// Agents that are away. Each agent is there once: it enters at its step, and when it has left it never comes back, so its id is no
// other's. While it is away it keeps place and velocity, and lies in a cell that no query visits.

fn is_away(id: u32) -> bool {
    return (id & (FROZEN | AWAY)) == (FROZEN | AWAY);
}

// The step at whose end an agent enters; 0 where it is there from the start. One after another, by id.
fn entry_step(id: u32) -> u32 {
    let own = species_of(id);
    return u32(min(f32(id - species[own].first_id) * species[own].entry_interval, 4e9));
}

// An agent that is away, after a step.
fn after_absence(agent: SortedAgent) -> SortedAgent {
    let id = agent.id & ID_BITS;
    return SortedAgent(agent.position, agent.velocity, select(agent.id, id, entry_step(id) == step_now()));
}

// Is a place in a cell of the goal at which a species leaves?
fn is_out(own: u32, position: vec3f) -> bool {
    let x = position.x * world.map_cells_per_unit + f32(world.map_columns) * 0.5;
    let y = f32(world.map_rows) * 0.5 - position.y * world.map_cells_per_unit;
    let column = i32(floor(clamp(x, -1.0, f32(world.map_columns))));
    let row = i32(floor(clamp(y, -1.0, f32(world.map_rows))));
    let goal = species[own].exit;
    return way_from(select(goal, 0u, goal == NO_EXIT), column, row).y == 0u && goal != NO_EXIT;
}
