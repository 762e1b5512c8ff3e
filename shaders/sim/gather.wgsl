// Stage gather: copy the agents into sorted order, by cell, and by id within a cell. From here on nothing depends on
// the timing of threads. Frozen agents get a state that can be drawn and copied.


@compute @workgroup_size(workgroup_size)
fn gather(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let order_index = invocation_index(invocation, workgroups);
    if (order_index < world.agent_count) {
        gather_from(order_index);
    }
}

// The id of the agent that `scatter` put at an index of `order`. On drivers that compute on the CPU a load costs the same wherever its
// word lies, so there it is loaded from `order_id`, beside the slot.
fn id_in_order(order_index: u32) -> u32 {
    if (texture_loads) {
        return order_id[order_index];
    } else {
        return id[order[order_index]];
    }
}

// The cell of that agent. It follows from the position, unless crowded cells have set agents aside. On drivers that compute on the CPU
// one more load costs less than to compute it.
fn home_in_order(slot: u32, agent: SortedAgent) -> u32 {
    if (texture_loads) {
        return home_in(cell[slot]);
    }
    if (crowds) {
        if (cell_start[crowd_flag()] != 0u) {
            return home_in(cell[slot]);
        }
    }
    return home_of(agent);
}

// Copy the agent that `scatter` put at an index of `order` to its sorted index.
fn gather_from(order_index: u32) {
    let slot = order[order_index];
    let id = id_in_order(order_index);
    var agent = SortedAgent(load(position[slot]), load(velocity[slot]), id);
    let home = home_in_order(slot, agent);
    let first = cell_start[home];
    var sorted_index = order_index;
    if (id_order) {
        // The rank by id is the number of smaller ids in the cell. The CPU twin sorts each cell instead. Few cells
        // hold more than four agents, and loads by all lanes are cheaper than a loop whose length differs between
        // lanes.
        sorted_index = first;
        let last = cell_start[home + 1u];
        for (var k = 0u; k < 4u; k += 1u) {
            let other = id_in_order(min(first + k, last - 1u)) & ID_BITS;
            sorted_index += u32(first + k < last && other < (id & ID_BITS));
        }
        for (var k = first + 4u; k < last; k += 1u) {
            sorted_index += u32((id_in_order(k) & ID_BITS) < (id & ID_BITS));
        }
    }
    if (tracks_agents) {
        if ((id & ID_BITS) < world.agent_count) {
            keep_sorted_index(id & ID_BITS, sorted_index);
        }
    } else if (few_queries) {
        if ((id & ID_BITS) - world.first_querying < world.querying_ids) {
            keep_sorted_index(id & ID_BITS, sorted_index);
        }
    }
    var freezes = home >= first_absent_cell();
    if (some_away) {
        freezes = freezes && !(is_away(id) && is_healthy(agent) && home != last_cell());
    }
    if (freezes) {
        agent.position = select(vec3f(0.0), agent.position, is_sane3(agent.position));
        agent.velocity = vec3f(0.0);
        agent.id = id | FROZEN;
    }
    if (texture_loads) {
        keep_texels(sorted_index, agent);
    } else {
        keep_columns(sorted_index, agent);
    }
}

fn keep_columns(sorted_index: u32, agent: SortedAgent) {
    sorted_position[sorted_index] = store(agent.position);
    sorted_velocity[sorted_index] = store(agent.velocity);
    sorted_id[sorted_index] = agent.id;
}

// Where agents are loaded from a texture, no stage of a step reads the buffers of sorted agents. `verify`, and a pass that an embedder
// puts between two stages, may, so this pass fills them. Steps in a row leave it out.
@compute @workgroup_size(workgroup_size)
fn gather_columns(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let sorted_index = invocation_index(invocation, workgroups);
    if (sorted_index < world.agent_count) {
        keep_columns(sorted_index, sorted_agent(sorted_index));
    }
}
