// The ground: green where a resource is left, lighter where explorers have been, and the trail like embers. In a planar world it lies
// under everything; in space each cell that holds something is a soft spot that hides nothing.

struct GroundCell {
    visits: u32,
    stock: u32,
    capacity: u32,
    claim: u32,
    trail: u32,
}

struct Grid {
    cells: vec3u,
    // 1 where visits are shown.
    shows_visits: u32,
    // 1 where the resource is shown.
    shows_resource: u32,
    // Units of the trail with which a cell looks half as bright as it can; 0 where there is no trail.
    trail_unit: f32,
}

@group(0) @binding(1) var<storage, read> ground: array<GroundCell>;
@group(0) @binding(2) var<uniform> grid: Grid;

// Pairs: the light that is added to a dark ground, and the share of its own light that a bright ground loses. So the ground can be
// read wherever in the sky it lies.
const RESOURCE = array<vec3f, 2>(vec3f(0.0, 0.17, 0.09), vec3f(-0.6, -0.18, -0.55));
const VISITED = array<vec3f, 2>(vec3f(0.035, 0.055, 0.10), vec3f(-0.5, -0.42, -0.2));
// A faint trail, and what a strong trail adds.
const TRAIL = array<vec3f, 2>(vec3f(0.16, 0.045, 0.10), vec3f(-0.38, -0.55, -0.36));
const EMBERS = array<vec3f, 2>(vec3f(0.95, 0.52, 0.12), vec3f(-0.1, -0.28, -0.6));
// Visits at which a cell is brightest, as a power of 2.
const MANY = 10.0;

// The ground at a pixel with what is on it, each from 0 to 1.
fn ground_at(pixel: vec2f, visited: f32, left: f32, glow: f32, embers: f32) -> vec3f {
    let kind = u32(has(BRIGHT));
    let light = VISITED[kind] * visited + RESOURCE[kind] * left + TRAIL[kind] * glow + EMBERS[kind] * embers;
    let bare = sky_at(pixel);
    return max(bare + light * select(vec3f(1.0), bare, has(BRIGHT)), vec3f(0.0));
}

// How much explorers have been in a cell, from 0 to 1; even a single visit can be seen.
fn visited_of(index: u32) -> f32 {
    let visits = f32(grid.shows_visits * ground[index].visits);
    return select(0.0, clamp(log2(1.0 + visits) / MANY, 0.25, 1.0), visits > 0.0);
}

struct Corner {
    @builtin(position) clip: vec4f,
    // In a planar world, cells from the lower left corner; in space, radii from the middle of the spot.
    @location(0) at: vec2f,
    // Color of a spot, and how much it covers in the middle.
    @location(1) @interpolate(flat) spot: vec4f,
}

// Two triangles: a copy of a planar world, or a cell of a spatial one.
@vertex
fn draw(@builtin(vertex_index) index: u32, @builtin(instance_index) copy: u32) -> Corner {
    let share = rectangle_corner(index);
    if (has(PERSPECTIVE)) {
        return spot_corner(2.0 * share - 1.0, copy);
    }
    let point = vec3f((2.0 * share - 1.0) * frame.half_size.xy, 0.0) + copy_offset(copy);
    let at = (frame.view * vec4f(point, 1.0)).xyz;
    let depth = depth_of(at);
    return Corner(clip_of(pixel_of(at, depth), depth), share * vec2f(grid.cells.xy), vec4f());
}

// Radius of a spot in halves of a cell; how much the brightest spot covers of what is behind it; and how many times as strong its
// light is.
const SPOT = 1.6;
const COVER = 0.35;
const STRONG = 3.0;

