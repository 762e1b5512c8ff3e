// How long the way is from every cell of a map to a goal. Not a stage: it runs when a simulation begins, and when walls or goals change.
//
// All in whole numbers. What a cell says follows from its neighbors, never falls when they rise, and only ever becomes less here. So
// there is one end, whatever the order in which cells are computed, and nothing races for it: the reference takes another order.
//
// A tile of 16 x 16 cells is computed by one workgroup, as often as a cell beside it has changed: tiles to do are on a list, and each
// round makes the list of the next one.

struct Head {
    columns: u32,
    rows: u32,
    tiles_across: u32,
    tiles_down: u32,
    // Most entries of a list: the tiles of all goals.
    entries: u32,
    // 1 for moves from cell to cell, straight 1 and diagonal √2; 0 for time, as a front spreads in all directions.
    by_grid: u32,
    // Words of a goal in `led`.
    led_words: u32,
    padding: u32,
}

@group(0) @binding(0) var<uniform> head: Head;
// Four bytes to a word, row by row: the time through each cell, in sixteenths of that through light ground; 0 is a wall.
@group(0) @binding(1) var<storage, read> costs: array<u32>;
// The way from each cell, goal after goal.
@group(0) @binding(2) var<storage, read_write> way: array<atomic<u32>>;
// The round that each tile was last put on the list for, goal after goal.
@group(0) @binding(3) var<storage, read_write> stamp: array<atomic<u32>>;
// Two lists of tiles: one is done while the other is written.
@group(0) @binding(4) var<storage, read_write> list: array<u32>;
// The round, and the lengths of both lists.
@group(0) @binding(5) var<storage, read_write> control: array<atomic<u32>>;
// Workgroups of the next round.
@group(0) @binding(6) var<storage, read_write> groups: array<u32>;
// What agents read: of each cell which way to go, and how far it is.
@group(0) @binding(7) var<storage, read_write> led: array<u32>;

const NO_WAY = 0xffffffffu;
// A sixteenth of the time through a cell of light ground, straight.
const SIXTEENTH = 64u;
// The most moves of a kind.
const MOST_MOVES = 32767u;
const SIDE = 16u;
const EDGE = 18u; // A tile with the cells around it.
const AROUND = 324u;
const ROUNDS = 32u;
const GROUPS_ACROSS = 32768u;

// Moves by grid: a straight and b diagonal ones, a << 16 | b. Is the first way the shorter one, a + b √2?
fn is_shorter(first: u32, second: u32) -> bool {
    if (first == NO_WAY || second == NO_WAY) {
        return first != NO_WAY;
    }
    let straight = i32(first >> 16u) - i32(second >> 16u);
    let diagonal = i32(second & 0xffffu) - i32(first & 0xffffu);
    // straight < diagonal √2, by signs and squares
    let straight_squared = u32(straight * straight);
    let diagonal_squared = 2u * u32(diagonal * diagonal);
    if (straight < 0) {
        return diagonal >= 0 || straight_squared > diagonal_squared;
    }
    return diagonal > 0 && straight_squared < diagonal_squared;
}

fn moved_on(base: u32, diagonal: bool) -> u32 {
    let moves = select(base >> 16u, base & 0xffffu, diagonal);
    if (base == NO_WAY || moves >= MOST_MOVES) {
        return NO_WAY;
    }
    return base + select(0x10000u, 1u, diagonal);
}

fn square_root(number: u32) -> u32 {
    var root = u32(sqrt(f32(number)));
    // A driver may round it to either side.
    if (root * root > number) {
        root -= 1u;
    }
    if ((root + 1u) * (root + 1u) <= number) {
        root += 1u;
    }
    return root;
}

// Godunov's upwind step of |∇u| = cost, from the lesser neighbor along each axis.
fn upwind(along_x: u32, along_y: u32, cost: u32) -> u32 {
    let time = SIXTEENTH * cost;
    let first = min(along_x, along_y);
    let apart = max(along_x, along_y) - first;
    if (first >= NO_WAY - time) {
        return NO_WAY;
    }
    if (apart >= time) {
        return first + time;
    }
    return first + (apart + square_root(2u * time * time - apart * apart)) / 2u;
}

// The ways and the costs of a tile and of the cells around it.
var<workgroup> ways_here: array<u32, AROUND>;
var<workgroup> costs_here: array<u32, AROUND>;
var<workgroup> entry: u32;
var<workgroup> changed: atomic<u32>;
var<workgroup> goes_on: u32;
// Bit 3 y + x: the tile at (x - 1, y - 1) from here has to be done.
var<workgroup> marked: atomic<u32>;

fn diagonal_from(here: u32, x: u32, y: u32) -> u32 {
    if (min(costs_here[x], costs_here[y]) == 0u) {
        return NO_WAY;
    }
    return moved_on(ways_here[x + y - here], true);
}

fn relaxed(here: u32) -> u32 {
    let own = ways_here[here];
    let left = here - 1u;
    let right = here + 1u;
    let up = here - EDGE;
    let down = here + EDGE;
    if (head.by_grid == 0u) {
        let along_x = min(ways_here[left], ways_here[right]);
        let along_y = min(ways_here[up], ways_here[down]);
        return min(own, upwind(along_x, along_y, costs_here[here]));
    }
    let each = array<u32, 8>(
        moved_on(ways_here[left], false),
        moved_on(ways_here[right], false),
        moved_on(ways_here[up], false),
        moved_on(ways_here[down], false),
        diagonal_from(here, left, up),
        diagonal_from(here, right, up),
        diagonal_from(here, left, down),
        diagonal_from(here, right, down),
    );
    var best = own;
    for (var neighbor = 0u; neighbor < 8u; neighbor++) {
        if (is_shorter(each[neighbor], best)) {
            best = each[neighbor];
        }
    }
    return best;
}

