// The walk over all agents that may be near: rows of cells by z, then y, each clipped to the circle (the sphere), and within
// a row by sorted index. The order is fixed, so sums have the same bits in every run.
//
//     var walk = walk_start(position, radius);
//     while (walk_next(&walk)) {
//         for (var other = walk.first; other < walk.last; other += 1u) {
//             let offset = walk_offset(walk, sorted_agent(other).position);

struct Walk {
    // The current range: the agents at sorted indices first to last - 1. Half of the shift of their image is added to them, and half is
    // subtracted from the agent. Close to the seam both are exact; to subtract the positions first and then add the whole shift would
    // lose digits.
    first: u32,
    last: u32,
    half_shift: vec3f,
    from_here: vec3f,
    // What is left of the row: cells x to last_x. `row_start` is its cell 0.
    x: i32,
    last_x: i32,
    row_start: u32,
    period_x: i32,
    period_y: i32,
    period_z: i32,
    // True if the circle touches the row.
    touched: bool,
    // The next row.
    y: i32,
    z: i32,
    rows: u32,
    // All rows.
    rows_y: vec2i,
    rows_z: vec2i,
    // True if it comes to each cell only once, whatever image of the world that stands for. Along an axis that is shorter than the range
    // (`all_y`, `all_z`) a row then stands for all of its images, near and far.
    once: bool,
    all_y: bool,
    all_z: bool,
    position: vec3f,
    reach: f32,
}

fn walk_start(position: vec3f, radius: f32) -> Walk {
    var walk = Walk();
    walk.position = position;
    walk.reach = radius + world.search_margin;
    let half_size = world.half_size;
    let per_unit = world.cells_per_unit;
    let cells = world.cells;
    let beyond = cells_beyond();
    walk.rows_y = cell_range(position.y, walk.reach, half_size.y, per_unit.y, cells.y, beyond.y, boundary_y == WRAP);
    if (SPATIAL) {
        walk.rows_z = cell_range(position.z, walk.reach, half_size.z, per_unit.z, cells.z, beyond.z, boundary_z == WRAP);
    }
    walk.y = walk.rows_y.x;
    walk.z = walk.rows_z.x;
    walk.last_x = -1;
    return walk;
}

// A walk that comes to no agent twice, for when a cell does not tell in which image of the world its agents are.
fn walk_once(position: vec3f, radius: f32) -> Walk {
    var walk = walk_start(position, radius);
    walk.once = true;
    walk.all_y = is_too_long(walk.rows_y, world.cells.y, boundary_y == WRAP);
    walk.rows_y = cut_short(walk.rows_y, world.cells.y, boundary_y == WRAP);
    if (SPATIAL) {
        walk.all_z = is_too_long(walk.rows_z, world.cells.z, boundary_z == WRAP);
        walk.rows_z = cut_short(walk.rows_z, world.cells.z, boundary_z == WRAP);
    }
    return walk;
}

// Return whether a range has several images of a cell.
fn is_too_long(range: vec2i, cells: u32, wraps: bool) -> bool {
    return wraps && range.y - range.x >= i32(cells);
}

fn cut_short(range: vec2i, cells: u32, wraps: bool) -> vec2i {
    return select(range, vec2i(range.x, range.x + i32(cells) - 1), is_too_long(range, cells, wraps));
}

// A walk that is at its end.
fn walk_nowhere() -> Walk {
    var walk = Walk();
    walk.rows_y = vec2i(0, -1);
    walk.z = 1;
    walk.last_x = -1;
    return walk;
}

// Go on to the next range of agents, which may be empty. False at the end.
fn walk_next(walk: ptr<function, Walk>) -> bool {
    if ((*walk).x > (*walk).last_x) {
        if ((*walk).z > (*walk).rows_z.y) {
            return false;
        }
        walk_row(walk);
    }
    walk_range(walk);
    return true;
}

// Go on to the next range of the row, which must have one.
fn walk_range(walk: ptr<function, Walk>) {
    let cells = world.cells;
    // A row that crosses the seam is two or three ranges of agents, each with its image's offset; one that crosses a fold is two.
    (*walk).period_x = select(0, period_of((*walk).x, cells.x), boundary_x == WRAP);
    let home_x = i32(entry_of((*walk).x - (*walk).period_x * i32(cells.x), cells.x, cells_beyond().x));
    let length = min((*walk).last_x - (*walk).x, i32(cells.x) - 1 - home_x);
    enter_image(walk);
    (*walk).first = cell_start[(*walk).row_start + u32(home_x)];
    (*walk).last = cell_start[(*walk).row_start + u32(home_x + length) + 1u];
    (*walk).x += length + 1;
}

