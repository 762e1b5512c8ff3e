// Steer, integrate, and bin for the next step, in one pass: what lies between them stays in registers.

@compute @workgroup_size(workgroup_size)
fn stride(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let sorted_index = invocation_index(invocation, workgroups);
    if (sorted_index >= world.agent_count) {
        return;
    }
    let agent = sorted_agent(sorted_index);
    // As it would be read from a buffer: in a plane without z.
    let steering = load(store(steering_of(sorted_index, agent)));
    let after = after_step(agent, steering);
    keep(sorted_index, after);
    enter(sorted_index, after);
}
