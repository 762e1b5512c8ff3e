// What every shader of a picture shares: the camera, and the way from world space to the tile that is drawn.
// The Rust twin of `Frame` is in src/render/frame.rs.

struct Frame {
    // World space to view space: x right, y up, the camera looks along -z.
    view: mat4x4f,
    // Size of this tile, px.
    tile: vec2f,
    // Center of the whole picture, px from the upper left corner of this tile.
    center: vec2f,
    half_size: vec3f,
    // Pixels per unit; with perspective, at a distance of 1 u.
    focal: f32,
    background: vec3f,
    // Nearest distance that is drawn, u.
    near: f32,
    // Distance at which the depth cue begins, and over which it reaches its end, u.
    fade_start: f32,
    fade_range: f32,
    // Brightness per agent area in a pixel, for agents too small to be seen one by one.
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
}

@group(0) @binding(0) var<uniform> frame: Frame;

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

// How much of an agent's light reaches the camera: the far ones fade, so that depth can be seen.
fn light_at(depth: f32) -> f32 {
    if (frame.perspective == 0u) {
        return 1.0;
    }
    let t = clamp((depth - frame.fade_start) / frame.fade_range, 0.0, 1.0);
    return mix(1.0, 0.3, t);
}
