// Stage bin: decide each agent's cell, once, and count the agents of each cell.

// Put the agent of a storage slot into its cell.
fn enter(slot: u32, agent: SortedAgent) {
    // Frozen agents have a cell of their own behind all others, which no query visits. Whatever words the state holds,
    // an agent in any other cell is in the world and has a valid id: later stages rely on it.
    var found = frozen_cell();
    let healthy = is_sane3(agent.position) && is_sane3(agent.velocity) && is_in_world(agent.position);
    if (healthy && agent.id < world.agent_count) {
        found = cell_of(agent.position);
    }
    cell[slot] = found;
    // This rank depends on the timing of threads. It only gives each agent of a cell an index of its own; `gather` then
    // orders them by their ids.
    let before = atomicAdd(&count_atomic[found], 1u);
    rank[slot] = before;
    if (crowds) {
        if (before == world.crowd && found < world.cell_count) {
            atomicStore(&count_atomic[crowd_flag()], 1u);
        }
    }
}

@compute @workgroup_size(workgroup_size)
fn bin(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let slot = invocation_index(invocation, workgroups);
    if (slot < world.agent_count) {
        enter(slot, SortedAgent(load(position[slot]), load(velocity[slot]), id[slot]));
    }
}
