// Columns that lie in `cell_start` behind the starts of the cells, because devices may bind no more than eight buffers. There are
// three, each only in scenes that need it:
//
// - the sorted index of each id (`sorted_index_of`), where targets are agents by id; where only few agents have queries, only for the
//   ids from the first of these agents to the last,
// - the active list (from `active_start` on), where agents skip steps: the number of agents that steer in this step, and their sorted
//   indices in any order,
// - `found` (from `found_start` on), what the four queries of each agent that has queries found: a sorted index, NOT_FOUND or CUT_OFF.

fn sorted_indices_start() -> u32 {
    return last_cell() + 3u;
}

fn active_start() -> u32 {
    return sorted_indices_start() + select(0u, world.agent_count, tracks_agents || few_queries);
}

fn found_start() -> u32 {
    return active_start() + select(0u, world.agent_count + 1u, skips);
}

fn sorted_index_of(id: u32) -> u32 {
    return cell_start[sorted_indices_start() + id];
}

fn keep_sorted_index(id: u32, sorted_index: u32) {
    cell_start[sorted_indices_start() + id] = sorted_index;
}

// What the queries of an agent found. `row` is the first row of its species plus its id.
fn found_in_row(row: u32) -> vec4u {
    let at = found_start() + 4u * row;
    var results = vec4u(NOT_FOUND);
    results.x = cell_start[at];
    if (many_queries) {
        results = vec4u(results.x, cell_start[at + 1u], cell_start[at + 2u], cell_start[at + 3u]);
    }
    return results;
}

fn keep_found(row: u32, results: vec4u) {
    let at = found_start() + 4u * row;
    cell_start[at] = results.x;
    cell_start[at + 1u] = results.y;
    cell_start[at + 2u] = results.z;
    cell_start[at + 3u] = results.w;
}
