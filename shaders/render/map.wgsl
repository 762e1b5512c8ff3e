// A map: its walls as faces with an edge, a shade on the ground beside them, and hatches where the ground is slow. In space, where walls
// are columns along z, their plan on the far side of the world.

struct Plan {
    // Colors, as `scenery_at` takes them.
    solid: vec3f,
    columns: f32,
    edge: vec3f,
    rows: f32,
    // Extent of a cell, u.
    cell: f32,
    // 1 where there are walls.
    walled: f32,
}

@group(0) @binding(1) var wall_texels: texture_2d<u32>;
@group(0) @binding(2) var<uniform> plan: Plan;
// The time through each cell, without the border, in sixteenths of that through light ground; a single 0 if it is the same everywhere.
@group(0) @binding(3) var costs: texture_2d<u32>;

// Half of the width of an edge, px; how dark the ground is beside a wall; and over how many cells that fades.
const HALF_EDGE = 0.75;
const SHADE = 0.3;
const SHADE_REACH = 1.5;
// How strong hatches are on the slowest ground, and how strong the ground between them; how far apart hatches are at least, px.
const HATCH = 0.5;
const SLOW = 0.1;
const HATCHES_APART = 7.0;

struct Corner {
    @builtin(position) clip: vec4f,
    // In cells from the upper left corner of the border (`common/walls.wgsl`).
    @location(0) at: vec2f,
    // Pixels to a cell.
    @location(1) scale: f32,
    @location(2) light: f32,
}

@vertex
fn draw(@builtin(vertex_index) index: u32, @builtin(instance_index) copy: u32) -> Corner {
    let share = rectangle_corner(index);
    // With the border, on which shades fall.
    let cells = vec2f(plan.columns, plan.rows) + 2.0;
    let flat = (share - 0.5) * cells * plan.cell;
    let far = select(0.0, -frame.half_size.z, has(PERSPECTIVE));
    let at = (frame.view * vec4f(vec3f(flat, far) + copy_offset(copy), 1.0)).xyz;
    let depth = depth_of(at);
    let place = vec2f(share.x, 1.0 - share.y) * cells;
    return Corner(clip_of(pixel_of(at, depth), depth), place, plan.cell * frame.focal / depth, light_at(depth));
}

// The texel of a cell; beyond the border the texel of the nearest cell.
fn texel_of(cell: vec2f) -> vec2u {
    let cells = vec2f(plan.columns, plan.rows) + 2.0;
    let inside = vec2u(clamp(cell, vec2f(0.0), cells - 1.0));
    let index = inside.y * u32(cells.x) + inside.x;
    let texel = textureLoad(wall_texels, vec2u(index % TEXELS_PER_ROW, index / TEXELS_PER_ROW), 0).x;
    return vec2u(texel, inside.x | (inside.y << COLUMN_BITS));
}

// The distance from a place to the nearest wall, in cells; inside a wall the distance to open ground, as a negative number.
fn clearance(at: vec2f) -> f32 {
    let wall = texel_of(at).x & WALL_BIT;
    var nearest = 1e9;
    for (var k = 0u; k < 4u; k += 1u) {
        let texel = texel_of(at + vec2f(f32(k & 1u), f32(k >> 1u)) - 0.5);
        let named = select(texel.y, texel.x, (texel.x & WALL_BIT) == wall);
        let middle = vec2f(vec2u(named & COLUMN_MASK, (named >> COLUMN_BITS) & COLUMN_MASK)) + 0.5;
        nearest = min(nearest, length(max(abs(at - middle) - 0.5, vec2f(0.0))));
    }
    return select(nearest, -nearest, wall != 0u);
}

// How much hatches cover of slow ground: the slower it is, the more. They lie on the plan, a power of 2 of its cells apart.
fn hatched(corner: Corner) -> f32 {
    let cell = corner.at - 1.0;
    if (any(cell < vec2f(0.0)) || any(cell >= vec2f(plan.columns, plan.rows))) {
        return 0.0;
    }
    let cost = f32(max(textureLoad(costs, vec2u(cell), 0).x, 16u)) / 16.0;
    let apart = exp2(ceil(log2(HATCHES_APART / corner.scale)));
    let off = abs(fract((cell.x + cell.y) / apart) - 0.5) * apart * corner.scale * inverseSqrt(2.0);
    return (1.0 - 1.0 / cost) * mix(SLOW, HATCH, clamp(0.5 - off + HALF_EDGE, 0.0, 1.0));
}

@fragment
fn paint(corner: Corner) -> @location(0) vec4f {
    let away = select(1e9, clearance(corner.at), plan.walled > 0.0);
    let pixels = away * corner.scale;
    let sky = sky_at(corner.clip.xy);
    let cover = clamp(0.5 - pixels + HALF_EDGE, 0.0, 1.0);
    // Edges narrower than cells are drawn whole, others fade into the face.
    let edge = clamp(HALF_EDGE + 0.5 - abs(pixels), 0.0, 1.0) * clamp(0.25 * corner.scale - 0.5, 0.0, 1.0);
    // No shade on a bright ground, whose walls are dark themselves.
    let shade = select(SHADE, 0.0, has(BRIGHT)) * exp(-max(away, 0.0) / SHADE_REACH) * (1.0 - cover);
    let edge_color = scenery_at(corner.clip.xy, plan.edge);
    let wall = mix(scenery_at(corner.clip.xy, plan.solid), edge_color, edge);
    let color = mix(sky, wall, corner.light);
    let slow = hatched(corner) * corner.light * (1.0 - cover);
    return vec4f(color * cover + edge_color * slow, cover + slow + shade * (1.0 - cover - slow));
}
