// Stage scatter: write each agent's storage slot to a sorted index of its cell.


@compute @workgroup_size(workgroup_size)
fn scatter(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let slot = invocation_index(invocation, workgroups);
    if (slot < world.agent_count) {
        scatter_slot(slot);
    }
}

fn scatter_slot(slot: u32) {
    let word = cell[slot];
    var place = word >> CELL_BITS;
    if (place == RANK_ELSEWHERE) {
        place = rank[slot];
    }
    let order_index = cell_start[home_in(word)] + place;
    order[order_index] = slot;
    if (texture_loads) {
        order_id[order_index] = id[slot];
    }
}