fn enter_image(walk: ptr<function, Walk>) {
    let half_size = world.half_size;
    (*walk).half_shift = vec3f(f32((*walk).period_x) * half_size.x, f32((*walk).period_y) * half_size.y, 0.0);
    if (SPATIAL) {
        (*walk).half_shift.z = f32((*walk).period_z) * half_size.z;
    }
    (*walk).from_here = (*walk).position - (*walk).half_shift;
}

// The image of the world that the current range is in, as a word; `enter_listed_image` is the inverse.
fn image_of(walk: Walk) -> u32 {
    return u32(walk.period_x + 1) + u32(walk.period_y + 1) * 4u + u32(walk.period_z + 1) * 16u;
}

fn enter_listed_image(walk: ptr<function, Walk>, image: u32) {
    (*walk).period_x = i32(image % 4u) - 1;
    (*walk).period_y = i32(image / 4u % 4u) - 1;
    (*walk).period_z = i32(image / 16u) - 1;
    enter_image(walk);
}

// How many rows a walk has in all.
fn walk_rows(walk: Walk) -> u32 {
    return u32(walk.rows_y.y - walk.rows_y.x + 1) * u32(walk.rows_z.y - walk.rows_z.x + 1);
}

// Begin any of the rows, by its number in the order of the walk.
fn walk_to_row(walk: ptr<function, Walk>, row: u32) {
    let across = u32((*walk).rows_y.y - (*walk).rows_y.x + 1);
    (*walk).y = (*walk).rows_y.x + i32(row % across);
    (*walk).z = (*walk).rows_z.x + i32(row / across);
    walk_row(walk);
}

// Begin the next row. One that the circle does not touch at all gets a single cell, which holds no neighbor.
fn walk_row(walk: ptr<function, Walk>) {
    let cells = world.cells;
    let position = (*walk).position;
    let reach = (*walk).reach;
    let y = (*walk).y;
    let z = (*walk).z;
    let beyond = cells_beyond();
    let wraps_y = boundary_y == WRAP;
    (*walk).period_y = select(0, period_of(y, cells.y), wraps_y);
    var home_z = 0u;
    var distance_z = 0.0;
    if (SPATIAL) {
        let wraps_z = boundary_z == WRAP;
        (*walk).period_z = select(0, period_of(z, cells.z), wraps_z);
        home_z = entry_of(z - (*walk).period_z * i32(cells.z), cells.z, beyond.z);
        distance_z = row_distance(position.z, z, world.half_size.z, world.cell_size.z, cells.z, beyond.z, wraps_z);
        // Where each entry is visited once, a row stands for all rows that share its entries, near and far.
        distance_z = select(distance_z, 0.0, (*walk).all_z || goes_around((*walk).rows_z, cells.z, beyond.z));
    }
    let home_y = entry_of(y - (*walk).period_y * i32(cells.y), cells.y, beyond.y);
    (*walk).row_start = (home_z * cells.y + home_y) * cells.x;
    // Clip the row to the chord of the circle (of the sphere) at the row's nearest distance.
    var chord = reach;
    (*walk).touched = true;
    if (clipped_rows) {
        var distance_y = row_distance(position.y, y, world.half_size.y, world.cell_size.y, cells.y, beyond.y, wraps_y);
        distance_y = select(distance_y, 0.0, (*walk).all_y || goes_around((*walk).rows_y, cells.y, beyond.y));
        let rest = reach * reach - distance_y * distance_y - distance_z * distance_z;
        (*walk).touched = rest >= 0.0;
        chord = sqrt(max(rest, 0.0)) + world.search_margin;
    }
    let per_unit = world.cells_per_unit.x;
    var range = cell_range(position.x, chord, world.half_size.x, per_unit, cells.x, beyond.x, boundary_x == WRAP);
    range = select(range, cut_short(range, cells.x, boundary_x == WRAP), (*walk).once);
    (*walk).x = range.x;
    (*walk).last_x = range.y;
    (*walk).rows += 1u;
    (*walk).y = y + 1;
    if (y == (*walk).rows_y.y) {
        (*walk).y = (*walk).rows_y.x;
        (*walk).z = z + 1;
    }
}

// The offset from the agent to another one of the current range, at this position, u.
fn walk_offset(walk: Walk, position: vec3f) -> vec3f {
    var offset = position - walk.position;
    if (wraps) {
        offset = position + walk.half_shift - walk.from_here;
    }
    // In a plane z is 0 anyway, but a compiler that must keep every operation cannot know it.
    return vec3f(offset.xy, select(0.0, offset.z, SPATIAL));
}

// Did the walk come to its end? A driver may silently end a loop early (Mesa's llvmpipe does after 65,535 iterations of all
// loops together), so the end is tested by equality: a compiler takes the negation of a loop's own condition for
// granted.
fn walk_complete(walk: Walk) -> bool {
    return walk.rows == walk_rows(walk) && walk.x == walk.last_x + 1;
}
