// Steer, integrate, and bin for the next step, in one pass: what lies between them stays in registers.

@compute @workgroup_size(workgroup_size)
fn stride(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let index = invocation_index(invocation, workgroups);
    let exists = index < world.agent_count;
    let sorted_index = min(index, max(world.agent_count, 1u) - 1u);
    let agent = sorted_agent(sorted_index);
    // As it would be read from a buffer: in a plane without z.
    let steering = load(store(steering_of(sorted_index, agent, exists)));
    let after = after_step(agent, steering, exists);
    if (exists) {
        keep(sorted_index, after);
        bin_agent(sorted_index, after);
    }
}
