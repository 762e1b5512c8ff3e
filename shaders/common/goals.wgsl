// Finds what a target names: a point, an agent, the nearest of a species, a leader, a path, the field, the mouse, a
// trajectory or a goal of the map.

const NOT_FOUND = 0xfffffffeu; // The query found no agent.

// The goal that a target stands for, as seen from the agent. `query_results` has the sorted indices that the agent's
// queries found.
fn find_goal(toward: Target, own: u32, agent: Agent, query_results: vec4u) -> Goal {
    var goal = no_goal();
    if (tracks_points) {
        if (toward.kind == TARGET_POINT || toward.kind == TARGET_MOUSE) {
            let point = select(triple(toward.point), world.mouse, toward.kind == TARGET_MOUSE);
            goal = goal_at(nearest_image(point - agent.position), vec3f(0.0), vec3f(0.0));
        }
    }
    if (tracks_field) {
        if (toward.kind == TARGET_FIELD) {
            let flow = sample_field(agent.position);
            goal = goal_at(flow, flow, vec3f(0.0));
        }
    }
    if (tracks_paths) {
        if (toward.kind == TARGET_PATH) {
            let nearest = nearest_on_path(scenery.paths[toward.index], agent.position);
            goal = goal_at(nearest_image(nearest.point - agent.position), vec3f(0.0), nearest.tangent);
        }
    }
    if (tracks_trajectories) {
        if (toward.kind == TARGET_TRAJECTORY) {
            let place = scenery.trajectories[toward.index].place.xyz;
            let velocity = scenery.trajectories[toward.index].rate.xyz;
            goal = goal_at(nearest_image(place - agent.position), velocity, along(velocity));
        }
    }
    if (tracks_goals) {
        if (toward.kind == TARGET_GOAL) {
            goal = goal_on_way(toward, agent.position, agent.velocity);
        }
    }
    if (tracks_agents || queries) {
        let sorted_index = agent_of(toward, own, agent.id, query_results);
        if (sorted_index < NOT_FOUND) {
            goal = goal_of(sorted_index, agent);
        }
    }
    return goal;
}

// The sorted index of the agent that a target names; NOT_FOUND where it names none, or none is perceived.
fn agent_of(toward: Target, own: u32, agent_id: u32, query_results: vec4u) -> u32 {
    var sorted_index = NOT_FOUND;
    if (tracks_agents) {
        if (toward.kind == TARGET_AGENT || toward.kind == TARGET_LEADER) {
            var leader = toward.index;
            if (toward.kind == TARGET_LEADER) {
                let leaders = species[toward.index].count;
                leader = species[toward.index].first_id + (agent_id - species[own].first_id) % max(leaders, 1u);
                leader = select(leader, agent_id, leaders == 0u);
            }
            if (leader < world.agent_count && leader != agent_id) {
                sorted_index = sorted_index_of(leader);
            }
        }
    }
    if (queries) {
        if (toward.kind == TARGET_NEAREST) {
            sorted_index = query_results.x;
            if (many_queries) {
                sorted_index = query_results[min(toward.index, 3u)];
            }
        }
    }
    return sorted_index;
}

// The agent at a sorted index as a goal; none where it is frozen.
fn goal_of(sorted_index: u32, agent: Agent) -> Goal {
    let other = sorted_agent(sorted_index);
    if ((other.id & FROZEN) != 0u) {
        return no_goal();
    }
    let offset = nearest_image(other.position - agent.position);
    var goal = goal_at(offset, other.velocity, vec3f(0.0));
    goal.forward = facing_of(species_of(other.id), other.id, other.velocity);
    if (pose_acts) {
        goal.spin = triple(pose_of(other.id).spin);
    }
    return goal;
}

// The sorted indices that the queries of an agent found in this step.
fn found_by(own: u32, id: u32) -> vec4u {
    var query_results = vec4u(NOT_FOUND);
    if (has_queries(own)) {
        query_results = found_in_row(species[own].query_row + id);
    }
    return query_results;
}
