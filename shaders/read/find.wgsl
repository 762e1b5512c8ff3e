// Finds agents by their ids: which storage slot each lies in, and what is there. No part of a step: the host asks for it.

const FROZEN = 0x80000000u;
// Words of a row: id, slot, neighbors, position, velocity and acceleration (3 each, bits of floats), pose (12).
const ROW = 24u;
const NOBODY = 0xffffffffu;

struct Head {
    // Floats of a vector.
    components: u32,
    // The length of a binding is no number of agents: drivers round it up.
    agents: u32,
    rows: u32,
}

// Poses may lie in several buffers. Of the one that is bound: how many words of a pose it has, and which word of a pose is the first.
struct Part {
    width: u32,
    first: u32,
    rows: u32,
}

@group(0) @binding(7) var<uniform> head: Head;
@group(0) @binding(8) var<uniform> part: Part;
@group(0) @binding(0) var<storage, read> id: array<u32>;
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;
@group(0) @binding(2) var<storage, read_write> rows: array<u32>;
@group(0) @binding(3) var<storage, read> position: array<u32>;
@group(0) @binding(4) var<storage, read> velocity: array<u32>;
@group(0) @binding(5) var<storage, read> neighbors: array<u32>;
@group(0) @binding(6) var<storage, read> acceleration: array<u32>;
@group(0) @binding(9) var<storage, read> pose: array<u32>;

@compute @workgroup_size(64)
fn number(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let slot = at.y * groups.x * 64u + at.x;
    if (slot < head.agents) {
        let own_id = id[slot] & ~FROZEN;
        // A user's shaders may write ids that nobody has.
        if (own_id < head.agents) {
            slots[own_id] = slot;
        }
    }
}

@compute @workgroup_size(64)
fn find(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = at.y * groups.x * 64u + at.x;
    if (index >= head.rows) {
        return;
    }
    let components = head.components;
    let row = index * ROW;
    let wanted = rows[row];
    let slot = slots[wanted];
    let found = id[slot];
    rows[row] = found;
    rows[row + 1u] = select(NOBODY, slot, (found & ~FROZEN) == wanted);
    rows[row + 2u] = neighbors[slot];
    for (var axis = 0u; axis < components; axis += 1u) {
        rows[row + 3u + axis] = position[slot * components + axis];
        rows[row + 6u + axis] = velocity[slot * components + axis];
        rows[row + 9u + axis] = acceleration[slot * components + axis];
    }
}

// After `find`: writes the poses of the agents that were found.
@compute @workgroup_size(64)
fn face(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = at.y * groups.x * 64u + at.x;
    if (index >= part.rows || rows[index * ROW + 1u] == NOBODY) {
        return;
    }
    let id = rows[index * ROW] & ~FROZEN;
    for (var word = 0u; word < part.width; word += 1u) {
        rows[index * ROW + 12u + part.first + word] = pose[id * part.width + word];
    }
}
