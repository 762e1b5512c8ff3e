// Stage observe: reduce the state to a few integers per workgroup, which the host adds up. It runs on request, not in
// every step. All sums are of integers, so their order does not matter.


// Words of one workgroup's result: digest (4), frozen agents, agents whose loops were cut off in the latest step, the largest of ~id
// of those two, from which the smallest such id follows, whether any agent was ever cut off, and, from the first workgroup, how many
// agents the latest step set aside. Then pairs, because the sums of a workgroup do not fit a word: headings (3), speeds, neighbors.
const WORDS = 19u;
const PAIRS = 9u;

var<workgroup> sums: array<atomic<u32>, WORDS>;

fn digest_of(own_id: u32, own_position: vec3f, moving: vec3f) -> vec4u {
    let first = hash4(vec4u(own_id, bitcast<u32>(own_position.x), bitcast<u32>(own_position.y), bitcast<u32>(own_position.z)));
    return hash4(first ^ vec4u(bitcast<u32>(moving.x), bitcast<u32>(moving.y), bitcast<u32>(moving.z), 0x5354454fu));
}

// Add the sum of an invocation: its lower half to a word, its upper half, with the sign, to the next.
fn add_to_pair(pair: u32, sum: u32) {
    atomicAdd(&sums[PAIRS + 2u * pair], sum & 0xffffu);
    atomicAdd(&sums[PAIRS + 2u * pair + 1u], bitcast<u32>(bitcast<i32>(sum) >> 16u));
}

// Each invocation goes through at most 128 agents and adds up what it sees in registers: atomics, which a software driver does lane by
// lane, are as many as invocations.
@compute @workgroup_size(workgroup_size)
fn observe(
    @builtin(global_invocation_id) invocation: vec3u,
    @builtin(num_workgroups) workgroups: vec3u,
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    if (thread < WORDS) {
        atomicStore(&sums[thread], 0u);
    }
    workgroupBarrier();
    let agent_count = world.agent_count;
    let top_speed = world.top_speed;
    let first = invocation_index(invocation, workgroups);
    let invocations = workgroups.x * workgroups.y * workgroup_size;
    var digest = vec4u(0u);
    var heading = vec3u(0u);
    var speeds = 0u;
    var perceived = 0u;
    var frozen = 0u;
    var cut_off = 0u;
    var inverse_id = 0u;
    for (var slot = first; slot < agent_count; slot += invocations) {
        let own_id = id[slot];
        let moving = load(velocity[slot]);
        digest += digest_of(own_id, load(position[slot]), moving);
        let own_neighbors = neighbors[slot];
        let is_cut_off = own_neighbors == CUT_OFF;
        let is_frozen = (own_id & FROZEN) != 0u;
        let squared = dot3(moving, moving);
        if (!is_frozen && squared > STANDSTILL) {
            let speed = sqrt(squared);
            heading.x += fixed_point(moving.x / speed);
            heading.y += fixed_point(moving.y / speed);
            heading.z += fixed_point(moving.z / speed);
            // A state from outside may be faster than the species allows, until its first step.
            speeds += fixed_point(min(speed / top_speed, 8.0));
        }
        perceived += select(own_neighbors, 0u, is_frozen || is_cut_off);
        frozen += select(0u, 1u, is_frozen);
        cut_off += select(0u, 1u, is_cut_off);
        inverse_id = max(inverse_id, select(0u, ~(own_id & ~FROZEN), is_frozen || is_cut_off));
    }
    atomicAdd(&sums[0], digest.x);
    atomicAdd(&sums[1], digest.y);
    atomicAdd(&sums[2], digest.z);
    atomicAdd(&sums[3], digest.w);
    atomicAdd(&sums[4], frozen);
    atomicAdd(&sums[5], cut_off);
    atomicMax(&sums[6], inverse_id);
    add_to_pair(0u, heading.x);
    add_to_pair(1u, heading.y);
    add_to_pair(2u, heading.z);
    add_to_pair(3u, speeds);
    add_to_pair(4u, perceived);
    if (thread == 0u) {
        atomicStore(&sums[7], neighbors[agent_count]);
    }
    if (crowds && first == 0u) {
        atomicStore(&sums[8], cell_start[frozen_cell()] - cell_start[world.cell_count]);
    }
    workgroupBarrier();
    if (thread < WORDS) {
        observed[(group.y * workgroups.x + group.x) * WORDS + thread] = atomicLoad(&sums[thread]);
    }
}
