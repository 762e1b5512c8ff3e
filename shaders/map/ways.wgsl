// How long the way is from every cell of a map to a goal. Not a stage: it runs when a simulation begins, and when walls or goals change.
//
// All in whole numbers. The way of a cell follows from those of its neighbors, never falls when they rise, and only ever becomes less
// here. So there is one result, whatever the order in which cells are computed, and no race can change it: the reference takes another
// order. The start does not matter either, if no way is less there than in the result. So after a change of costs most of the previous
// ways stay: cells lose theirs where it no longer follows (`doubt`), and are computed again.
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
    // Number of words that a goal has in `directions`.
    direction_words: u32,
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
// What agents read: for each cell which way to go, and how far it is. At first it holds the previous ways.
@group(0) @binding(7) var<storage, read_write> directions: array<u32>;
// The previous costs.
@group(0) @binding(8) var<storage, read> costs_before: array<u32>;

const NO_WAY = 0xffffffffu;
// A sixteenth of the time through a cell of light ground, straight.
const SIXTEENTH = 64u;
// Most moves of a kind, straight or diagonal, in a way.
const MOST_MOVES = 32767u;
const SIDE = 16u;
const EDGE = 18u; // A tile with the cells around it.
const AROUND = 324u;
const ROUNDS = 32u;
const GROUPS_ACROSS = 32768u;

// Return whether the first of two ways by grid is the shorter one. A way of a straight and b diagonal moves is a << 16 | b, and a + b √2
// long.
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

