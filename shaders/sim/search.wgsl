// Stage search: the queries of agents for the nearest of a species. A stage of its own: the many agents without queries
// pay nothing for the few whose queries reach far.

struct Search {
    nearest: Nearest,
    // The row of the walk that the nearest is in.
    row: u32,
    // Did every loop come to its end?
    complete: bool,
}

// Search the current range of a walk.
fn search_range(
    search: ptr<function, Search>,
    walk: Walk,
    query: Vision,
    sight: Sight,
    sorted_index: u32,
    forward: vec3f,
) {
    var other = walk.first;
    for (; other < walk.last; other += 1u) {
        let candidate = sorted_agent(other);
        let offset = walk_offset(walk, candidate.position);
        let distance_squared = dot3(offset, offset);
        let in_query_mask = (query.species >> species_of(candidate.id)) & 1u;
        if (other != sorted_index && in_query_mask == 1u) {
            let before = (*search).nearest;
            (*search).nearest = nearest_add(before, query, offset, distance_squared, forward, other);
            if (occludes) {
                // Only an agent that would be the nearest is tested.
                let nearest = (*search).nearest;
                let is_nearer =
                    nearest.found && (!before.found || nearest.distance_squared != before.distance_squared);
                if (is_nearer && is_hidden(sight, walk.position, offset, distance_squared)) {
                    (*search).nearest = before;
                }
            }
        }
    }
    (*search).complete = (*search).complete && other == walk.last;
}

// The nearest agent that a query sees. It walks the rows that the query's own radius needs.
fn find_nearest(own: u32, query: Vision, sorted_index: u32, position: vec3f, forward: vec3f) -> Search {
    var search = Search(Nearest(), 0u, true);
    if (query.radius_squared < 0.0) {
        return search;
    }
    let radius = sqrt(query.radius_squared);
    let sight = sight_from(own, position, radius);
    var walk = walk_start(position, radius);
    while (walk_next(&walk)) {
        search_range(&search, walk, query, sight, sorted_index, forward);
    }
    search.complete = search.complete && walk_complete(walk);
    return search;
}

// An agent whose queries a whole workgroup runs.
struct Looker {
    own: u32,
    sorted_index: u32,
    position: vec3f,
    forward: vec3f,
    looks: bool,
}

// The nearest agent in the rows of one lane: of the walk's rows, each lane of the workgroup takes every `workgroup_size`-th.
fn find_in_rows(query: Vision, looker: Looker, lane: u32) -> Search {
    var search = Search(Nearest(), 0u, true);
    if (!looker.looks || query.radius_squared < 0.0) {
        return search;
    }
    let radius = sqrt(query.radius_squared);
    let sight = sight_from(looker.own, looker.position, radius);
    var walk = walk_start(looker.position, radius);
    let rows = walk_rows(walk);
    var row = lane;
    for (; row < rows; row += workgroup_size) {
        let before = search.nearest;
        walk_to_row(&walk, row);
        while (walk.x <= walk.last_x) {
            walk_range(&walk);
            search_range(&search, walk, query, sight, looker.sorted_index, looker.forward);
        }
        search.complete = search.complete && walk.x == walk.last_x + 1;
        let nearer = search.nearest.found && (!before.found || search.nearest.distance_squared != before.distance_squared);
        search.row = select(search.row, row, nearer);
    }
    // The end is tested by equality, as in `walk_complete`.
    let rounds = (max(rows, lane) - lane + workgroup_size - 1u) / workgroup_size;
    search.complete = search.complete && walk.rows == rounds;
    return search;
}

var<workgroup> least_distance: atomic<u32>;
var<workgroup> least_row: atomic<u32>;
var<workgroup> cut_off: atomic<u32>;
var<workgroup> nearest_of_all: u32;

