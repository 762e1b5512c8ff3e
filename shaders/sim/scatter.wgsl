// Stage scatter: write each agent's storage slot and id to a sorted index of its cell.


@compute @workgroup_size(workgroup_size)
fn scatter(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let slot = invocation_index(invocation, workgroups);
    if (slot < world.agent_count) {
        scatter_slot(slot);
    }
}

fn scatter_slot(slot: u32) {
    order[cell_start[cell[slot]] + rank[slot]] = vec2u(slot, id[slot]);
}
