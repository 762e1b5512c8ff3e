// What every shader of a picture shares: the camera, the sky, and the way from world space to the tile that is drawn.
// The Rust twin of `Frame` is in src/render/frame.rs.

struct Frame {
    // World space to view space: x right, y up, the camera looks along -z.
    view: mat4x4f,
    // The sky from top to bottom: roots of amounts of light, which are mixed about as the eye would, and in w the place,
    // as a share of the picture's height.
    sky: array<vec4f, 5>,
    // Light of the ground at the sky's lower end; in w 1 where there is one.
    land: vec4f,
    // Size of this tile, px.
    tile: vec2f,
    // Center of the whole picture, px from the upper left corner of this tile.
    center: vec2f,
    half_size: vec3f,
    // Pixels per unit; with perspective, at a distance of 1 u.
    focal: f32,
    // Color of the world's edges, and how much of it shows.
    edge: vec4f,
    // Number of copies of a wrapped plane, columns and rows; and the offset of the first, in worlds.
    copies: vec2u,
    first_copy: vec2i,
    // Size of the whole picture, px.
    picture: vec2f,
    // Nearest distance that is drawn, u.
    near: f32,
    // Rotation about the vertical axis, rad.
    yaw: f32,
    // Distance at which the depth cue begins, and over which it reaches its end, u.
    fade_start: f32,
    fade_range: f32,
    // Cover per agent area in a pixel, for agents too small to be seen one by one.
    exposure: f32,
    // 1 with perspective, 0 without.
    perspective: u32,
    // Floats in a stored vector: 2 or 3.
    components: u32,
    species_count: u32,
    // 1 where the target stores what is written as it is, so that the sRGB curve has to be applied here.
    encode: u32,
    // Half the length that an agent is drawn at least, px.
    smallest: f32,
    // Words of an agent's memory.
    memory_words: u32,
    agents: u32,
    // Time of the simulation, s.
    time: f32,
    // 1 where the picture is dithered: a sky that changes slowly would show bands.
    dither: u32,
    // What is left of an agent's light at the far end of the depth cue.
    faded: f32,
    // How much larger than true agents are drawn, where they are few.
    magnified: f32,
    // Half the length below which an agent is not drawn solid, px.
    solid_from: f32,
    // 1 after the first step: what steps leave behind is there.
    stepped: u32,
    // The grid: cells along each axis, and cells per length, 1/u.
    cells: vec3u,
    // Logarithm to base 2 of the density at the lower end of its colors, and how much larger it is at the upper end.
    density_from: f32,
    cells_per_unit: vec3f,
    density_range: f32,
    // Of the scene, for what is drawn by chance.
    seed: u32,
    // Vertices of a body that is drawn solid.
    corners: u32,
    // The number that a pixel's whole area is as cover.
    cover_unit: f32,
    // 1 where all agents have one color, which is the next member.
    one_color: u32,
    only_color: vec4f,
}

// In a storage buffer: llvmpipe compiles a shader anew for each content of a uniform buffer whose members decide a branch or the
// length of a loop, and this one is new with each picture.
@group(0) @binding(0) var<storage, read> frame: Frame;

// Distance along the view direction that divides everything, u; 1 without perspective.
fn depth_of(at: vec3f) -> f32 {
    return select(1.0, -at.z, frame.perspective == 1u);
}

// A point of view space on the tile, px.
fn pixel_of(at: vec3f, depth: f32) -> vec2f {
    return vec2f(at.x, -at.y) * (frame.focal / depth) + frame.center;
}

// A point of the tile at this depth. Depth is stored reversed: 1 is near, 0 infinitely far.
fn clip_of(pixel: vec2f, depth: f32) -> vec4f {
    let device = vec2f(2.0, -2.0) * pixel / frame.tile + vec2f(-1.0, 1.0);
    return vec4f(device * depth, frame.near, depth);
}

// How much of an agent's light reaches the camera: the far ones fade into the sky behind them, so that depth can be seen.
fn light_at(depth: f32) -> f32 {
    if (frame.perspective == 0u) {
        return 1.0;
    }
    let t = clamp((depth - frame.fade_start) / frame.fade_range, 0.0, 1.0);
    return mix(1.0, frame.faded, t);
}

// Where a copy of the world lies, u.
fn copy_offset(copy: u32) -> vec3f {
    let place = vec2i(vec2u(copy % frame.copies.x, copy / frame.copies.x)) + frame.first_copy;
    return vec3f(vec2f(place) * 2.0 * frame.half_size.xy, 0.0);
}

// Height of the land at a pixel of the picture, as a share of the picture's height. It goes around with the camera.
fn land_at(x: f32) -> f32 {
    // The picture is 35 degrees high.
    let angle = frame.yaw + (x - 0.5 * frame.picture.x) / frame.picture.y * 0.61;
    return 0.042 - 0.009 * sin(9.0 * angle) - 0.0045 * sin(31.0 * angle + 1.0) - 0.0012 * sin(97.0 * angle);
}

// The sky at a point of the tile, as amounts of light.
fn sky_at(pixel: vec2f) -> vec3f {
    let at = pixel - frame.center + 0.5 * frame.picture;
    let place = clamp(at.y / frame.picture.y, 0.0, 1.0);
    var root = frame.sky[0].rgb;
    for (var k = 1u; k < 5u; k += 1u) {
        let from_place = frame.sky[k - 1u].w;
        let span = max(frame.sky[k].w - from_place, 1e-6);
        root = mix(root, frame.sky[k].rgb, clamp((place - from_place) / span, 0.0, 1.0));
    }
    let below = at.y - (1.0 - land_at(at.x)) * frame.picture.y;
    return mix(root * root, frame.land.rgb, frame.land.w * clamp(below + 0.5, 0.0, 1.0));
}
