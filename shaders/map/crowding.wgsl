// Counts the agents over each cell of a map, for ways that avoid crowds. Not a stage: it runs before the steps at which ways are computed
// anew. The sums are of whole numbers, so the order of threads does not matter.

struct Head {
    columns: u32,
    rows: u32,
    agents: u32,
    // Number of floats in a position.
    components: u32,
    half_cells_per_unit: f32,
}

const ID_BITS = 0x3fffffffu;

@group(0) @binding(0) var<uniform> head: Head;
@group(0) @binding(1) var<storage, read> position: array<u32>;
@group(0) @binding(2) var<storage, read> id: array<u32>;
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;

// The column or the row of a coordinate; -1 if it is far off or no number. It is computed in half cells: even with an odd number of cells,
// a whole number of half cells lies on either side of the origin, so what is added is whole. Tiny coordinates count as 0, which devices may
// make of them.
fn along(bits: u32, cells: u32) -> i32 {
    let exponent = (bits >> 23u) & 255u;
    let place = bitcast<f32>(select(bits, 0u, exponent < 60u || exponent > 190u));
    let half_cells = i32(clamp(floor(place * head.half_cells_per_unit), -1e6, 1e6));
    return select((half_cells + i32(cells)) >> 1u, -1, exponent > 190u);
}

@compute @workgroup_size(64)
fn count(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let slot = at.y * groups.x * 64u + at.x;
    // Agents that are away or frozen are counted nowhere.
    if (slot >= head.agents || (id[slot] & ~ID_BITS) != 0u) {
        return;
    }
    let column = along(position[slot * head.components], head.columns);
    let row = along(position[slot * head.components + 1u] ^ 0x80000000u, head.rows);
    if (column >= 0 && row >= 0 && column < i32(head.columns) && row < i32(head.rows)) {
        atomicAdd(&counts[u32(row) * head.columns + u32(column)], 1u);
    }
}
