// The ground of a planar world: green where a resource is left, lighter where explorers have been.

struct GroundCell {
    visits: u32,
    stock: u32,
    capacity: u32,
    claim: u32,
}

struct Grid {
    cells: vec2u,
    // 1 where visits are shown.
    shows_visits: u32,
}

@group(0) @binding(1) var<storage, read> ground: array<GroundCell>;
@group(0) @binding(2) var<uniform> grid: Grid;

// Amounts of light: added to a dark ground, taken from a bright one.
const RESOURCE = array<vec3f, 2>(vec3f(0.0, 0.17, 0.09), vec3f(-0.5, -0.15, -0.45));
const VISITED = array<vec3f, 2>(vec3f(0.035, 0.055, 0.10), vec3f(-0.3, -0.25, -0.1));
const BRIGHT = 0.2;
// Visits at which a cell is brightest, as a power of 2.
const MANY = 10.0;

struct Corner {
    @builtin(position) clip: vec4f,
    // Cells from the lower left corner.
    @location(0) at: vec2f,
}

@vertex
fn draw(@builtin(vertex_index) index: u32, @builtin(instance_index) copy: u32) -> Corner {
    let share = vec2f(f32(index == 1u || index == 2u || index == 4u), f32(index == 2u || index == 4u || index == 5u));
    let point = vec3f((2.0 * share - 1.0) * frame.half_size.xy, 0.0) + copy_offset(copy);
    let at = (frame.view * vec4f(point, 1.0)).xyz;
    let depth = depth_of(at);
    return Corner(clip_of(pixel_of(at, depth), depth), share * vec2f(grid.cells));
}

// The share of a cell's resource that is left; beyond the edges as at them.
fn share_of(cell: vec2i) -> f32 {
    let inside = vec2u(clamp(cell, vec2i(0), vec2i(grid.cells) - 1));
    let here = ground[inside.y * grid.cells.x + inside.x];
    return f32(here.stock) / f32(max(here.capacity, 1u));
}

// The same between the middles of cells, so that a patch is round and not made of squares.
fn left_at(at: vec2f) -> f32 {
    let corner = vec2i(floor(at - 0.5));
    let part = fract(at - 0.5);
    let lower = mix(share_of(corner), share_of(corner + vec2i(1, 0)), part.x);
    let upper = mix(share_of(corner + vec2i(0, 1)), share_of(corner + vec2i(1, 1)), part.x);
    return smoothstep(0.25, 0.75, mix(lower, upper, part.y));
}

@fragment
fn paint(corner: Corner) -> @location(0) vec4f {
    let cell = min(vec2u(corner.at), grid.cells - 1u);
    let here = ground[cell.y * grid.cells.x + cell.x];
    var color = sky_at(corner.clip.xy);
    let bright = u32(color.g > BRIGHT);
    if (grid.shows_visits == 1u && here.visits > 0u) {
        color += VISITED[bright] * clamp(log2(1.0 + f32(here.visits)) / MANY, 0.25, 1.0);
    }
    color += RESOURCE[bright] * left_at(corner.at);
    return vec4f(max(color, vec3f(0.0)), 1.0);
}
