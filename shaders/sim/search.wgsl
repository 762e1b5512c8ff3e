// Stage search: the queries of agents for the nearest of a species. A stage of its own: the many agents without queries
// pay nothing for the few whose queries reach far.

struct Search {
    nearest: Nearest,
    // Did every loop come to its end?
    complete: bool,
}

// The nearest agent that a query sees. It walks the rows that the query's own radius needs.
fn find_nearest(query: Vision, place: u32, position: vec3f, forward: vec3f) -> Search {
    var search = Search(Nearest(), true);
    if (query.radius_squared < 0.0) {
        return search;
    }
    var walk = walk_start(position, sqrt(query.radius_squared));
    while (walk_next(&walk)) {
        var other = walk.first;
        for (; other < walk.last; other += 1u) {
            let offset = walk_offset(walk, load(sorted_position[other]));
            let distance_squared = dot3(offset, offset);
            let asked = (query.species >> species_of(sorted_id[other])) & 1u;
            if (other != place && asked == 1u) {
                search.nearest = nearest_add(search.nearest, query, offset, distance_squared, forward, other);
            }
        }
        search.complete = search.complete && other == walk.last;
    }
    search.complete = search.complete && walk_complete(walk);
    return search;
}

// The id of the agent with this row in `found`; FROZEN beyond the last row.
fn asker_id(row: u32) -> u32 {
    var id = FROZEN;
    for (var own = 0u; own < world.species_count; own += 1u) {
        let candidate = row - species[own].asker_row;
        let exists = candidate - species[own].first_id < species[own].count;
        id = select(id, candidate, asks(own) && exists);
    }
    return id;
}

@compute @workgroup_size(workgroup_size)
fn search(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    var place = invocation_index(invocation, workgroups);
    if (few_ask) {
        // Agents next to each other by id are not close in space. For few queries that does not matter.
        let asker = asker_id(place);
        if (asker == FROZEN) {
            return;
        }
        place = place_of[asker];
    }
    if (place >= world.agent_count) {
        return;
    }
    let id = sorted_id[place];
    let own = species_of(id & ~FROZEN);
    if (!asks(own)) {
        return;
    }
    let step = step_now();
    var places = vec2u(FOUND_NOBODY);
    if ((id & FROZEN) == 0u && steers_now(own, id, step)) {
        let position = load(sorted_position[place]);
        let forward = facing_of(own, id, load(sorted_velocity[place]));
        let first = find_nearest(species[own].queries[0], place, position, forward);
        places.x = select(places.x, first.nearest.place, first.nearest.found);
        places.x = select(CUT_OFF, places.x, first.complete);
        if (two_queries) {
            let second = find_nearest(species[own].queries[1], place, position, forward);
            places.y = select(places.y, second.nearest.place, second.nearest.found);
            places.y = select(CUT_OFF, places.y, second.complete);
        }
    }
    if (cuts_loops_off()) {
        places = vec2u(CUT_OFF);
    }
    found[species[own].asker_row + (id & ~FROZEN)] = places;
}
