// Agents that are away: they have not entered yet, or have left. An agent enters once, and never comes back when it has left, so
// no id is used twice. While it is away it keeps its position and velocity, and lies in a cell that no query visits.

fn is_away(id: u32) -> bool {
    return (id & (FROZEN | AWAY)) == (FROZEN | AWAY);
}

// The step at whose end an agent enters; 0 if it is there from the start. The agents of a species enter one after another, by
// id.
fn entry_step(id: u32) -> u32 {
    let own = species_of(id);
    return u32(min(f32(id - species[own].first_id) * species[own].entry_interval, 4e9));
}

// The first step in which an agent acts.
fn first_step(id: u32) -> u32 {
    if (some_away) {
        return entry_step(id) + 1u;
    }
    return 1u;
}

// The state, after a step, of an agent that is away: it stays as it is, but enters if this is its entry step.
fn after_absence(agent: SortedAgent) -> SortedAgent {
    let id = agent.id & ID_BITS;
    return SortedAgent(agent.position, agent.velocity, select(agent.id, id, entry_step(id) == step_now()));
}

// Return whether a position lies in a cell of the goal of the map at which the species leaves.
fn is_out(own: u32, position: vec3f) -> bool {
    let x = position.x * world.map_cells_per_unit + f32(world.map_columns) * 0.5;
    let y = f32(world.map_rows) * 0.5 - position.y * world.map_cells_per_unit;
    let column = i32(floor(clamp(x, -1.0, f32(world.map_columns))));
    let row = i32(floor(clamp(y, -1.0, f32(world.map_rows))));
    let goal = species[own].exit;
    return way_from(select(goal, 0u, goal == NO_EXIT), column, row).y == 0u && goal != NO_EXIT;
}
