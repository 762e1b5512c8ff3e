// Stage search: the queries of agents for the nearest of a species. A stage of its own: the many agents without queries
// pay nothing for the few whose queries reach far.

struct Search {
    nearest: Nearest,
    // Did every loop come to its end?
    complete: bool,
}

// The nearest agent that a query sees. It walks the rows that the query's own radius needs.
fn find_nearest(query: Vision, sorted_index: u32, position: vec3f, forward: vec3f) -> Search {
    var search = Search(Nearest(), true);
    if (query.radius_squared < 0.0) {
        return search;
    }
    var walk = walk_start(position, sqrt(query.radius_squared));
    while (walk_next(&walk)) {
        var other = walk.first;
        for (; other < walk.last; other += 1u) {
            let candidate = sorted_agent(other);
            let offset = walk_offset(walk, candidate.position);
            let distance_squared = dot3(offset, offset);
            let in_query_mask = (query.species >> species_of(candidate.id)) & 1u;
            if (other != sorted_index && in_query_mask == 1u) {
                search.nearest = nearest_add(search.nearest, query, offset, distance_squared, forward, other);
            }
        }
        search.complete = search.complete && other == walk.last;
    }
    search.complete = search.complete && walk_complete(walk);
    return search;
}

// What stands in `found` for the end of a search.
fn found_index(search: Search) -> u32 {
    let index = select(NOT_FOUND, search.nearest.sorted_index, search.nearest.found);
    return select(CUT_OFF, index, search.complete);
}

// The id of the agent with this row in `found`; FROZEN beyond the last row.
fn querying_agent(row: u32) -> u32 {
    var id = FROZEN;
    for (var own = 0u; own < world.species_count; own += 1u) {
        let candidate = row - species[own].query_row;
        let exists = candidate - species[own].first_id < species[own].count;
        id = select(id, candidate, has_queries(own) && exists);
    }
    return id;
}

@compute @workgroup_size(workgroup_size)
fn search(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    var sorted_index = invocation_index(invocation, workgroups);
    if (few_queries) {
        // Agents next to each other by id are not close in space. For few queries that does not matter.
        let querying_id = querying_agent(sorted_index);
        if (querying_id == FROZEN) {
            return;
        }
        sorted_index = sorted_index_of(querying_id);
    }
    if (sorted_index >= world.agent_count) {
        return;
    }
    let agent = sorted_agent(sorted_index);
    let id = agent.id;
    let own = species_of(id & ID_BITS);
    if (!has_queries(own)) {
        return;
    }
    let step = step_now();
    var query_results = vec4u(NOT_FOUND);
    if ((id & FROZEN) == 0u && steers_now(own, id, step)) {
        let position = agent.position;
        let forward = facing_of(own, id, agent.velocity);
        query_results.x = found_index(find_nearest(species[own].queries[0], sorted_index, position, forward));
        if (many_queries) {
            query_results.y = found_index(find_nearest(species[own].queries[1], sorted_index, position, forward));
            query_results.z = found_index(find_nearest(species[own].queries[2], sorted_index, position, forward));
            query_results.w = found_index(find_nearest(species[own].queries[3], sorted_index, position, forward));
        }
    }
    if (cuts_loops_off()) {
        query_results = vec4u(CUT_OFF);
    }
    keep_found(species[own].query_row + (id & ID_BITS), query_results);
}
