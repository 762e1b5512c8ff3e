// Action selection: the first rule that holds decides the state of an agent.

struct Action {
    state: u32,
    unloads: bool,
    // Row of `actions` of the rule that decided; 0 if none did.
    rule: u32,
}

// What an agent remembers of its actions.
struct Acted {
    state: u32,
    since: u32,
    load: u32,
}

// The action state after the first rule that holds.
fn select_action(own: u32, agent: Agent, query_results: vec4u) -> Action {
    let before = Acted(state_of(agent.id), since_of(agent.id), load_of(agent.id));
    var action = Action(before.state, false, 0u);
    var decided = false;
    for (var row = 0u; row < species[own].transition_count; row += 1u) {
        let rule = species[own].actions[row];
        let goal = find_goal(rule.toward, own, agent, query_results);
        var holds = false;
        if (rule.when == WHEN_NEARER) {
            holds = goal.exists && goal.distance < rule.than;
        }
        if (rule.when == WHEN_FARTHER) {
            holds = !goal.exists || goal.distance > rule.than;
        }
        if (rule.when == WHEN_AFTER) {
            // The initial state counts from the agent's first step, any other state from the step in which it began.
            let since = max(before.since, first_step(agent.id));
            holds = f32(agent.step - since) * world.dt >= rule.than;
        }
        if (rule.when == WHEN_LOAD_ABOVE) {
            holds = f32(before.load) >= rule.than;
        }
        if (tracks_field) {
            let flow = sample_field(agent.position);
            let speed = sqrt(dot3(flow, flow));
            if (rule.when == WHEN_FIELD_ABOVE) {
                holds = speed > rule.than;
            }
            if (rule.when == WHEN_FIELD_BELOW) {
                holds = speed < rule.than;
            }
        }
        if (!decided && holds && ((rule.from_states >> before.state) & 1u) != 0u) {
            action = Action(rule.to, rule.unloads != 0u, row);
            decided = true;
        }
    }
    return action;
}
