// Stage observe: reduce the state to a few integers per workgroup, which the host adds up. It runs on request, not in
// every step. All sums are of integers, so their order does not matter.


// Words of one workgroup's result: digest (4), sum of headings (3), of speeds, of neighbors, frozen agents, agents whose
// loops were cut off in the latest step, the largest of ~id of those two, from which the smallest such id follows,
// whether any agent was ever cut off, and, from the first workgroup, how many agents the latest step set aside.
const WORDS = 14u;

var<workgroup> sums: array<atomic<u32>, WORDS>;

fn digest_of(own_id: u32, own_position: vec3f, moving: vec3f) -> vec4u {
    let first = hash4(vec4u(own_id, bitcast<u32>(own_position.x), bitcast<u32>(own_position.y), bitcast<u32>(own_position.z)));
    return hash4(first ^ vec4u(bitcast<u32>(moving.x), bitcast<u32>(moving.y), bitcast<u32>(moving.z), 0x5354454fu));
}

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
    let slot = invocation_index(invocation, workgroups);
    if (slot < world.agent_count) {
        let own_id = id[slot];
        let moving = load(velocity[slot]);
        let digest = digest_of(own_id, load(position[slot]), moving);
        atomicAdd(&sums[0], digest.x);
        atomicAdd(&sums[1], digest.y);
        atomicAdd(&sums[2], digest.z);
        atomicAdd(&sums[3], digest.w);
        let cut_off = neighbors[slot] == CUT_OFF;
        if ((own_id & FROZEN) != 0u) {
            atomicAdd(&sums[9], 1u);
            atomicMax(&sums[11], ~(own_id & ~FROZEN));
        } else {
            let squared = dot3(moving, moving);
            if (squared > STANDSTILL) {
                let speed = sqrt(squared);
                atomicAdd(&sums[4], fixed_point(moving.x / speed));
                atomicAdd(&sums[5], fixed_point(moving.y / speed));
                atomicAdd(&sums[6], fixed_point(moving.z / speed));
                // A state from outside may be faster than the species allows, until its first step.
                atomicAdd(&sums[7], fixed_point(min(speed / world.top_speed, 8.0)));
            }
            if (!cut_off) {
                atomicAdd(&sums[8], neighbors[slot]);
            }
        }
        if (cut_off) {
            atomicAdd(&sums[10], 1u);
            atomicMax(&sums[11], ~(own_id & ~FROZEN));
        }
        atomicMax(&sums[12], neighbors[world.agent_count]);
        if (crowds && slot == 0u) {
            atomicStore(&sums[13], cell_start[frozen_cell()] - cell_start[world.cell_count]);
        }
    }
    workgroupBarrier();
    if (thread < WORDS) {
        observed[(group.y * workgroups.x + group.x) * WORDS + thread] = atomicLoad(&sums[thread]);
    }
}
