// What the stage `measure` is asked for, its sums, values that follow from them, and which agents count.

// What a scene asks to observe of agents that are near each other, and where that lies in `measured`.
struct PairMeasurement {
    cells: vec3u, // Cells along each axis in which agents search for each other; they repeat beyond the world. 0 if nothing is measured.
    first_sum: u32, // Index of the first of its three sums.
    cells_per_unit: vec3f, // Cells per length along each axis, 1/u; 0 where there is one.
    distance: f32, // Distance within which pairs count, u.
    // The least extent of a cell along any axis that has several, u.
    cell_width: f32,
    scale: f32, // Factor of distances that are summed up, 1/u.
    first_head: u32, // The word with the first agent of the first cell: its slot plus 1.
    first_next: u32, // The first of the words that link each slot to the next one in its cell.
    // For groups, the word with the root of the first slot; behind all roots are the sizes of groups, and their sums of headings. For
    // nearest distances, the word with the number of lonely agents; behind it are their slots, and their squared distances to others.
    first_root: u32,
}

// What a scene asks to observe: see `shaders/sim/measure.wgsl`.
struct Measurement {
    density_cells: vec3u, // Cells along each axis in which agents are counted.
    first_density_cell: u32, // The word with the number of agents in the first density cell.
    row_cells: vec3u, // Cells along each axis by which rows are told apart: a row along an axis is one cell of each other axis.
    first_chosen: u32, // The word with the number of agents chosen for the correlation length; behind it are their slots.
    chosen_below: u32, // An agent is chosen if its hash is at most this.
    bin_width: f32, // Extent of a bin of the correlation function, u.
    states: array<u32, 32>, // For each species the word with the number of its agents in the first action state; 0 for none.
    goals: array<u32, 32>, // The goal of the map that each species heads for, or NO_INDEX.
    paths: array<u32, 32>, // The path that each species follows, or NO_INDEX.
    // For each species the word of the sums of its velocities along three axes; behind them are the numbers of its agents in each row
    // along x, along y, and in space along z.
    streams: array<u32, 32>,
    pairs: array<PairMeasurement, 5>, // What is measured of pairs, kind by kind; kinds that are not measured have no cells.
}

const NO_INDEX = 0xffffffffu; // In place of the index of a species' goal or path: it has none.

// The word of the first sum. A sum takes two words: a lower and an upper half. The first word of all is not 0 if a driver cut a loop off.
const FIRST_SUM = 2u;
// Indices of sums. SUM_OF_PLACES has two sums for each axis (`place_share`).
const AGENTS_IN_MOTION = 0u;
const SUM_OF_VELOCITIES = 1u;
const SUM_OF_SPEEDS = 4u;
const SUM_OF_PLACES = 5u;
const AGENTS_PLACED = 11u;
const SUM_OF_SPREADS = 12u;
const SUM_OF_TURNS = 13u;
const CROWDING = 16u;
const WAYS_TO_GOALS = 18u;
const OFF_PATHS = 21u;
const BINS = 39u;

const MOST_SHARES = 192u;
var<workgroup> measured_shares: array<atomic<u32>, 2u * MOST_SHARES>;

// The sum of two integers of 64 bits, each as a low and a high word.
fn plus(a: vec2u, b: vec2u) -> vec2u {
    let low = a.x + b.x;
    return vec2u(low, a.y + b.y + select(0u, 1u, low < a.x));
}

// A float as an integer of 64 bits with 20 binary digits after the point. The sign is put on last, so that every piece is exact. Numbers
// that cannot be calculated with (`is_sane`) count as 0: a state from outside may be anything until its first step.
fn summed(x: f32) -> vec2u {
    let size = floor(select(0.0, abs(x), is_sane(x)) * FIXED_POINT + 0.5);
    let high = floor(size * 2.3283064365386963e-10);
    let low = u32(size - high * 4294967296.0);
    let opposite = vec2u(~low + 1u, ~u32(high) + select(0u, 1u, low == 0u));
    return select(vec2u(low, u32(high)), opposite, x < 0.0);
}

