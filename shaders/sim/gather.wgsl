// Stage gather: copy the agents into sorted order, by cell, and by id within a cell. From here on nothing depends on
// the timing of threads. Frozen agents get a state that can be drawn and copied.


@compute @workgroup_size(workgroup_size)
fn gather(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let place = invocation_index(invocation, workgroups);
    if (place >= world.agent_count) {
        return;
    }
    let slot = order[place].x;
    let id = order[place].y;
    let home = cell[slot];
    let first = cell_start[home];
    var sorted = place;
    if (id_order) {
        // The rank by id is the number of smaller ids in the cell. The CPU twin sorts each cell instead. Few cells
        // hold more than four agents, and loads by all lanes are cheaper than a loop whose length differs between
        // lanes.
        sorted = first;
        let last = cell_start[home + 1u];
        for (var k = 0u; k < 4u; k += 1u) {
            let other = order[min(first + k, last - 1u)].y & ~FROZEN;
            sorted += u32(first + k < last && other < (id & ~FROZEN));
        }
        for (var k = first + 4u; k < last; k += 1u) {
            sorted += u32((order[k].y & ~FROZEN) < (id & ~FROZEN));
        }
    }
    if (tracks_agents) {
        if ((id & ~FROZEN) < world.agent_count) {
            place_of[id & ~FROZEN] = sorted;
        }
    } else if (few_ask) {
        if ((id & ~FROZEN) - world.first_asking < world.asking_ids) {
            place_of[id & ~FROZEN] = sorted;
        }
    }
    if (home == world.cell_count) {
        let rest = load(position[slot]);
        sorted_position[sorted] = store(select(vec3f(0.0), rest, is_sane3(rest)));
        sorted_velocity[sorted] = store(vec3f(0.0));
        sorted_id[sorted] = id | FROZEN;
    } else {
        sorted_position[sorted] = position[slot];
        sorted_velocity[sorted] = velocity[slot];
        sorted_id[sorted] = id;
    }
}