fn spot_corner(corner: vec2f, index: u32) -> Corner {
    let nothing = Corner(vec4f(2.0, 2.0, 0.0, 1.0), vec2f(), vec4f());
    let cells = grid.cells;
    let cell = vec3u(index % cells.x, index / cells.x % cells.y, index / (cells.x * cells.y));
    let size = 2.0 * frame.half_size / vec3f(cells);
    let at = (frame.view * vec4f((vec3f(cell) + 0.5) * size - frame.half_size, 1.0)).xyz;
    let depth = depth_of(at);
    let held = held_in(index);
    let visited = visited_of(index);
    let cover = COVER * max(visited, max(held.x, held.y)) * light_at(depth);
    if (depth < frame.near || cover < 0.004) {
        return nothing;
    }
    let radius = 0.5 * SPOT * max(size.x, max(size.y, size.z)) * frame.focal / depth;
    let pixel = pixel_of(at, depth) + corner * radius;
    // Spots are faint, so their light is strong.
    let lit = ground_at(pixel, STRONG * visited, STRONG * held.x, held.y, held.y * held.y);
    return Corner(clip_of(pixel, depth), corner, vec4f(lit, cover));
}

// The index of a cell; beyond the edges, that of the nearest cell inside.
fn index_of(cell: vec2i) -> u32 {
    let inside = vec2u(clamp(cell, vec2i(0), vec2i(grid.cells.xy) - 1));
    return inside.y * grid.cells.x + inside.x;
}

// The share of a cell's resource that is left, and how bright its trail is, both from 0 to 1.
fn held_in(index: u32) -> vec2f {
    var held = vec2f();
    if (grid.shows_resource == 1u) {
        held.x = f32(ground[index].stock) / f32(max(ground[index].capacity, 1u));
    }
    if (grid.trail_unit > 0.0) {
        held.y = f32(ground[index].trail) / (f32(ground[index].trail) + grid.trail_unit);
    }
    return held;
}

fn held_by(cell: vec2i) -> vec2f {
    return held_in(index_of(cell));
}

// As `held_in`, interpolated between the middles of cells, so that it is smooth, and a patch of a resource is round and not made of
// squares.
fn held_at(at: vec2f) -> vec2f {
    let corner = vec2i(floor(at - 0.5));
    let part = fract(at - 0.5);
    let lower = mix(held_by(corner), held_by(corner + vec2i(1, 0)), part.x);
    let upper = mix(held_by(corner + vec2i(0, 1)), held_by(corner + vec2i(1, 1)), part.x);
    let near = mix(lower, upper, part.y);
    let left = smoothstep(0.25, 0.75, near.x);
    // Where a cell has many pixels its edges can be seen all the same: there a quadratic spline rounds those of a trail.
    let smoothed = smoothstep(4.0, 12.0, frame.focal * 2.0 * frame.half_size.x / f32(grid.cells.x));
    if (smoothed == 0.0 || grid.trail_unit == 0.0) {
        return vec2f(left, near.y);
    }
    let middle = vec2i(floor(at));
    let from_middle = fract(at) - 0.5;
    var wide = 0.0;
    for (var y = -1; y <= 1; y++) {
        for (var x = -1; x <= 1; x++) {
            wide += spline(from_middle.x, x) * spline(from_middle.y, y) * held_by(middle + vec2i(x, y)).y;
        }
    }
    return vec2f(left, mix(near.y, wide, smoothed));
}

// The weight of the cell that is `step` cells away, at a place given in cells from the middle of its own cell.
fn spline(at: f32, step: i32) -> f32 {
    let away = 0.5 + f32(step) * at;
    return select(0.5 * away * away, 0.75 - at * at, step == 0);
}

@fragment
fn paint(corner: Corner) -> @location(0) vec4f {
    if (has(PERSPECTIVE)) {
        let edge = max(1.0 - dot(corner.at, corner.at), 0.0);
        return corner.spot.a * edge * edge * vec4f(corner.spot.rgb, 1.0);
    }
    let visited = visited_of(index_of(vec2i(corner.at)));
    let held = held_at(corner.at);
    return vec4f(ground_at(corner.clip.xy, visited, held.x, held.y, held.y * held.y * held.y), 1.0);
}
