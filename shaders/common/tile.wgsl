// Lanes that look together.
//
// A driver that runs on a CPU loads for each lane by itself, which costs more than what is then done with an agent. The lanes of
// a subgroup hold agents that lie together, and so do the ranges that their walks come to: each lane loads one agent of a tile
// and hands it to the others. Every lane adds those of its own ranges alone, in the order of its own walk, so its sums have the
// bits that they have where it looks alone, and the reference does without.

// One agent that a lane loaded.
struct Tile {
    position: vec3f,
    velocity: vec3f,
    id: u32,
}

fn tile_load(place: u32) -> Tile {
    return Tile(load(sorted_position[place]), load(sorted_velocity[place]), sorted_id[place]);
}

// What another lane loaded.
fn tile_of_lane(tile: Tile, lane: u32) -> Tile {
    return Tile(vector_of_lane(tile.position, lane), vector_of_lane(tile.velocity, lane), subgroupShuffle(tile.id, lane));
}

fn vector_of_lane(vector: vec3f, lane: u32) -> vec3f {
    var z = 0.0;
    if (SPATIAL) {
        z = subgroupShuffle(vector.z, lane);
    }
    return vec3f(subgroupShuffle(vector.x, lane), subgroupShuffle(vector.y, lane), z);
}

// More than any place.
const NO_PLACE = 0xffffffffu;

// The places that some lanes look at together, from the first to last - 1.
struct Stretch {
    first: u32,
    last: u32,
    // Where the last tile ends.
    end: u32,
    // How many of them, from its own walk's first on, are this lane's: none where it waits.
    own: u32,
    joins: bool,
}

// The lane whose range comes first leads. Those whose ranges begin within it, or not far behind its beginning, join; the others
// wait with theirs. Where no lane has a range left, the stretch begins at no place.
fn stretch_of(walk: Walk, waits: bool, lanes: u32) -> Stretch {
    let first = subgroupMin(select(NO_PLACE, walk.first, waits));
    let lead = subgroupMax(select(0u, walk.last - first, waits && walk.first == first));
    let joins = waits && walk.first - first <= max(lead, 4u * lanes);
    let last = subgroupMax(select(0u, walk.last, joins));
    let end = first + (last - first + lanes - 1u) / lanes * lanes;
    return Stretch(first, last, end, select(0u, walk.last - walk.first, joins), joins);
}
