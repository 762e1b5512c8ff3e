// Stage scatter: put each agent's slot and id into a place of its cell.

@group(0) @binding(3) var<storage, read> id: array<u32>;
@group(0) @binding(4) var<storage, read> cell: array<u32>;
@group(0) @binding(5) var<storage, read> rank: array<u32>;
@group(0) @binding(6) var<storage, read> cell_start: array<u32>;
// x: slot, y: id. Within a cell the order is that of the threads.
@group(0) @binding(7) var<storage, read_write> order: array<vec2u>;

@compute @workgroup_size(workgroup_size)
fn scatter(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let slot = invocation_index(invocation, workgroups);
    if (slot >= world.agent_count) {
        return;
    }
    order[cell_start[cell[slot]] + rank[slot]] = vec2u(slot, id[slot]);
}