// The value for `found` from all lanes of a workgroup: the nearest agent; of equally near ones the one in the first row.
fn found_together(query: Vision, looker: Looker, lane: u32) -> u32 {
    let search = find_in_rows(query, looker, lane);
    workgroupBarrier();
    if (lane == 0u) {
        atomicStore(&least_distance, NOT_FOUND);
        atomicStore(&least_row, NOT_FOUND);
        atomicStore(&cut_off, 0u);
        nearest_of_all = NOT_FOUND;
    }
    workgroupBarrier();
    // Floats that are not negative compare like their bits.
    let distance = select(NOT_FOUND, bitcast<u32>(search.nearest.distance_squared), search.nearest.found);
    atomicMin(&least_distance, distance);
    if (!search.complete || cuts_loops_off()) {
        atomicStore(&cut_off, 1u);
    }
    workgroupBarrier();
    let is_least = search.nearest.found && distance == atomicLoad(&least_distance);
    if (is_least) {
        atomicMin(&least_row, search.row);
    }
    workgroupBarrier();
    if (is_least && search.row == atomicLoad(&least_row)) {
        nearest_of_all = search.nearest.sorted_index;
    }
    workgroupBarrier();
    return select(nearest_of_all, CUT_OFF, atomicLoad(&cut_off) != 0u);
}

// The value for `found` of a finished search: a sorted index, NOT_FOUND or CUT_OFF.
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

// Run all queries of one agent on a workgroup. Every lane has to reach each barrier.
fn search_together(row: u32, lane: u32) {
    let querying_id = querying_agent(row);
    let exists = querying_id != FROZEN;
    var sorted_index = 0u;
    if (exists) {
        sorted_index = sorted_index_of(querying_id);
    }
    sorted_index = min(sorted_index, max(world.agent_count, 1u) - 1u);
    let agent = sorted_agent(sorted_index);
    let own = species_of(agent.id & ID_BITS);
    // If no agent has this id, `agent` is another agent, or a frozen one.
    let looks = exists && agent.id == querying_id && steers_now(own, agent.id, step_now());
    let forward = facing_of(own, select(0u, agent.id, looks), agent.velocity);
    let looker = Looker(own, sorted_index, agent.position, forward, looks);
    var query_results = vec4u(NOT_FOUND);
    query_results.x = found_together(species[own].queries[0], looker, lane);
    if (many_queries) {
        query_results.y = found_together(species[own].queries[1], looker, lane);
        query_results.z = found_together(species[own].queries[2], looker, lane);
        query_results.w = found_together(species[own].queries[3], looker, lane);
    }
    if (exists && lane == 0u) {
        keep_found(row, query_results);
    }
}

@compute @workgroup_size(workgroup_size)
fn search(invocation: Invocation) {
    if (lone_queries) {
        search_together(invocation_index(invocation.id, invocation.workgroups) / workgroup_size, invocation.thread);
    } else {
        search_alone(invocation_index(invocation.id, invocation.workgroups));
    }
}

// Run all queries of one agent on one lane.
fn search_alone(index: u32) {
    var sorted_index = index;
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
    // A frozen agent may have an invalid id.
    if (!has_queries(own) || (id & ID_BITS) - species[own].first_id >= species[own].count) {
        return;
    }
    let step = step_now();
    var query_results = vec4u(NOT_FOUND);
    if ((id & FROZEN) == 0u && steers_now(own, id, step)) {
        let position = agent.position;
        let forward = facing_of(own, id, agent.velocity);
        query_results.x = found_index(find_nearest(own, species[own].queries[0], sorted_index, position, forward));
        if (many_queries) {
            query_results.y = found_index(find_nearest(own, species[own].queries[1], sorted_index, position, forward));
            query_results.z = found_index(find_nearest(own, species[own].queries[2], sorted_index, position, forward));
            query_results.w = found_index(find_nearest(own, species[own].queries[3], sorted_index, position, forward));
        }
    }
    if (cuts_loops_off()) {
        query_results = vec4u(CUT_OFF);
    }
    keep_found(species[own].query_row + (id & ID_BITS), query_results);
}
