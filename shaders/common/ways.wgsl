// Ways to the goals of a map, as an agent follows them. `shaders/map/ways.wgsl` computes them; they lie in a texture, two cells to a
// texel, and each goal begins in a row of its own.

const NO_WAY = 0xffffffffu; // In place of the length of a way: no way leads from the cell to the goal.
// This bit of the index of a goal is set if the goal has several places.
const SEVERAL_PLACES = 0x80000000u;
// The time through a cell, straight.
const CELL = 1024u;
const SQRT_2 = 1.41421356;

// The direction and the length of the way from a cell.
fn way_from(goal: u32, column: i32, row: i32) -> vec2u {
    let inside = column >= 0 && row >= 0 && column < i32(world.map_columns) && row < i32(world.map_rows);
    let cell = select(0u, u32(row) * world.map_columns + u32(column), inside);
    let texel = cell / 2u;
    let rows_per_goal = (world.map_columns * world.map_rows + 2u * TEXELS_PER_ROW - 1u) / (2u * TEXELS_PER_ROW);
    let two = textureLoad(ways, vec2u(texel % TEXELS_PER_ROW, goal * rows_per_goal + texel / TEXELS_PER_ROW), 0);
    return select(vec2u(0u, NO_WAY), select(two.xy, two.zw, (cell & 1u) == 1u), inside);
}

// A sum over cells, each weighted by its share.
struct WaySum {
    direction: vec2f, // Sum of the directions of their ways.
    cells: f32, // Sum of the lengths of their ways, in cells.
    share: f32, // The sum of the shares of cells that have a way.
}

// There is no early return: to compile one within the loop of rules, SwiftShader needs gigabytes of memory and far too long.
fn way_add(sum: WaySum, way: vec2u, share: f32, counts: bool) -> WaySum {
    let own = select(0.0, share, counts && way.y != NO_WAY);
    let direction = vec2f(f32(bitcast<i32>(way.x << 16u) >> 16u), f32(bitcast<i32>(way.x) >> 16u));
    return WaySum(sum.direction + direction * own, sum.cells + cells_of(way.y) * own, sum.share + own);
}

// The length of a way, in cells. With `by_grid` the number of straight moves is in the upper half of the word, that of diagonal ones in the
// lower half.
fn cells_of(length: u32) -> f32 {
    return select(f32(length) / f32(CELL), f32(length >> 16u) + f32(length & 0xffffu) * SQRT_2, by_grid);
}

// The way from a position: that of the four cells around it, each weighted by its share. The sum of shares is 0 if no way leads from there.
fn way_at(goal: u32, position: vec3f) -> WaySum {
    let x = position.x * world.map_cells_per_unit + (f32(world.map_columns) * 0.5 - 0.5);
    let y = f32(world.map_rows) * 0.5 - 0.5 - position.y * world.map_cells_per_unit;
    // Cells off the map have no way, so those far off need no numbers of their own.
    let column = i32(floor(clamp(x, -2.0, f32(world.map_columns) + 1.0)));
    let row = i32(floor(clamp(y, -2.0, f32(world.map_rows) + 1.0)));
    let right = clamp(x - f32(column), 0.0, 1.0);
    let below = clamp(y - f32(row), 0.0, 1.0);
    let a = way_from(goal, column, row);
    let b = way_from(goal, column + 1, row);
    let c = way_from(goal, column, row + 1);
    let d = way_from(goal, column + 1, row + 1);
    // Two cells that touch at a corner between two walls are not beside each other: only the nearer one counts.
    let apart_ad = b.y == NO_WAY && c.y == NO_WAY;
    let apart_bc = a.y == NO_WAY && d.y == NO_WAY;
    let nearer_a = right + below < 1.0;
    let nearer_b = right > below;
    var sum = WaySum(vec2f(0.0), 0.0, 0.0);
    sum = way_add(sum, a, (1.0 - right) * (1.0 - below), !apart_ad || nearer_a);
    sum = way_add(sum, b, right * (1.0 - below), !apart_bc || nearer_b);
    sum = way_add(sum, c, (1.0 - right) * below, !apart_bc || !nearer_b);
    sum = way_add(sum, d, right * below, !apart_ad || !nearer_a);
    return sum;
}

// Where the way is read: where the agent will be, unless a wall lies between, because behind it ways lead elsewhere.
fn place_ahead(position: vec3f, onward: vec3f) -> vec3f {
    var place = position + onward;
    if (walled) {
        place = select(place, position, walls_hide(position, onward));
    }
    return place;
}

// A goal of the map as an agent on the way to it sees it: as far off as the way is long, in the direction in which the way leads. Within a
// cell of the end of the way it is the place of the goal itself, unless the goal has several places. An agent from which no way leads sees
// the goal at its own place. If no way leads from the predicted position, the position itself counts.
fn goal_on_way(toward: Target, position: vec3f, velocity: vec3f) -> Goal {
    let goal = toward.index & ~SEVERAL_PLACES;
    var sum = WaySum(vec2f(0.0), 0.0, 0.0);
    if (foresees_ways) {
        sum = way_at(goal, place_ahead(position, velocity * toward.prediction_time));
    }
    if (sum.share == 0.0) {
        sum = way_at(goal, position);
    }
    let leads = sum.share > 0.0;
    let cells = sum.cells / select(1.0, sum.share, leads);
    let near = cells < 1.0 && (toward.index & SEVERAL_PLACES) == 0u;
    let ahead = along(vec3f(sum.direction, 0.0));
    let offset = select(ahead * (cells * world.map_cell_size), triple(toward.point) - position, near);
    return goal_at(select(vec3f(0.0), offset, leads), vec3f(0.0), select(vec3f(0.0), ahead, leads && !near));
}
