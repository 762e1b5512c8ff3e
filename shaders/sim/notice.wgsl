// Stage notice, where events are asked for: list the agents that change their action state in this step, and which agent was the reason.
// It chooses by the same functions as `steer`, but before it: afterwards the previous state and the rule are lost.

@compute @workgroup_size(workgroup_size)
fn notice(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let index = invocation_index(invocation, workgroups);
    if (index >= world.agent_count) {
        return;
    }
    let stored = sorted_agent(index);
    if ((stored.id & FROZEN) != 0u) {
        return;
    }
    let own = species_of(stored.id);
    if (!steers_now(own, stored.id, step_now())) {
        return;
    }
    var query_results = vec4u(NOT_FOUND);
    if (queries) {
        query_results = found_by(own, stored.id);
    }
    let before = state_of(stored.id);
    let action = select_action(own, agent_at(own, stored), query_results);
    if (action.state == before) {
        return;
    }
    let rule = species[own].actions[action.rule];
    var by = NOBODY;
    if (rule.when == WHEN_NEARER || rule.when == WHEN_FARTHER) {
        let other = agent_of(rule.toward, own, stored.id, query_results);
        if (other < NOT_FOUND) {
            let other_id = sorted_id_at(other);
            by = select(other_id, NOBODY, (other_id & FROZEN) != 0u);
        }
    }
    list_change(stored.id, before, action.state, by);
}
