// Stage trail: agents lay down their deposits, then the trail fades, then it spreads.
//
// All in integers: sums do not depend on the order of threads, and what leaves a cell arrives in another to the unit. What
// all agents together lay in one step is at most 2^31, a rule of scenes; together with the most that fading and spreading
// leave in a cell, that fits into 32 bits.

@compute @workgroup_size(workgroup_size)
fn trail_lay(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let slot = invocation_index(invocation, workgroups);
    if (slot >= world.agent_count) {
        return;
    }
    let own_id = id[slot];
    if ((own_id & FROZEN) != 0u) {
        return;
    }
    let own = species_of(own_id);
    if (((species[own].deposit_states >> state_of(own_id)) & 1u) != 0u) {
        let home = ground_index(ground_cell(load(position[slot])));
        atomicAdd(&ground_atomic[home].trail, ground_units(species[own].deposit, step_now()));
    }
}

// A fraction of a unit is rounded up in that fraction of the steps, so that a weak trail fades as fast as a strong one.
@compute @workgroup_size(workgroup_size)
fn trail_fade(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let index = invocation_index(invocation, workgroups);
    if (index >= world.ground_cells.x * world.ground_cells.y * world.ground_cells.z) {
        return;
    }
    let laid = min(ground[index].trail, MOST_TRAIL);
    faded[index] = laid - portion_of(laid, world.trail_fade, reverseBits(step_now()));
}

// What comes from the two neighbors along an axis, less what goes to them, modulo 2^32. Cells of the ground along the
// axis are `stride` apart.
fn trail_exchange(index: u32, at: u32, stride: u32, cells: u32, wraps: bool, share: u32) -> u32 {
    let given = portion_of(faded[index], share, 0u);
    var change = 0u;
    for (var step = -1; step <= 1; step += 2) {
        let next = ground_step(at, step, cells, wraps);
        if (next.inside) {
            change += portion_of(faded[index - at * stride + next.cell * stride], share, 0u) - given;
        }
    }
    return change;
}

@compute @workgroup_size(workgroup_size)
fn trail_spread(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let index = invocation_index(invocation, workgroups);
    let cells = world.ground_cells;
    if (index >= cells.x * cells.y * cells.z) {
        return;
    }
    let share = world.trail_shares;
    let plane = cells.x * cells.y;
    var amount = faded[index];
    amount += trail_exchange(index, index % cells.x, 1u, cells.x, boundary_x == WRAP, share.x);
    amount += trail_exchange(index, index / cells.x % cells.y, cells.x, cells.y, boundary_y == WRAP, share.y);
    if (SPATIAL) {
        amount += trail_exchange(index, index / plane, plane, cells.z, boundary_z == WRAP, share.z);
    }
    ground[index].trail = amount;
}
