// Stage bin: decide each agent's cell, once, and count the agents of each cell.

@group(0) @binding(3) var<storage, read> position: array<Stored>;
@group(0) @binding(4) var<storage, read> velocity: array<Stored>;
@group(0) @binding(5) var<storage, read> id: array<u32>;
@group(0) @binding(6) var<storage, read_write> cell: array<u32>;
@group(0) @binding(7) var<storage, read_write> rank: array<u32>;
@group(0) @binding(8) var<storage, read_write> count: array<atomic<u32>>;

@compute @workgroup_size(workgroup_size)
fn bin(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let slot = invocation_index(invocation, workgroups);
    if (slot >= world.agent_count) {
        return;
    }
    let where_it_is = load(position[slot]);
    // The frozen share a cell of their own behind all others, so nobody finds them.
    var found = world.cell_count;
    if (is_sane3(where_it_is) && is_sane3(load(velocity[slot])) && (id[slot] & FROZEN) == 0u) {
        found = cell_of(where_it_is);
    }
    cell[slot] = found;
    // This rank depends on the timing of threads. It only spreads the agents of a cell over its places; `gather`
    // replaces it by an order of their ids.
    rank[slot] = atomicAdd(&count[found], 1u);
}
