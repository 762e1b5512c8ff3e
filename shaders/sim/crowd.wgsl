// Stage crowd: a cell that holds more agents than `world.crowd` shows a sample of them. The others are set aside, into cells
// that no query visits. So the cost of a step is bounded, however agents gather. Where no cell is crowded, it does nothing.

// Few workgroups go through all agents: nearly always they have nothing to do.
@compute @workgroup_size(workgroup_size)
fn crowd(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    if (atomicLoad(&count_atomic[crowd_flag()]) == 0u) {
        return;
    }
    for (var slot = invocation.x; slot < world.agent_count; slot += workgroups.x * workgroup_size) {
        thin(slot);
    }
}

// Show the agent of a slot, or set it aside, if its cell is crowded.
fn thin(slot: u32) {
    let home = home_in(cell[slot]);
    if (home < world.cell_count) {
        let agents = atomicLoad(&count_atomic[home]);
        if (agents > world.crowd) {
            sample(slot, home, agents);
        }
    }
}

// Show an agent of a crowded cell, or set it aside. Only the counts of grid cells decide, which do not change here, so the
// order of threads matters for ranks alone.
fn sample(slot: u32, home: u32, agents: u32) {
    if (is_shown(id[slot], agents)) {
        store_cell_and_rank(slot, home, atomicAdd(&visible_atomic[home], 1u));
    } else {
        let aside = world.cell_count + id[slot] / IDS_ASIDE;
        store_cell_and_rank(slot, aside, atomicAdd(&count_atomic[aside], 1u));
    }
}
