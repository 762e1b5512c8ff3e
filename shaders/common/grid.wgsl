// The dense uniform grid. Cells are numbered x fastest, then y, then z, so that a row of cells along x is one range of
// agents in sorted order. Along x, cells are finer than the perception radius: a longer table, but shorter ranges.
//
// An open axis may be folded: space has more cells along it than the table has entries, and cells that are a table's length apart share an
// entry. So cells are as fine as a search needs them, although most of the world is empty. An agent from far away in the same entry fails
// the test of the distance.

fn cell_of(position: vec3f) -> u32 {
    let coordinate = floor((position + world.half_size) * world.cells_per_unit);
    let beyond = cells_beyond();
    let number = vec3i(clamp(coordinate, -beyond, vec3f(world.cells) - 1.0 + beyond));
    let cell = vec3u(
        entry_of(number.x, world.cells.x, beyond.x),
        entry_of(number.y, world.cells.y, beyond.y),
        entry_of(number.z, world.cells.z, beyond.z),
    );
    return (cell.z * world.cells.y + cell.y) * world.cells.x + cell.x;
}

fn cells_beyond() -> vec3f {
    if (folds) {
        return world.cells_beyond;
    } else {
        return vec3f(0.0);
    }
}

// The entry of the table, along one axis, of the cell with this number. Along a folded axis the number of entries is a power of two.
fn entry_of(number: i32, cells: u32, beyond: f32) -> u32 {
    var entry = u32(number);
    if (folds) {
        entry = select(entry, entry & (cells - 1u), beyond > 0.0);
    }
    return entry;
}

// Return whether a range of cells covers all entries of a folded axis.
fn goes_around(range: vec2i, cells: u32, beyond: f32) -> bool {
    return folds && beyond > 0.0 && range.y - range.x >= i32(cells) - 1;
}

// The range, shortened so that it visits each entry of a folded axis at most once.
fn once_around(range: vec2i, cells: u32, beyond: f32) -> vec2i {
    return select(range, vec2i(range.x, range.x + i32(cells) - 1), goes_around(range, cells, beyond));
}

// A word of `cell`: in its lower bits the agent's cell, of which there are fewer than 2^26, and above them the agent's rank in the cell. It
// is RANK_ELSEWHERE if the rank is that or more; the rank is then in `rank`.
const CELL_BITS = 26u;
const RANK_ELSEWHERE = 63u;

fn store_cell_and_rank(slot: u32, home: u32, place: u32) {
    cell[slot] = home | (min(place, RANK_ELSEWHERE) << CELL_BITS);
    if (place >= RANK_ELSEWHERE) {
        rank[slot] = place;
    }
}

fn home_in(word: u32) -> u32 {
    return word & ((1u << CELL_BITS) - 1u);
}

// Return whether the state can be calculated with and the agent is in the world.
fn is_healthy(agent: SortedAgent) -> bool {
    return is_sane3(agent.position) && is_sane3(agent.velocity) && is_in_world(agent.position);
}

// The cell of an agent, unless a crowded cell sets it aside. Whatever words the state holds, an agent that gets a cell of the grid is in
// the world and has a valid id: later stages rely on it.
fn home_of(agent: SortedAgent) -> u32 {
    if (agent.id < world.agent_count && is_healthy(agent)) {
        return cell_of(agent.position);
    }
    let id = agent.id & ID_BITS;
    if (id < world.agent_count) {
        return first_absent_cell() + id / IDS_ASIDE;
    }
    return last_cell();
}

// Behind the cells of the grid lie cells for agents that no agent perceives, with 64 ids to a cell, so that none is long to sort. First
// come those for agents that are set aside from crowded cells, if cells can be crowded; then those for absent agents, which are away or
// frozen. The last cell is for invalid ids.
const IDS_ASIDE = 64u;

fn first_absent_cell() -> u32 {
    return world.cell_count + select(0u, (world.agent_count + IDS_ASIDE - 1u) / IDS_ASIDE, crowds);
}

fn last_cell() -> u32 {
    return first_absent_cell() + (world.agent_count + IDS_ASIDE - 1u) / IDS_ASIDE;
}

// Index of a flag, in `count` and after the scan in `cell_start`: not 0 if any cell of this step is crowded. It lies behind the counts of
// all cells and one more count, which is always 0.
fn crowd_flag() -> u32 {
    return last_cell() + 2u;
}

// Return whether a cell with this many agents, more than `world.crowd`, shows this agent. The cell halves its agents by a hash of their
// ids, always in the same way, until about `world.crowd` or fewer are left, but no fewer than about half of that.
fn is_shown(id: u32, agents: u32) -> bool {
    let halvings = firstLeadingBit((agents - 1u) / world.crowd) + 1u;
    let hash = hash4(vec4u(world.seed, id, 0u, STREAM_CROWD)).x;
    return (hash & ((1u << halvings) - 1u)) == 0u;
}

// Can neighbor queries find an agent here? They cannot beyond the ends of a wrapped axis.
fn is_in_world(position: vec3f) -> bool {
    let inside = abs(position) <= world.half_size;
    return (boundary_x != WRAP || inside.x)
        && (boundary_y != WRAP || inside.y)
        && (!SPATIAL || boundary_z != WRAP || inside.z);
}

// First and last cell along one axis within `reach` of x. On a wrapped axis they may lie outside the grid, by one world
// length at most; each stands for the image of a cell then.
fn cell_range(
    x: f32,
    reach: f32,
    half_size: f32,
    cells_per_unit: f32,
    cells: u32,
    cells_beyond: f32,
    wraps: bool,
) -> vec2i {
    let beyond = select(cells_beyond, f32(cells), wraps);
    let end = f32(cells) - 1.0 + beyond;
    let first = clamp(floor((x - reach + half_size) * cells_per_unit), -beyond, end);
    let last = clamp(floor((x + reach + half_size) * cells_per_unit), -beyond, end);
    return once_around(vec2i(i32(first), i32(last)), cells, cells_beyond);
}

// How many world lengths an image of a cell is away from the cell itself: -1, 0 or 1.
fn period_of(cell: i32, cells: u32) -> i32 {
    return select(select(0, 1, cell >= i32(cells)), -1, cell < 0);
}

// Distance from x to the row of cells with this number. The outermost rows of an axis that does not wrap extend to
// infinity, because agents farther outside are kept in them.
fn row_distance(
    x: f32,
    row: i32,
    half_size: f32,
    cell_size: f32,
    cells: u32,
    cells_beyond: f32,
    wraps: bool,
) -> f32 {
    let low = f32(row) * cell_size - half_size;
    let high = f32(row + 1) * cell_size - half_size;
    let beyond = i32(cells_beyond);
    var distance = 0.0;
    if (x < low && (wraps || row > -beyond)) {
        distance = low - x;
    }
    if (x > high && (wraps || row < i32(cells) - 1 + beyond)) {
        distance = x - high;
    }
    return max(distance - world.search_margin, 0.0);
}
