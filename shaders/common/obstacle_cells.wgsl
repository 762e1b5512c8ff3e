// Many obstacles, and which of them an agent has to test. They do not fit into the scenery block, so they lie in a texture, which takes no
// storage binding: first the rows of the obstacles, then for each group its cells and the lists of these. An entry of a list has all that
// tells whether an obstacle is beside a course, so that most take one load.
//
// The obstacles of a group move alike. In a frame that moves with them they stay where they are, and so do the lists of the cells, which
// the host makes once. The grid of a group repeats in all directions like the world along a wrapped axis; what a list has in excess, the
// obstacle's own test drops. The last group has one cell, which lists what would be in most lists anyway: obstacles that have no end, that
// agents are inside of, or that are larger than an eighth of the world, and boxes and capsules that turn as they move. Behind these its
// list goes on with all other obstacles, for agents that cannot use the cells.

// Texels of an obstacle.
const OBSTACLE_TEXELS = 6u;
// Most cells that a search along a course goes through; a longer course is tested against all obstacles.
const MOST_LOOKED_IN = 160.0;
// Within this many cells of the origin, rounding is less than a twentieth of a cell, which the host's lists allow for.
const MOST_CELLS_AWAY = 20000.0;

const NO_OBSTACLE = 0xffffffffu;

fn obstacle_texel(index: u32) -> vec4u {
    let texel = vec2u(index % TEXELS_PER_ROW, index / TEXELS_PER_ROW);
    if (texture_loads) {
        return textureLoad(obstacle_texels_stored, texel);
    } else {
        return textureLoad(obstacle_texels, texel, 0);
    }
}

// One of many obstacles, where it is when its trajectory is at the origin.
fn obstacle_row(index: u32) -> Obstacle {
    let first = index * OBSTACLE_TEXELS;
    let center = obstacle_texel(first);
    let size = obstacle_texel(first + 1u);
    let home = obstacle_texel(first + 2u);
    let axis = obstacle_texel(first + 3u);
    let turn = obstacle_texel(first + 4u);
    let turned = obstacle_texel(first + 5u);
    return Obstacle(
        bitcast<vec3f>(center.xyz),
        center.w,
        bitcast<vec3f>(size.xyz),
        size.w,
        bitcast<vec3f>(home.xyz),
        bitcast<f32>(home.w),
        bitcast<vec3f>(axis.xyz),
        axis.w,
        bitcast<vec4f>(turn),
        turned.x,
        bitcast<f32>(turned.y),
    );
}

// The list of a cell, by entries counted from the first one of its group: up to `reached` the obstacles that are near the cell, from there
// to `end` further ones that are nearest to some place in it.
struct Listed {
    first: u32,
    reached: u32,
    end: u32,
}

// An entry of a list: the center of an obstacle while its trajectory is at the origin; in the last word its bounding radius, rounded up,
// and in that word's lower bits its index.
fn listed_entry(group: ObstacleGroup, entry: u32) -> vec4u {
    return obstacle_texel(group.first_entry + entry);
}

const INDEX_MASK = 0x3fffu;
const ROUNDED_BOUND = vec4u(0xffffffffu, 0xffffffffu, 0xffffffffu, ~INDEX_MASK);

// Where a place lies in the grid of a group, in cells from its origin.
fn in_cells(group: ObstacleGroup, place: vec3f) -> vec3f {
    return (place - group.origin) * group.per_unit;
}

// A walk through the cells along a course. Rounding may take the adjacent cell for the right one, but only near their border, which the
// host's lists allow for.
struct CellWalk {
    // The cell that the course is in.
    cell: vec3f,
    // The way until it leaves the cell along each axis, u.
    leaves: vec3f,
    // The way through a cell along each axis, u.
    across: vec3f,
}

// Fewer cells per u along a course count as this many: along axes without extent, as across a plane, a course never leaves its cell.
const NEVER_LEFT = 1e-30;

// Where a place lies in the grid, in cells, without whole lengths of the grid.
fn in_grid(group: ObstacleGroup, place: vec3f) -> vec3f {
    let at = in_cells(group, place);
    let cells = vec3f(group.cells);
    return at - cells * floor(at / cells);
}

fn group_cell(group: ObstacleGroup, at: vec3f) -> vec3f {
    return clamp(floor(at), vec3f(0.0), vec3f(group.cells) - 1.0);
}

// A walk that begins at a place, given in the group's own frame.
fn cell_walk(group: ObstacleGroup, place: vec3f, forward: vec3f) -> CellWalk {
    let at = in_grid(group, place);
    let cell = group_cell(group, at);
    let across = 1.0 / max(abs(forward * group.per_unit), vec3f(NEVER_LEFT));
    let left = select(cell + 1.0 - at, at - cell, forward < vec3f(0.0));
    return CellWalk(cell, left * across, across);
}

// The way to where the course leaves the cell that it is in, u.
fn way_out(walk: CellWalk) -> f32 {
    let least = min(walk.leaves.x, walk.leaves.y);
    if (SPATIAL) {
        return min(least, walk.leaves.z);
    }
    return least;
}

// Go on to the next cell.
fn next_cell(group: ObstacleGroup, walk: CellWalk, forward: vec3f) -> CellWalk {
    let through = walk.leaves <= vec3f(way_out(walk));
    let last = vec3f(group.cells) - 1.0;
    let step = select(vec3f(1.0), vec3f(-1.0), forward < vec3f(0.0));
    var cell = walk.cell + select(vec3f(0.0), step, through);
    cell = select(cell, last, cell < vec3f(0.0));
    cell = select(cell, vec3f(0.0), cell > last);
    return CellWalk(cell, walk.leaves + select(vec3f(0.0), walk.across, through), walk.across);
}

// The list of a cell.
fn listed(group: ObstacleGroup, at: vec3f) -> Listed {
    let cell = vec3u(at);
    let index = cell.x + group.cells.x * (cell.y + group.cells.y * cell.z);
    // Two cells to a texel, each with the start of its list and two lengths of 16 bits.
    let texel = obstacle_texel(group.first_cell + index / 2u);
    let own = select(texel.xy, texel.zw, (index & 1u) == 1u);
    return Listed(own.x, own.x + (own.y & 0xffffu), own.x + (own.y >> 16u));
}

// Return whether a place is so near the origin that rounding cannot put it into a wrong cell.
fn is_sharp(group: ObstacleGroup, position: vec3f, place: vec3f) -> bool {
    return all(max(abs(position), abs(place)) * group.per_unit < vec3f(MOST_CELLS_AWAY));
}

// Return whether a place lies within the grid itself along all axes that do not wrap. Beyond that, no list tells what is nearest.
fn is_inside(group: ObstacleGroup, place: vec3f) -> bool {
    let at = in_cells(group, place);
    let cells = vec3f(group.cells);
    let inside = (at >= vec3f(0.0)) & (at < cells);
    return (inside.x || boundary_x == WRAP) && (inside.y || boundary_y == WRAP) && (!SPATIAL || inside.z || boundary_z == WRAP);
}