@compute @workgroup_size(256)
fn relax(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let round = atomicLoad(&control[0]);
    let now = round % 2u;
    let index = group.x + group.y * GROUPS_ACROSS;
    if (lane == 0u) {
        entry = NO_WAY;
        if (index < atomicLoad(&control[1u + now])) {
            entry = list[now * head.entries + index];
        }
        atomicStore(&changed, 0u);
        atomicStore(&marked, 0u);
    }
    let own = workgroupUniformLoad(&entry);
    if (own == NO_WAY) {
        return;
    }
    let tiles = head.tiles_across * head.tiles_down;
    let goal = own / tiles;
    let tile = vec2u(own % tiles % head.tiles_across, own % tiles / head.tiles_across);
    let cells = head.columns * head.rows;
    for (var near = lane; near < AROUND; near += 256u) {
        // One less than the column and the row of the first cell would be below zero.
        let place = tile * SIDE + vec2u(near % EDGE, near / EDGE);
        let inside = all(place >= vec2u(1u)) && all(place <= vec2u(head.columns, head.rows));
        ways_here[near] = NO_WAY;
        costs_here[near] = 0u;
        if (inside) {
            let cell = (place.y - 1u) * head.columns + place.x - 1u;
            ways_here[near] = atomicLoad(&way[goal * cells + cell]);
            costs_here[near] = (costs[cell / 4u] >> (8u * (cell % 4u))) & 0xffu;
        }
    }
    workgroupBarrier();
    let at = vec2u(lane % SIDE, lane / SIDE);
    let here = (at.y + 1u) * EDGE + at.x + 1u;
    let before = ways_here[here];
    let open = costs_here[here] != 0u;
    for (var round_here = 0u; round_here < ROUNDS; round_here++) {
        var better = ways_here[here];
        if (open) {
            better = relaxed(here);
        }
        let differs = better != ways_here[here];
        workgroupBarrier();
        if (differs) {
            ways_here[here] = better;
            atomicStore(&changed, 1u);
        }
        workgroupBarrier();
        if (lane == 0u) {
            goes_on = atomicExchange(&changed, 0u);
        }
        if (workgroupUniformLoad(&goes_on) == 0u) {
            break;
        }
    }
    if (ways_here[here] != before) {
        let cell = (tile.y * SIDE + at.y) * head.columns + tile.x * SIDE + at.x;
        atomicStore(&way[goal * cells + cell], ways_here[here]);
        let side = vec2u(1u) + select(vec2u(0u), vec2u(1u), at == vec2u(SIDE - 1u)) - select(vec2u(0u), vec2u(1u), at == vec2u(0u));
        atomicOr(&marked, (1u << (3u + side.x)) | (1u << (3u * side.y + 1u)) | (1u << (3u * side.y + side.x)));
    }
    workgroupBarrier();
    if (lane < 9u) {
        // The middle one is this tile, which is marked by every change, and has to be done again only where it was cut short.
        let wanted = select((atomicLoad(&marked) >> lane) & 1u, goes_on, lane == 4u);
        let other = tile + vec2u(lane % 3u, lane / 3u);
        let inside = all(other >= vec2u(1u)) && all(other <= vec2u(head.tiles_across, head.tiles_down));
        if (wanted == 1u && inside) {
            let next = goal * tiles + (other.y - 1u) * head.tiles_across + other.x - 1u;
            if (atomicMax(&stamp[next], round + 1u) <= round) {
                list[(1u - now) * head.entries + atomicAdd(&control[2u - now], 1u)] = next;
            }
        }
    }
}

// The list that was written is the next one.
@compute @workgroup_size(1)
fn turn() {
    let round = atomicLoad(&control[0]) + 1u;
    let now = round % 2u;
    let count = atomicLoad(&control[1u + now]);
    groups[0] = min(count, GROUPS_ACROSS);
    groups[1] = (count + GROUPS_ACROSS - 1u) / GROUPS_ACROSS;
    groups[2] = 1u;
    atomicStore(&control[2u - now], 0u);
    atomicStore(&control[0], round);
}

// The way from a neighbor of a cell: none where there is no such cell.
fn beside(first: u32, column: u32, row: u32) -> u32 {
    if (column >= head.columns || row >= head.rows) {
        return NO_WAY;
    }
    return atomicLoad(&way[first + row * head.columns + column]);
}

// How much less the lesser of two neighbors says; negative where that is the first.
fn falls(own: u32, first: u32, second: u32) -> i32 {
    let least = min(first, second);
    if (least >= own) {
        return 0;
    }
    return select(-i32(own - least), i32(own - least), second < first);
}

// Of each cell the direction in which the time falls, its longer part 32767, and the time.
@compute @workgroup_size(256)
fn lead(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let cells = head.columns * head.rows;
    let cell = (group.x + group.y * GROUPS_ACROSS) * 256u + lane;
    if (cell >= cells) {
        return;
    }
    let first = group.z * cells;
    let own = atomicLoad(&way[first + cell]);
    let column = cell % head.columns;
    let row = cell / head.columns;
    var direction = 0u;
    if (own != NO_WAY && head.by_grid == 0u) {
        // Below zero it wraps around, beyond any map.
        let x = falls(own, beside(first, column - 1u, row), beside(first, column + 1u, row));
        let y = falls(own, beside(first, column, row + 1u), beside(first, column, row - 1u));
        let longer = max(max(abs(x), abs(y)), 1);
        direction = (u32(x * 32767 / longer) & 0xffffu) | (u32(y * 32767 / longer) << 16u);
    }
    led[group.z * head.led_words + 2u * cell] = direction;
    led[group.z * head.led_words + 2u * cell + 1u] = own;
}
