// Stage gather: copy the agents into sorted order, by cell, and by id within a cell. From here on nothing depends on
// the timing of threads. Frozen agents get a state that can be drawn and copied.


@compute @workgroup_size(workgroup_size)
fn gather(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let order_index = invocation_index(invocation, workgroups);
    if (order_index < world.agent_count) {
        gather_from(order_index);
    }
}

// Copy the agent that `scatter` put there.
fn gather_from(order_index: u32) {
    let slot = order[order_index].x;
    let id = order[order_index].y;
    let home = cell[slot];
    let first = cell_start[home];
    var sorted_index = order_index;
    if (id_order) {
        // The rank by id is the number of smaller ids in the cell. The CPU twin sorts each cell instead. Few cells
        // hold more than four agents, and loads by all lanes are cheaper than a loop whose length differs between
        // lanes.
        sorted_index = first;
        let last = cell_start[home + 1u];
        for (var k = 0u; k < 4u; k += 1u) {
            let other = order[min(first + k, last - 1u)].y & ~FROZEN;
            sorted_index += u32(first + k < last && other < (id & ~FROZEN));
        }
        for (var k = first + 4u; k < last; k += 1u) {
            sorted_index += u32((order[k].y & ~FROZEN) < (id & ~FROZEN));
        }
    }
    if (tracks_agents) {
        if ((id & ~FROZEN) < world.agent_count) {
            sorted_index_of[id & ~FROZEN] = sorted_index;
        }
    } else if (few_queries) {
        if ((id & ~FROZEN) - world.first_querying < world.querying_ids) {
            sorted_index_of[id & ~FROZEN] = sorted_index;
        }
    }
    var agent = SortedAgent(load(position[slot]), load(velocity[slot]), id);
    if (home == frozen_cell()) {
        agent.position = select(vec3f(0.0), agent.position, is_sane3(agent.position));
        agent.velocity = vec3f(0.0);
        agent.id = id | FROZEN;
    }
    sorted_position[sorted_index] = store(agent.position);
    sorted_velocity[sorted_index] = store(agent.velocity);
    sorted_id[sorted_index] = agent.id;
    if (texture_loads) {
        keep_texels(sorted_index, agent);
    }
}
