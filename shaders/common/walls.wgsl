// The walls of a map: how far a place is from the nearest one, what a body meets on its course, and where a move ends. Distances are
// positive where agents are free, and normals point there, as with obstacles.
//
// Walls are squares. For each cell of the map `wall_texels` names the nearest cell of the other kind: of an open one the nearest wall, of
// a wall the nearest open cell (`map/walls.wgsl`). Nothing outside of the map is a wall, so it has a border of open cells, one wide, that
// are counted too. It is a plan: in space its walls are columns along z.

// In place of the index of an obstacle.
const MAP_WALLS = 0xfffffffeu;

// A course is followed in at most MAX_LEAPS leaps. Each is as long as the way is known to be free, but at least LEAST_LEAP, as a share of
// a cell. So a wall that a body only grazes, by less than that, may go unseen.
const MAX_LEAPS = 128u;
const LEAST_LEAP = 0.125;
// A body touches a wall that is as near as this, as a share of a cell.
const TOUCHES = 0.00390625;

// Most sides of cells that one move crosses. An agent that would cross more stays where it is.
const MAX_CELLS_CROSSED = 1024u;
// A move ends this far from a wall, as a share of a cell: more than rounding takes on the largest map.
const OFF_WALL = 0.0009765625;

// Columns and rows, with the border.
fn bordered() -> vec2f {
    return vec2f(vec2u(world.map_columns, world.map_rows) + vec2u(2u));
}

// Where a place lies, in cells from the upper left corner of the border.
fn on_map(position: vec3f) -> vec2f {
    return vec2f(position.x, -position.y) * world.map_cells_per_unit + bordered() * 0.5;
}

// The cell at a place; outside of the map the nearest one of its border.
fn map_cell(at: vec2f) -> vec2u {
    return vec2u(min(max(at, vec2f(0.0)), bordered() - 1.0));
}

fn wall_texel(cell: vec2u) -> u32 {
    let index = cell.y * (world.map_columns + 2u) + cell.x;
    return textureLoad(wall_texels, vec2u(index % TEXELS_PER_ROW, index / TEXELS_PER_ROW), 0).x;
}

fn is_wall(at: vec2f) -> bool {
    return (wall_texel(map_cell(at)) & WALL_BIT) != 0u;
}

// Is a place in a wall of the map?
fn in_wall(position: vec3f) -> bool {
    return is_wall(on_map(position));
}

// Distance and normal of the walls of the map: the nearest of the squares that the nine cells around the place name. That is exact where
// a wall is less than a cell away, because it is one of the nine. Farther off a square that is nearest to the place may be nearest to the
// middle of none of the nine, and the distance is then too long: seldom, and never by a quarter of a cell. Four cells would be wrong by
// nearly half a cell, and no fixed number of them is always right (docs/walls.md). Farther off the map than its border another wall may be
// nearer, at least about 0.7 as far (1/√2): the cells of the border stand for those around the place.
fn map_clearance(position: vec3f) -> Clearance {
    let at = on_map(position);
    let kind = wall_texel(map_cell(at)) & WALL_BIT;
    var nearest = 1e38;
    var way = vec2f(0.0);
    var off = vec2f(0.0);
    for (var k = 0u; k < 9u; k += 1u) {
        var cell = map_cell(at + vec2f(f32(k % 3u), f32(k / 3u)) - 1.0);
        let texel = wall_texel(cell);
        if ((texel & WALL_BIT) == kind) {
            cell = vec2u(texel & COLUMN_MASK, (texel >> COLUMN_BITS) & COLUMN_MASK);
        }
        let middle = at - (vec2f(cell) + 0.5);
        let beyond = max(abs(middle) - 0.5, vec2f(0.0));
        let squared = beyond.x * beyond.x + beyond.y * beyond.y;
        if (squared < nearest) {
            nearest = squared;
            way = select(beyond, -beyond, middle < vec2f(0.0));
            off = middle;
        }
    }
    let distance = sqrt(nearest);
    var normal = way / max(distance, TOUCHING);
    if (distance <= TOUCHING) {
        // On a side: away from the middle of the square.
        let side = select(vec2f(1.0), vec2f(-1.0), off < vec2f(0.0));
        normal = select(vec2f(0.0, side.y), vec2f(side.x, 0.0), abs(off.x) >= abs(off.y));
    }
    let free = Clearance(distance * world.map_cell_size, vec3f(normal.x, -normal.y, 0.0));
    return facing(free, kind != 0u);
}

// The share of the distance at a place in which there is no wall: off the map another one may be nearer.
fn free_share(position: vec3f) -> f32 {
    let at = on_map(position);
    return select(0.5, 1.0, all(at == clamp(at, vec2f(0.0), bordered())));
}

