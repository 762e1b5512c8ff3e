// Finds agents by their ids: which storage slot each lies in, and what is there. No part of a step: the host asks for it.

const FROZEN = 0x80000000u;
const ID_BITS = 0x3fffffffu;
// Words of a row: id, slot, neighbors, position, velocity and acceleration (3 each, bits of floats), pose (12).
const ROW = 24u;
const NOBODY = 0xffffffffu;

struct Head {
    // Floats of a vector.
    components: u32,
    // Number of agents. It does not follow from the length of a binding, which drivers round up.
    agents: u32,
    rows: u32,
}

// Poses may lie in several buffers. For the one that is bound: how many words of each pose it has, and which word of a pose is the first.
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
fn write_slots(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let slot = at.y * groups.x * 64u + at.x;
    if (slot < head.agents) {
        let own_id = id[slot] & ID_BITS;
        // A user's shaders may write ids that no agent has.
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
    rows[row + 1u] = select(NOBODY, slot, (found & ID_BITS) == wanted);
    rows[row + 2u] = neighbors[slot];
    for (var axis = 0u; axis < components; axis += 1u) {
        rows[row + 3u + axis] = position[slot * components + axis];
        rows[row + 6u + axis] = velocity[slot * components + axis];
        rows[row + 9u + axis] = acceleration[slot * components + axis];
    }
}

// After `find`: writes the poses of the agents that were found.
@compute @workgroup_size(64)
fn copy_poses(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = at.y * groups.x * 64u + at.x;
    if (index >= part.rows || rows[index * ROW + 1u] == NOBODY) {
        return;
    }
    let id = rows[index * ROW] & ID_BITS;
    for (var word = 0u; word < part.width; word += 1u) {
        rows[index * ROW + 12u + part.first + word] = pose[id * part.width + word];
    }
}

// A place of the picture, and the projection of the world into the picture.
struct Sight {
    // World space to view space.
    view: mat4x4f,
    // From the middle of the picture to the place, px.
    at: vec2f,
    // Pixels per unit; with perspective, at a distance of 1 u.
    focal: f32,
    perspective: u32,
    components: u32,
    agents: u32,
}

@group(0) @binding(10) var<uniform> sight: Sight;
// The least squared distance of an agent from the place, px², as the bits of a float, which compare like the float; and the id of that
// agent.
@group(0) @binding(11) var<storage, read_write> nearest: array<atomic<u32>, 2>;
var<workgroup> nearest_here: atomic<u32>;

// How far an agent is from the place, squared; NOBODY where it is frozen or behind the camera.
fn squared_distance(slot: u32) -> u32 {
    if (slot >= sight.agents || (id[slot] & FROZEN) != 0u) {
        return NOBODY;
    }
    var place = vec4f(0.0, 0.0, 0.0, 1.0);
    for (var axis = 0u; axis < sight.components; axis += 1u) {
        place[axis] = bitcast<f32>(position[slot * sight.components + axis]);
    }
    let seen = sight.view * place;
    let depth = select(1.0, -seen.z, sight.perspective != 0u);
    let away = vec2f(seen.x, -seen.y) * (sight.focal / depth) - sight.at;
    let squared = dot(away, away);
    return select(NOBODY, bitcast<u32>(squared), depth > 0.0 && squared < 1e30);
}

@compute @workgroup_size(64)
fn find_distance(
    @builtin(global_invocation_id) at: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    if (lane == 0u) {
        atomicStore(&nearest_here, NOBODY);
    }
    workgroupBarrier();
    atomicMin(&nearest_here, squared_distance(at.y * groups.x * 64u + at.x));
    workgroupBarrier();
    if (lane == 0u) {
        atomicMin(&nearest[0], atomicLoad(&nearest_here));
    }
}

// After `find_distance`: the id of the agent at the least distance. Another pipeline may round otherwise, so a little farther counts
// too; the least id wins.
@compute @workgroup_size(64)
fn find_id(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let slot = at.y * groups.x * 64u + at.x;
    let least = atomicLoad(&nearest[0]);
    let squared = squared_distance(slot);
    if (squared != NOBODY && bitcast<f32>(squared) <= bitcast<f32>(least) * 1.0001 + 1e-6) {
        atomicMin(&nearest[1], id[slot] & ID_BITS);
    }
}
