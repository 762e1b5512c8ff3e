// The list of agents that are drawn solid, in the order of storage, so that a picture depends on the state alone.
//
// In blocks of one workgroup: `count` counts each block, `list` adds up the blocks before and writes its own.

@group(1) @binding(0) var<storage, read_write> listed: array<u32>;

var<workgroup> flags: array<atomic<u32>, 8>;
var<workgroup> before: atomic<u32>;

fn flag(block: u32, thread: u32) -> bool {
    let index = block * BLOCK + thread;
    if (index >= body_count()) {
        return false;
    }
    let seen = see(index);
    return seen.shown && seen.solid;
}

@compute @workgroup_size(BLOCK)
fn count(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    let block = group.y * groups.x + group.x;
    if (flag(block, thread)) {
        atomicAdd(&before, 1u);
    }
    workgroupBarrier();
    if (thread == 0u && block < block_count()) {
        listed[COUNTS + block] = atomicLoad(&before);
    }
}

@compute @workgroup_size(BLOCK)
fn list(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    let block = group.y * groups.x + group.x;
    let last = block + 1u == block_count();
    // The last block writes the arguments of the draw. Other blocks have nothing to do if none of their bodies is
    // listed.
    if (block >= block_count() || (listed[COUNTS + block] == 0u && !last)) {
        return;
    }
    var sum = 0u;
    for (var k = thread; k < block; k += BLOCK) {
        sum += listed[COUNTS + k];
    }
    atomicAdd(&before, sum);
    let mine = flag(block, thread);
    if (mine) {
        atomicOr(&flags[thread / 32u], 1u << (thread % 32u));
    }
    workgroupBarrier();
    if (mine) {
        var rank = countOneBits(atomicLoad(&flags[thread / 32u]) & ((1u << (thread % 32u)) - 1u));
        for (var k = 0u; k < thread / 32u; k += 1u) {
            rank += countOneBits(atomicLoad(&flags[k]));
        }
        listed[first_listed() + atomicLoad(&before) + rank] = block * BLOCK + thread;
    }
    if (last && thread == 0u) {
        listed[0] = frame.most_corners;
        listed[1] = atomicLoad(&before) + listed[COUNTS + block];
        listed[2] = 0u;
        listed[3] = 0u;
    }
}