// The square of a count.
fn count_squared(count: u32) -> vec2u {
    let low = count & 0xffffu;
    let high = count >> 16u;
    let mixed = vec2u((low * high) << 16u, (low * high) >> 16u);
    return plus(plus(vec2u(low * low, high * high), mixed), mixed);
}

// Set this many sums of the workgroup to 0.
fn begin_shares(sums: u32, thread: u32) {
    for (var word = thread; word < 2u * sums; word += workgroup_size) {
        atomicStore(&measured_shares[word], 0u);
    }
    workgroupBarrier();
}

// Add to a sum of the workgroup.
fn add_share(sum: u32, value: vec2u) {
    let before = atomicAdd(&measured_shares[2u * sum], value.x);
    atomicAdd(&measured_shares[2u * sum + 1u], value.y + select(0u, 1u, before + value.x < before));
}

// Add to a sum of all workgroups, by its first word.
fn add_measured(word: u32, value: vec2u) {
    if (value.x != 0u) {
        let before = atomicAdd(&measured_atomic[word], value.x);
        atomicAdd(&measured_atomic[word + 1u], value.y + select(0u, 1u, before + value.x < before));
    } else if (value.y != 0u) {
        atomicAdd(&measured_atomic[word + 1u], value.y);
    }
}

// Add this many sums of the workgroup to those of all workgroups from `first_sum` on, and record whether the driver cut a loop off.
fn end_shares(first_sum: u32, sums: u32, thread: u32) {
    workgroupBarrier();
    for (var sum = thread; sum < sums; sum += workgroup_size) {
        let value = vec2u(atomicLoad(&measured_shares[2u * sum]), atomicLoad(&measured_shares[2u * sum + 1u]));
        add_measured(FIRST_SUM + 2u * (first_sum + sum), value);
    }
    if (cuts_loops_off()) {
        atomicStore(&measured_atomic[0], 1u);
    }
}

fn measured_sum(sum: u32) -> f32 {
    let word = FIRST_SUM + 2u * sum;
    return from_fixed_point(atomicLoad(&measured_atomic[word]), atomicLoad(&measured_atomic[word + 1u]));
}

fn measured_sums(first: u32) -> vec3f {
    return vec3f(measured_sum(first), measured_sum(first + 1u), measured_sum(first + 2u));
}

// A sum that is a number of agents; at least 1, because it is a divisor.
fn agents_measured(sum: u32) -> f32 {
    return f32(max(atomicLoad(&measured_atomic[FIRST_SUM + 2u * sum]), 1u));
}

// The mean velocity, as a share of the top speed.
fn mean_share() -> vec3f {
    return measured_sums(SUM_OF_VELOCITIES) / agents_measured(AGENTS_IN_MOTION);
}

fn takes_part(slot: u32) -> bool {
    return (id[slot] & FROZEN) == 0u;
}

// Two numbers whose sums over agents give the middle along an axis: along a wrapped axis the cosine and the sine of the coordinate as an
// angle, else the coordinate as a share of the extent, and 0.
fn place_share(x: f32, size: f32, boundary: u32) -> vec2f {
    if (boundary == WRAP) {
        return turned(vec3f(1.0, 0.0, 0.0), half_turn(vec3f(0.0, 0.0, x / size * (2.0 * PI)))).xy;
    }
    return vec2f(x / size, 0.0);
}

fn middle_along(axis: u32, size: f32, boundary: u32) -> f32 {
    let sums = vec2f(measured_sum(SUM_OF_PLACES + 2u * axis), measured_sum(SUM_OF_PLACES + 2u * axis + 1u));
    if (boundary == WRAP) {
        return angle_of(sums.y, sums.x) / (2.0 * PI) * size;
    }
    return sums.x / agents_measured(AGENTS_PLACED) * size;
}

fn middle_of_all() -> vec3f {
    var middle = vec3f(middle_along(0u, world.size.x, boundary_x), middle_along(1u, world.size.y, boundary_y), 0.0);
    if (SPATIAL) {
        middle.z = middle_along(2u, world.size.z, boundary_z);
    }
    return middle;
}

