// Loads of candidates that the lanes of a subgroup share.
//
// A software driver loads for each lane separately, which costs more than what is then computed of a candidate. The
// agents of a subgroup are close together, and so are the ranges of their walks: each lane loads one candidate of a
// tile, and the others get it by a shuffle. Each lane adds only the candidates of its own ranges, in the order of its
// own walk, so its sums have the same bits as without sharing, and the reference needs nothing of it.

// One candidate that a lane loaded.
struct Tile {
    position: vec3f,
    velocity: vec3f,
    id: u32,
}

fn tile_load(sorted_index: u32) -> Tile {
    return Tile(load(sorted_position[sorted_index]), load(sorted_velocity[sorted_index]), sorted_id[sorted_index]);
}

// The candidate that another lane loaded.
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

// More than any sorted index.
const NO_INDEX = 0xffffffffu;

// A range of candidates that some lanes go through together: the sorted indices first to last - 1.
struct Stretch {
    first: u32,
    last: u32,
    // Where the last tile ends.
    end: u32,
    // How many of them, from the first of its own walk on, are in this lane's range: none where it waits.
    own: u32,
    joins: bool,
}

// The lane whose range has the least first index leads. Lanes whose ranges begin within it, or within four tiles of its
// beginning, join; the others wait. Where no lane has a range left, `first` is NO_INDEX.
fn stretch_of(walk: Walk, waits: bool, lanes: u32) -> Stretch {
    let first = subgroupMin(select(NO_INDEX, walk.first, waits));
    let lead = subgroupMax(select(0u, walk.last - first, waits && walk.first == first));
    let joins = waits && walk.first - first <= max(lead, 4u * lanes);
    let last = subgroupMax(select(0u, walk.last, joins));
    let end = first + (last - first + lanes - 1u) / lanes * lanes;
    return Stretch(first, last, end, select(0u, walk.last - walk.first, joins), joins);
}
