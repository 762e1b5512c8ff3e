// Stage ground: agents mark the cells that they are in, then each cell grants one claim, grows and forgets.
//
// All in integers: sums and the smallest id do not depend on the order of threads.

@compute @workgroup_size(workgroup_size)
fn ground_mark(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let slot = invocation_index(invocation, workgroups);
    if (slot >= world.agent_count) {
        return;
    }
    let own_id = id[slot];
    if ((own_id & FROZEN) != 0u) {
        return;
    }
    let home = ground_index(ground_cell(load(position[slot])));
    atomicAdd(&ground_atomic[home].visits, 1u);
    if (forages) {
        if (takes_resource(species_of(own_id), own_id, state_of(own_id)) && ground_atomic[home].stock > 0u) {
            atomicMin(&ground_atomic[home].claim, own_id);
        }
    }
}

@compute @workgroup_size(workgroup_size)
fn ground_settle(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let index = invocation_index(invocation, workgroups);
    if (index >= world.ground_cells.x * world.ground_cells.y * world.ground_cells.z) {
        return;
    }
    let step = step_now();
    var stock = ground_atomic[index].stock;
    if (forages) {
        // An agent is in one cell, so no two cells write to one agent.
        let claim = atomicLoad(&ground_atomic[index].claim);
        if (claim < world.agent_count) {
            let taken = min(stock, ground_units(world.ground_intake, step));
            stock -= taken;
            keep_load(claim, load_of(claim) + taken);
        }
    }
    let capacity = ground_atomic[index].capacity;
    stock += min(capacity - stock, ground_units(world.ground_regrowth, step));
    var visits = min(atomicLoad(&ground_atomic[index].visits), 0x3fffffffu);
    if (world.ground_half_life > 0u) {
        visits = select(visits, visits >> 1u, step % max(world.ground_half_life, 1u) == 0u);
    }
    ground_atomic[index].stock = stock;
    atomicStore(&ground_atomic[index].visits, visits);
    atomicStore(&ground_atomic[index].claim, UNCLAIMED);
}
