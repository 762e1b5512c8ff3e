// Stage census: the sums of the velocities and of the headings of all agents, for behaviors with unlimited vision. It runs
// only in scenes that have one.
//
// The sums are of integers, 64 bits wide, so their order does not matter: each workgroup adds its share once, and the
// carry goes along, because the sum of all shares modulo 2^64 does not depend on the order of workgroups.


const SUMS = 8u; // Velocities as shares of the top speed (3), headings (3), the number of agents, and of those that have a heading.
// Shares of the top speed are at most this, so that the sum of a workgroup fits a word. A state from outside may be faster
// than the species allows, until its first step.
const MOST_SHARE = 4.0;

var<workgroup> shares: array<atomic<u32>, SUMS>;

@compute @workgroup_size(1)
fn census_clear() {
    for (var word = 0u; word < 2u * SUMS; word += 1u) {
        atomicStore(&census_sums_atomic[word], 0u);
    }
}

fn share_of(x: f32) -> u32 {
    return fixed_point(max(min(x / world.top_speed, MOST_SHARE), -MOST_SHARE));
}

@compute @workgroup_size(workgroup_size)
fn census(invocation: Invocation) {
    if (invocation.thread < SUMS) {
        atomicStore(&shares[invocation.thread], 0u);
    }
    workgroupBarrier();
    let sorted_index = invocation_index(invocation.id, invocation.workgroups);
    if (sorted_index < world.agent_count) {
        let agent = sorted_agent(sorted_index);
        if ((agent.id & FROZEN) == 0u) {
            let velocity = agent.velocity;
            let heading = heading_of(velocity);
            atomicAdd(&shares[0], share_of(velocity.x));
            atomicAdd(&shares[1], share_of(velocity.y));
            atomicAdd(&shares[2], share_of(velocity.z));
            atomicAdd(&shares[3], fixed_point(heading.x));
            atomicAdd(&shares[4], fixed_point(heading.y));
            atomicAdd(&shares[5], fixed_point(heading.z));
            atomicAdd(&shares[6], 1u);
            atomicAdd(&shares[7], u32(any(heading != vec3f(0.0))));
        }
    }
    workgroupBarrier();
    if (invocation.thread < SUMS) {
        let share = atomicLoad(&shares[invocation.thread]);
        let extension = select(0u, 0xffffffffu, (share & 0x80000000u) != 0u);
        let before = atomicAdd(&census_sums_atomic[2u * invocation.thread], share);
        let carry = select(0u, 1u, before + share < before);
        atomicAdd(&census_sums_atomic[2u * invocation.thread + 1u], extension + carry);
    }
}
