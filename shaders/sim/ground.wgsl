// Stage ground: agents mark the cells that they are in, then each cell grants one claim, grows and forgets.
//
// All in integers: sums and the smallest id do not depend on the order of threads.

// The cells as marks are put on them; elsewhere they are a `GroundCell`.
struct MarkedCell {
    visits: atomic<u32>,
    stock: u32,
    capacity: u32,
    claim: atomic<u32>,
}

@group(0) @binding(3) var<storage, read> position: array<Stored>;
@group(0) @binding(4) var<storage, read> id: array<u32>;
@group(0) @binding(5) var<storage, read_write> ground: array<MarkedCell>;
@group(0) @binding(6) var<storage, read_write> memory: array<Memory>;
@group(0) @binding(7) var<storage, read> clock: array<u32>;

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
    atomicAdd(&ground[home].visits, 1u);
    if (forage_acts) {
        let rule = species[species_of(own_id)].behaviors.forage.rule;
        if (rule_acts(rule, memory[own_id].state) && ground[home].stock > 0u) {
            atomicMin(&ground[home].claim, own_id);
        }
    }
}

@compute @workgroup_size(workgroup_size)
fn ground_settle(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let index = invocation_index(invocation, workgroups);
    if (index >= world.ground_cells.x * world.ground_cells.y * world.ground_cells.z) {
        return;
    }
    let step = clock[0];
    var stock = ground[index].stock;
    if (forage_acts) {
        // An agent is in one cell, so no two cells write to one agent.
        let claim = atomicLoad(&ground[index].claim);
        if (claim != UNCLAIMED) {
            let taken = min(stock, ground_units(world.ground_intake, step));
            stock -= taken;
            memory[claim].load += taken;
        }
    }
    let capacity = ground[index].capacity;
    stock += min(capacity - stock, ground_units(world.ground_regrowth, step));
    var visits = min(atomicLoad(&ground[index].visits), 0x3fffffffu);
    if (world.ground_half_life > 0u) {
        visits = select(visits, visits >> 1u, step % max(world.ground_half_life, 1u) == 0u);
    }
    ground[index].stock = stock;
    atomicStore(&ground[index].visits, visits);
    atomicStore(&ground[index].claim, UNCLAIMED);
}