// The cell of a coordinate. Cells repeat along every axis, so that none is full of agents beyond the edge of an open world.
fn pair_cell_along(x: f32, cells_per_unit: f32, cells: u32) -> u32 {
    let at = i32(min(max(floor(x * cells_per_unit), -1e9), 1e9)) % i32(cells);
    return u32(select(at, at + i32(cells), at < 0));
}

fn pair_cell(layer: PairMeasurement, place: vec3f) -> vec3u {
    return vec3u(
        pair_cell_along(place.x, layer.cells_per_unit.x, layer.cells.x),
        pair_cell_along(place.y, layer.cells_per_unit.y, layer.cells.y),
        pair_cell_along(place.z, layer.cells_per_unit.z, layer.cells.z),
    );
}

// Along one axis, the first of the cells within `reach` of a cell, and their number. None comes twice.
fn cells_around(cell: u32, cells: u32, reach: u32) -> vec2u {
    let first = select(cell - reach, cell + cells - reach, cell < reach);
    return select(vec2u(first, 2u * reach + 1u), vec2u(0u, cells), 2u * reach + 1u >= cells);
}

fn wrap_cell(cell: u32, cells: u32) -> u32 {
    return select(cell, cell - cells, cell >= cells);
}

// The root of an agent's group. Each search shortens the path to it.
fn root_of(first_root: u32, slot: u32) -> u32 {
    var at = slot;
    var above = atomicLoad(&measured_atomic[first_root + at]);
    while (above != at) {
        let next = atomicLoad(&measured_atomic[first_root + above]);
        if (next != above) {
            atomicMin(&measured_atomic[first_root + at], next);
        }
        at = above;
        above = next;
    }
    return at;
}

// Unite the groups of two agents, and return the root. A root only ever gets a smaller one above it; if a root has changed meanwhile, the
// next round unites it.
fn unite_groups(first_root: u32, one: u32, two: u32) -> u32 {
    var high = root_of(first_root, one);
    var low = root_of(first_root, two);
    while (high != low) {
        let lower = min(high, low);
        let before = atomicMin(&measured_atomic[first_root + max(high, low)], lower);
        high = root_of(first_root, before);
        low = root_of(first_root, lower);
    }
    return low;
}

// Which of `cells` equal cells of the world a coordinate lies in; -1 outside of the world.
fn equal_cell_along(x: f32, size: f32, cells: u32) -> i32 {
    let place = (x / size + 0.5) * f32(cells);
    return select(-1, i32(min(place, f32(cells) - 1.0)), place >= 0.0 && place <= f32(cells));
}

fn equal_cell(place: vec3f, cells: vec3u) -> vec3i {
    var cell = vec3i(equal_cell_along(place.x, world.size.x, cells.x), equal_cell_along(place.y, world.size.y, cells.y), 0);
    if (SPATIAL) {
        cell.z = equal_cell_along(place.z, world.size.z, cells.z);
    }
    return cell;
}

// The distance from a place to a path, u: to its line, and to the edge of its width (negative inside).
fn off_path(path: Path, place: vec3f) -> vec2f {
    let around = vec3i(
        select(0, 1, boundary_x == WRAP),
        select(0, 1, boundary_y == WRAP),
        select(0, 1, SPATIAL && boundary_z == WRAP),
    );
    var nearest = vec2f(FAR_AWAY, FAR_AWAY);
    for (var k = path.first_point; k < path.first_point + path.segments; k += 1u) {
        let start = path_point(k);
        let end = path_point(k + 1u);
        let along = end - start;
        // The image of the segment whose middle is nearest need not be the nearest image, so all are tried.
        let away = nearest_image(place - (start + end) * 0.5);
        for (var z = -around.z; z <= around.z; z += 1) {
            for (var y = -around.y; y <= around.y; y += 1) {
                for (var x = -around.x; x <= around.x; x += 1) {
                    let image = away + vec3f(vec3i(x, y, z)) * world.size;
                    let share = dot3(image, along) / max(dot3(along, along), SHORTEST_SEGMENT);
                    let off = image - along * min(max(share, -0.5), 0.5);
                    let distance = sqrt(dot3(off, off));
                    nearest = vec2f(min(nearest.x, distance), min(nearest.y, distance - segment_radius(path, k)));
                }
            }
        }
    }
    return nearest;
}
