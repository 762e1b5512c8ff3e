// The cover of the agents that are too small to be drawn one by one, added up for each pixel in whole numbers, so that their order
// does not matter. It is a compute pass, because triangles of a pixel or two leave most of the rasterizer idle (Schütz, Kerbl and
// Wimmer, "Rendering Point Clouds with Compute Shaders and Vertex Order Optimization", 2021).
//
// A streak is a few soft dots along the heading: the front and the tail of an arrow, or its tip, its middle and the halves of its
// tail. A dot is shared out among the four pixels around it by how near they are.

// One word for each pixel of the tile where all agents have one color, and otherwise four: the light in three colors, and the cover.
@group(1) @binding(0) var<storage, read_write> cover: array<atomic<u32>>;
@group(1) @binding(1) var depth_layer: texture_depth_multisampled_2d;

// The dots of a streak: ahead and to the side, in half lengths, and the share of the cover. The first two are for bodies whose half
// length is less than a pixel, the other four for larger ones.
const DOTS = array<vec3f, 6>(
    vec3f(0.444, 0.0, 0.4444),
    vec3f(-0.355, 0.0, 0.5556),
    vec3f(0.889, 0.0, 0.1111),
    vec3f(0.296, 0.0, 0.3333),
    vec3f(-0.355, -0.21, 0.2778),
    vec3f(-0.355, 0.21, 0.2778),
);

var<private> chance: u32;

// Add a number that need not be whole: rounded by chance, always the same for an agent, so that sums of many small ones are right.
fn add(word: u32, amount: f32) {
    chance = chance * 1664525u + 1013904223u;
    let whole = u32(amount + f32(chance >> 8u) / 16777216.0);
    if (whole > 0u) {
        atomicAdd(&cover[word], whole);
    }
}

fn add_pixel(pixel: vec2i, color: vec3f, amount: f32) {
    let at = vec2u(pixel);
    // A number below 0 has become a large one.
    if (any(at >= vec2u(frame.tile))) {
        return;
    }
    let index = at.y * u32(frame.tile.x) + at.x;
    if (has(ONE_COLOR)) {
        add(index, amount);
        return;
    }
    add(4u * index, amount * color.r);
    add(4u * index + 1u, amount * color.g);
    add(4u * index + 2u, amount * color.b);
    add(4u * index + 3u, amount);
}

// Return whether nothing solid is nearer at this pixel. On a plane all agents are equally near.
fn visible(pixel: vec2f, depth: f32) -> bool {
    if (!has(PERSPECTIVE)) {
        return true;
    }
    let texel = clamp(vec2i(floor(pixel)), vec2i(0), vec2i(frame.tile) - 1);
    return frame.near / depth >= textureLoad(depth_layer, texel, 0);
}

@compute @workgroup_size(BLOCK)
fn add_up(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = (group.y * groups.x + group.x) * BLOCK + thread;
    if (index >= body_count()) {
        return;
    }
    let seen = see(index);
    if (!seen.shown || seen.solid) {
        return;
    }
    let style = style_of(seen.agent);
    let v = load_velocity(seen.slot);
    let facing = facing_of(seen, v, style);
    var color = vec3f();
    if (!has(ONE_COLOR)) {
        color = shown_color(seen, v, facing, style);
    }
    let drawn = drawn_as(seen, facing, style);
    let size = max(seen.radius, frame.smallest);
    // Area of the triangle, px²: a bird that banks shows more or less of its wings, which makes waves visible.
    let area = seen.radius * seen.radius * abs(drawn.ahead.x * drawn.side.y - drawn.ahead.y * drawn.side.x);
    let amount = area * light_at(seen.depth) * frame.cover_unit;
    chance = (seen.agent ^ (seen.agent >> 15u)) * 0x2C1B3C6Du;
    let few = seen.radius < 1.0;
    for (var k = select(2u, 0u, few); k < select(6u, 2u, few); k += 1u) {
        let soft = DOTS[k];
        let place = seen.pixel + size * (drawn.ahead * soft.x + drawn.side * soft.y);
        if (visible(place, seen.depth)) {
            let corner = floor(place - 0.5);
            let part = place - 0.5 - corner;
            let first = vec2i(corner);
            let share = amount * soft.z;
            add_pixel(first, color, share * (1.0 - part.x) * (1.0 - part.y));
            add_pixel(first + vec2i(1, 0), color, share * part.x * (1.0 - part.y));
            add_pixel(first + vec2i(0, 1), color, share * (1.0 - part.x) * part.y);
            add_pixel(first + vec2i(1, 1), color, share * part.x * part.y);
        }
    }
}