// Way along `forward` until a body of this radius touches a wall of the map; negative where it touches already, as deep as it does;
// FAR_AWAY where nothing is in reach.
fn map_way(position: vec3f, forward: vec3f, reach: f32, radius: f32) -> f32 {
    var way = 0.0;
    for (var step = 0u; step < MAX_LEAPS; step += 1u) {
        let place = position + forward * way;
        let clearance = map_clearance(place);
        let gap = clearance.distance - radius;
        if (gap <= TOUCHES * world.map_cell_size) {
            // The last step may have gone too far.
            return way + min(gap, 0.0);
        }
        way += max(clearance.distance * free_share(place) - radius, LEAST_LEAP * world.map_cell_size);
        if (way > reach) {
            break;
        }
    }
    return FAR_AWAY;
}

// What three feelers of a body meet of the walls of the map: the way of each, as `map_way` returns it, and the normal where it touches.
struct Felt {
    ways: vec3f,
    first: vec3f,
    second: vec3f,
    third: vec3f,
}

// Follow three feelers of a body. They share one loop, because lanes wait for each other at the end of each loop. The distance at the
// position is the same for all three.
fn map_felt(position: vec3f, first: vec3f, second: vec3f, third: vec3f, reaches: vec3f, radius: f32) -> Felt {
    var felt = Felt(vec3f(FAR_AWAY), vec3f(0.0), vec3f(0.0), vec3f(0.0));
    if (!walled) {
        return felt;
    }
    var feeler = 0u;
    var forward = first;
    var reach = reaches.x;
    var leap = 0u;
    var way = 0.0;
    var touches = false;
    // How far the body is from a wall, and how far there is none, u.
    var begin = vec2f(0.0);
    for (var round = 0u; round < 3u * (MAX_LEAPS + 1u) && feeler < 3u; round += 1u) {
        let place = position + forward * max(way, 0.0);
        let clearance = map_clearance(place);
        var gap = clearance.distance * vec2f(1.0, free_share(place)) - radius;
        begin = select(begin, gap, round == 0u);
        if (touches) {
            let is = vec3u(feeler) == vec3u(0u, 1u, 2u);
            felt.ways = select(felt.ways, vec3f(way), is);
            felt.first = select(felt.first, clearance.normal, is.x);
            felt.second = select(felt.second, clearance.normal, is.y);
            felt.third = select(felt.third, clearance.normal, is.z);
            // This feeler is done.
            leap = MAX_LEAPS;
            gap = vec2f(FAR_AWAY);
        }
        for (; feeler < 3u; feeler += 1u) {
            leap += 1u;
            touches = gap.x <= TOUCHES * world.map_cell_size;
            // The last leap may have gone too far.
            way += select(max(gap.y, LEAST_LEAP * world.map_cell_size), min(gap.x, 0.0), touches);
            if (touches || (way <= reach && leap < MAX_LEAPS)) {
                break;
            }
            leap = 0u;
            way = 0.0;
            gap = begin;
            forward = select(third, second, feeler == 0u);
            reach = select(reaches.z, reaches.y, feeler == 0u);
        }
    }
    return felt;
}

// A move of one step.
struct Move {
    position: vec3f,
    velocity: vec3f,
}

// A move, as far as walls of the map let it: a wall that is met takes away what points into the wall, from the position and from the
// velocity, and the rest goes on along the wall. An agent that was put into a wall moves as if there were none.
fn along_walls(before: vec3f, aim: Move) -> Move {
    if (!is_sane3(aim.position)) {
        return aim;
    }
    let at = on_map(before);
    let to = on_map(aim.position);
    var cell = floor(at);
    if (all(floor(to) == cell) || is_wall(at)) {
        return aim;
    }
    var end = aim;
    var left = to - at;
    for (var crossed = 0u; crossed < MAX_CELLS_CROSSED; crossed += 1u) {
        let onward = left > vec2f(0.0);
        let side = select(cell, cell + 1.0, onward);
        // The share of the move after which it comes to the side of the cell. A move that ends on a side has crossed it.
        let share = select(vec2f(FAR_AWAY), (side - at) / left, left != vec2f(0.0));
        if (min(share.x, share.y) > 1.0) {
            // Rounding must not put an agent into a wall either.
            if (in_wall(end.position)) {
                break;
            }
            return end;
        }
        let sideways = share.x <= share.y;
        let ahead = select(vec2f(-1.0), vec2f(1.0), onward);
        let next = cell + select(vec2f(0.0, ahead.y), vec2f(ahead.x, 0.0), sideways);
        if (!is_wall(next + 0.5)) {
            cell = next;
            continue;
        }
        let place = (side - ahead * OFF_WALL - bordered() * 0.5) * world.map_cell_size;
        if (sideways) {
            left.x = 0.0;
            end.position.x = place.x;
            end.velocity.x = 0.0;
        } else {
            left.y = 0.0;
            end.position.y = -place.y;
            end.velocity.y = 0.0;
        }
    }
    return Move(before, vec3f(0.0));
}

// The direction that leads out of the open ground of a map, where the predicted move ends nearer than `margin` to a wall; zero elsewhere,
// and without walls.
fn out_of_ground(before: vec3f, predicted: Move, margin: f32) -> vec3f {
    if (!walled) {
        return vec3f(0.0);
    }
    let wall = map_clearance(along_walls(before, predicted).position);
    return select(vec3f(0.0), -wall.normal, wall.distance < margin);
}