fn is_less(first: u32, second: u32) -> bool {
    if (head.by_grid == 0u) {
        return first < second;
    }
    return is_shorter(first, second);
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
// The previous ways, for `doubt`, which tests which of them last.
var<workgroup> ways_before: array<u32, AROUND>;
var<workgroup> entry: u32;
var<workgroup> changed: atomic<u32>;
var<workgroup> goes_on: u32;
// Bit 3 y + x: the tile at (x - 1, y - 1) from here has to be done.
var<workgroup> marked: atomic<u32>;

// The way from a neighbor, if it is less than `below`; NO_WAY otherwise.
fn way_beside(at: u32, below: u32) -> u32 {
    return select(NO_WAY, ways_here[at], is_less(ways_here[at], below));
}

fn diagonal_from(here: u32, x: u32, y: u32, below: u32) -> u32 {
    if (min(costs_here[x], costs_here[y]) == 0u) {
        return NO_WAY;
    }
    return moved_on(way_beside(x + y - here, below), true);
}

// The way that follows for a cell from those ways of its neighbors that are less than `below`; and, by grid, the index of the neighbor
// that it follows from.
fn least(here: u32, below: u32) -> vec2u {
    let left = here - 1u;
    let right = here + 1u;
    let up = here - EDGE;
    let down = here + EDGE;
    if (head.by_grid == 0u) {
        let along_x = min(way_beside(left, below), way_beside(right, below));
        let along_y = min(way_beside(up, below), way_beside(down, below));
        return vec2u(upwind(along_x, along_y, costs_here[here]), 0u);
    }
    let each = array<u32, 8>(
        moved_on(way_beside(left, below), false),
        moved_on(way_beside(right, below), false),
        moved_on(way_beside(up, below), false),
        moved_on(way_beside(down, below), false),
        diagonal_from(here, left, up, below),
        diagonal_from(here, right, up, below),
        diagonal_from(here, left, down, below),
        diagonal_from(here, right, down, below),
    );
    var best = vec2u(NO_WAY, 8u);
    for (var neighbor = 0u; neighbor < 8u; neighbor++) {
        if (is_shorter(each[neighbor], best.x)) {
            best = vec2u(each[neighbor], neighbor);
        }
    }
    return best;
}

fn relaxed(here: u32) -> u32 {
    let own = ways_here[here];
    let way = least(here, NO_WAY).x;
    return select(own, way, is_less(way, own));
}

// Return whether a neighbor lost a way that this cell's own way may follow from.
fn lost(at: u32, own: u32) -> bool {
    return ways_here[at] == NO_WAY && ways_before[at] != NO_WAY && !is_less(own, ways_before[at]);
}

// The way of a cell, or NO_WAY where the cell loses it: a neighbor lost its way, and the cell's way does not follow from lesser ones.
// Only lesser ones count, because two equal ways may each follow from the other, by how times are rounded, and from nothing else. A
// goal, whose way is 0, loses nothing.
fn doubted(here: u32) -> u32 {
    let own = ways_here[here];
    var asked = lost(here - 1u, own) || lost(here + 1u, own) || lost(here - EDGE, own) || lost(here + EDGE, own);
    if (head.by_grid != 0u) {
        asked = asked || lost(here - 1u - EDGE, own) || lost(here + 1u - EDGE, own) || lost(here - 1u + EDGE, own) || lost(here + 1u + EDGE, own);
    }
    if (own == NO_WAY || own == 0u || !asked) {
        return own;
    }
    return select(own, NO_WAY, is_less(own, least(here, own).x));
}

// Load the ways and the costs of a tile and of the cells around it.
fn load_tile(goal: u32, tile: vec2u, lane: u32, doubts: bool) {
    let first = goal * head.columns * head.rows;
    for (var near = lane; near < AROUND; near += 256u) {
        // Column and row plus 1, because those of the cells around the first tile would be below zero.
        let place = tile * SIDE + vec2u(near % EDGE, near / EDGE);
        let inside = all(place >= vec2u(1u)) && all(place <= vec2u(head.columns, head.rows));
        ways_here[near] = NO_WAY;
        ways_before[near] = NO_WAY;
        costs_here[near] = 0u;
        if (inside) {
            let cell = (place.y - 1u) * head.columns + place.x - 1u;
            ways_here[near] = atomicLoad(&way[first + cell]);
            costs_here[near] = cost_of(cell);
            if (doubts) {
                ways_before[near] = directions[goal * head.direction_words + 2u * cell + 1u];
            }
        }
    }
}

fn cost_of(cell: u32) -> u32 {
    return (costs[cell / 4u] >> (8u * (cell % 4u))) & 0xffu;
}

// The entry of this round's list that a workgroup computes; NO_WAY if there is none left for it.
fn entry_of(group: vec3u) -> u32 {
    let now = atomicLoad(&control[0]) % 2u;
    let index = group.x + group.y * GROUPS_ACROSS;
    if (index < atomicLoad(&control[1u + now])) {
        return list[now * head.entries + index];
    }
    return NO_WAY;
}

// Compute a tile until nothing changes in it, and list the tiles that this may change.
fn visit(group: vec3u, lane: u32, doubts: bool) {
    let round = atomicLoad(&control[0]);
    let now = round % 2u;
    if (lane == 0u) {
        entry = entry_of(group);
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
    load_tile(goal, tile, lane, doubts);
    workgroupBarrier();
    let at = vec2u(lane % SIDE, lane / SIDE);
    let here = (at.y + 1u) * EDGE + at.x + 1u;
    let before = ways_here[here];
    let open = costs_here[here] != 0u;
    for (var round_here = 0u; round_here < ROUNDS; round_here++) {
        var better = ways_here[here];
        if (open && doubts) {
            better = doubted(here);
        } else if (open) {
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
        // The middle one is this tile, which every change marks. It has to be done again only if ROUNDS cut it short.
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

@compute @workgroup_size(256)
fn relax(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    visit(group, lane, false);
}

@compute @workgroup_size(256)
fn doubt(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    visit(group, lane, true);
}

// Begin the next round, with the list that was written.
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

// How much less than a cell's own way the lesser of its two neighbors' is; negative if that is the first one, 0 if neither is less.
fn falls(own: u32, first: u32, second: u32) -> i32 {
    let least = min(first, second);
    if (least >= own) {
        return 0;
    }
    return select(-i32(own - least), i32(own - least), second < first);
}

// Begin with the previous ways. Cells that have become dearer or walls lose theirs; then `doubt` tests which of the ways beside them
// last.
@compute @workgroup_size(256)
fn recall(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let cells = head.columns * head.rows;
    let cell = (group.x + group.y * GROUPS_ACROSS) * 256u + lane;
    if (cell >= cells) {
        return;
    }
    let word = group.z * head.direction_words + 2u * cell + 1u;
    let now = cost_of(cell);
    let before = (costs_before[cell / 4u] >> (8u * (cell % 4u))) & 0xffu;
    var own = directions[word];
    if (before != 0u && (now == 0u || now > before) && own != 0u) {
        own = NO_WAY;
        directions[word] = 0u;
    }
    atomicStore(&way[group.z * cells + cell], own);
}

// List all tiles that were ever listed.
@compute @workgroup_size(256)
fn gather(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let tile = (group.x + group.y * GROUPS_ACROSS) * 256u + lane;
    if (tile < head.entries && atomicLoad(&stamp[min(tile, head.entries - 1u)]) != 0u) {
        let next = 1u - atomicLoad(&control[0]) % 2u;
        list[next * head.entries + atomicAdd(&control[1u + next], 1u)] = tile;
    }
}

// For each cell of a tile, store the direction in which the way becomes less, with 32767 as its longer part, and the way.
@compute @workgroup_size(256)
fn lead(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    if (lane == 0u) {
        entry = entry_of(group);
    }
    let listed = workgroupUniformLoad(&entry);
    if (listed == NO_WAY) {
        return;
    }
    let tiles = head.tiles_across * head.tiles_down;
    let goal = listed / tiles;
    let tile = vec2u(listed % tiles % head.tiles_across, listed % tiles / head.tiles_across);
    load_tile(goal, tile, lane, false);
    workgroupBarrier();
    let at = vec2u(lane % SIDE, lane / SIDE);
    let place = tile * SIDE + at;
    if (any(place >= vec2u(head.columns, head.rows))) {
        return;
    }
    let here = (at.y + 1u) * EDGE + at.x + 1u;
    let own = ways_here[here];
    var direction = vec2i(0);
    if (own != NO_WAY && own != 0u) {
        if (head.by_grid == 0u) {
            let x = falls(own, ways_here[here - 1u], ways_here[here + 1u]);
            let y = falls(own, ways_here[here + EDGE], ways_here[here - EDGE]);
            let longer = max(max(abs(x), abs(y)), 1);
            direction = vec2i(x * 32767 / longer, y * 32767 / longer);
        } else {
            var sides = array<vec2i, 9>(
                vec2i(-1, 0),
                vec2i(1, 0),
                vec2i(0, 1),
                vec2i(0, -1),
                vec2i(-1, 1),
                vec2i(1, 1),
                vec2i(-1, -1),
                vec2i(1, -1),
                vec2i(0, 0),
            );
            direction = 32767 * sides[least(here, NO_WAY).y];
        }
    }
    let word = goal * head.direction_words + 2u * (place.y * head.columns + place.x);
    directions[word] = (u32(direction.x) & 0xffffu) | (u32(direction.y) << 16u);
    directions[word + 1u] = own;
}
