// Stage bin: decide each agent's cell, once, and count the agents of each cell.

// Put the agent of a storage slot into its cell.
fn bin_agent(slot: u32, agent: SortedAgent) {
    let found = home_of(agent);
    // This rank depends on the timing of threads. It only gives each agent of a cell an index of its own; `gather` then
    // orders them by their ids.
    let before = atomicAdd(&count_atomic[found], 1u);
    store_cell_and_rank(slot, found, before);
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
        bin_agent(slot, SortedAgent(load(position[slot]), load(velocity[slot]), id[slot]));
    }
}
