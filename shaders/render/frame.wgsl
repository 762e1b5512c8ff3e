// What every shader of a picture shares: the camera, the sky, and the way from world space to the tile that is drawn. The build script
// makes the Rust structs from these.

// The parameter block of a picture, which all of its shaders share.
struct Frame {
    // World space to view space: x right, y up, the camera looks along -z.
    view: mat4x4f,
    // The sky from top to bottom: square roots of amounts of light, which mix about as the eye sees it, and in w the place, as a share
    // of the picture's height.
    sky: array<vec4f, 5>,
    // Light of the land at the sky's lower end, where there is one; in w how much of it shows.
    land: vec4f,
    // Color of the ink, as square roots of amounts of light.
    ink: vec4f,
    // Size of this tile, px.
    tile: vec2f,
    // Center of the whole picture, px from the upper left corner of this tile.
    center: vec2f,
    // Half the extent of the world along each axis, u.
    half_size: vec3f,
    // Pixels per unit; with perspective, at a distance of 1 u.
    focal: f32,
    // Color of the world's edges, as `scenery_at` takes it, and how much of it shows.
    edge: vec4f,
    // Number of copies of a wrapped plane, columns and rows.
    copies: vec2u,
    // Offset of the first copy, in worlds.
    first_copy: vec2i,
    // Size of the whole picture, px.
    picture: vec2f,
    // Nearest distance that is drawn, u.
    near: f32,
    // Rotation about the vertical axis, rad.
    yaw: f32,
    // Distance at which the depth cue begins, u.
    fade_start: f32,
    // Distance over which the depth cue reaches its end, u.
    fade_range: f32,
    // Cover per agent area in a pixel, for agents too small to be seen one by one.
    exposure: f32,
    // The least half length with which an agent is drawn, px.
    smallest: f32,
    // 1 after the first step: the buffers that a step fills are filled.
    stepped: u32,
    // Words of an agent's memory that lie together.
    memory_words: u32,
    // Number of agents.
    agents: u32,
    // Time of the simulation, s.
    time: f32,
    // What is left of an agent's light at the far end of the depth cue.
    faded: f32,
    // Factor by which agents are drawn larger than they are, where they are few.
    magnified: f32,
    // Half the length below which an agent is not drawn solid, px.
    solid_from: f32,
    // Seed of the scene, for the radii of bodies.
    seed: u32,
    // Cells of the grid along each axis.
    cells: vec3u,
    // Logarithm to base 2 of the density, the error or the distance at the lower end of the colors.
    scale_from: f32,
    // Cells per length along each axis, 1/u.
    cells_per_unit: vec3f,
    // How much larger that logarithm is at the upper end of the colors.
    scale_range: f32,
    // Not 0 along a folded axis of the grid, along which cells that are a table's length apart share an entry.
    folded: vec3u,
    // Which word of an agent's memory is the winner of priorities.
    memory_winner: u32,
    // Color of all agents, where they have the same one.
    only_color: vec3f,
    // The number that stands for a pixel's whole area as cover.
    cover_unit: f32,
    // Words of a pose that lie in `pose`.
    pose_words: u32,
    // Words of a pose that lie in `further_pose`.
    further_pose_words: u32,
    // Neighbors at the upper end of their colors.
    many_neighbors: f32,
    // Corners of the body that has most.
    most_corners: u32,
}

// How the agents of one species look.
struct Style {
    // Ids first_id and up, to the next species' first_id, are of this species.
    first_id: u32,
    // Half the length of the triangle, u.
    radius: f32,
    // 0 by heading, 1 by speed, 2 fixed, 3 by action state, 4 by the priority that decided. A measured quantity takes precedence.
    mode: u32,
    // Speed at the lower end of the colors of speeds, u/s.
    min_speed: f32,
    // Color in mode 2, as amounts of light.
    fixed_color: vec3f,
    // Speed at the upper end of the colors of speeds, u/s.
    max_speed: f32,
    // 1 where the agent remembers which way it faces.
    posed: u32,
    // Index in `bodies` of its body's first corner.
    first_corner: u32,
    // How far the agents differ in size, u.
    radius_spread: f32,
    // 1 where `radius_spread` is a standard deviation, 0 where it is the largest difference.
    normal: u32,
    // The largest acceleration, u/s².
    max_acceleration: f32,
    // Number of corners of its body; 0 for an arrow.
    corners: u32,
}

// A corner of a body.
struct BodyCorner {
    // Ahead, to the right and up, in half lengths.
    at: vec3f,
    // A factor of the agent's color.
    shade: f32,
    // How far it is turned about the line ahead at the top of a beat, rad: for wings.
    roll: f32,
    // How far it goes to the side at the top of a beat, in half lengths: for tails.
    sway: f32,
}

// The color maps, and how the agents of each species look.
struct Palette {
    // Colors of headings. They are a cycle: the last color is followed by the first.
    heading: array<vec4f, 8>,
    // Colors of speeds, from the slowest to the fastest.
    speed: array<vec4f, 8>,
    // Colors of species, states and priorities.
    category: array<vec4f, 8>,
    // The style of each species.
    styles: array<Style, 32>,
}

// What pictures of the scene have: a sum of the flags below; in bits 8 to 11 what colors show of every agent; above these the pattern
// of the ground. This and the number of species are known when the pipelines are made, so that what a scene does not have costs
// nothing: llvmpipe runs both sides of a branch.
override VARIANT: u32;
override SPECIES: u32;

// The world is spatial, and its vectors have three components. Without it, two.
const PERSPECTIVE = 1u;
// The target stores what is written as it is, so that the sRGB curve has to be applied here.
const ENCODES = 2u;
// The sky changes from top to bottom. Such a picture is dithered, or it would show bands.
const GRADED = 4u;
const LAND = 8u;
const ONE_COLOR = 16u;
// Some agents remember which way they face.
const POSED = 32u;
// Agents are darker than the sky.
const BRIGHT = 64u;

const NEIGHBORS = 1u;
const DENSITY = 2u;
const STEERING = 3u;
const DEPTH = 4u;
const ERROR = 5u;
const DIVERGENCE = 6u;

// llvmpipe compiles a shader anew for each value in a uniform buffer that decides a branch or the length of a loop by itself. So
// nothing that changes from picture to picture decides one.
@group(0) @binding(0) var<uniform> frame: Frame;

fn has(flag: u32) -> bool {
    return (VARIANT & flag) != 0u;
}

// What colors show of every agent, one of the numbers above; 0 where they follow the style of the species.
fn measured() -> u32 {
    return (VARIANT >> 8u) & 15u;
}

// Floats in a stored vector.
fn components() -> u32 {
    return select(2u, 3u, has(PERSPECTIVE));
}

// The distance along the view direction by which places are divided, u; 1 without perspective.
fn depth_of(at: vec3f) -> f32 {
    return select(1.0, -at.z, has(PERSPECTIVE));
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

// As `pixel_of`, times the depth. The corners of a face or an edge need this, because it may pass behind the camera, where it is clipped.
fn scaled_pixel_of(at: vec3f, depth: f32) -> vec2f {
    return vec2f(at.x, -at.y) * frame.focal + frame.center * depth;
}

// As `clip_of`, of what `scaled_pixel_of` gives.
fn clip_of_scaled(pixel: vec2f, depth: f32) -> vec4f {
    let device = vec2f(2.0, -2.0) * pixel / frame.tile + vec2f(-1.0, 1.0) * depth;
    return vec4f(device, frame.near, depth);
}

// A corner of a rectangle that two triangles make, as shares of its sides.
fn rectangle_corner(index: u32) -> vec2f {
    return vec2f(f32(index == 1u || index == 2u || index == 4u), f32(index == 2u || index == 4u || index == 5u));
}

// How much of an agent's light reaches the camera: the far ones fade into the sky behind them, so that depth can be seen.
fn light_at(depth: f32) -> f32 {
    if (!has(PERSPECTIVE)) {
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

// Patterns of the ground of a planar world.
const GRASS = 1u;
const WATER = 2u;
const SAND = 3u;
const TILES = 4u;

// A number from 0 to 1 for each place of whole numbers.
fn noise(at: vec2u) -> f32 {
    var h = at.x * 0x9E3779B1u ^ at.y * 0x85EBCA77u;
    h = (h ^ (h >> 15u)) * 0x2C1B3C6Du;
    h ^= h >> 13u;
    return f32(h >> 8u) / 16777216.0;
}

// A number from 0 to 1 for each node of a grid.
fn grain(node: vec2f) -> f32 {
    return noise(vec2u(vec2i(node)));
}

// As `grain`, but smooth between the nodes.
fn clouds(at: vec2f) -> f32 {
    let node = floor(at);
    let part = smoothstep(vec2f(0.0), vec2f(1.0), at - node);
    let lower = mix(grain(node), grain(node + vec2f(1.0, 0.0)), part.x);
    let upper = mix(grain(node + vec2f(0.0, 1.0)), grain(node + vec2f(1.0, 1.0)), part.x);
    return mix(lower, upper, part.y);
}

// The light of the patterned ground at a point of the tile: a factor on the sky's light, which is bright or dark by the look.
fn pattern_over(sky: vec3f, pixel: vec2f) -> vec3f {
    let pattern = VARIANT >> 12u;
    // In fiftieths of the world's height.
    let from_middle = (pixel - frame.center) * vec2f(1.0, -1.0) / frame.focal - frame.view[3].xy;
    let at = from_middle * (25.0 / frame.half_size.y);
    let wide = clouds(at * 0.22 + 7.0) + 0.5 * clouds(at * 0.6);
    var tint = vec3f(1.0);
    var shade = 0.0;
    if (pattern == GRASS) {
        tint = vec3f(0.75, 1.35, 0.6);
        shade = 0.5 * wide + 0.45 * clouds(at * vec2f(3.1, 1.7)) + 0.35 * clouds(at * vec2f(9.0, 4.0) + wide);
    } else if (pattern == WATER) {
        tint = vec3f(0.6, 1.05, 1.4);
        let bent = at + 1.6 * vec2f(clouds(at * 0.5), clouds(at * 0.5 + 31.0));
        let waves = abs(clouds(bent * 0.9) - clouds(bent * 0.9 + 17.0));
        shade = 0.55 * wide + 0.8 * smoothstep(0.14, 0.0, waves);
    } else if (pattern == SAND) {
        tint = vec3f(1.35, 1.1, 0.75);
        let ripples = sin(at.y * 2.2 + 5.0 * clouds(at * 0.25) + 0.4 * at.x);
        shade = 0.45 * wide + 0.2 * ripples + 0.45 * grain(floor(at * 9.0));
    } else {
        let joint = abs(fract(at * 0.4) - 0.5);
        shade = 0.5 + 0.5 * grain(floor(at * 0.4)) + 0.15 * wide;
        shade *= 1.0 - 0.75 * smoothstep(0.43, 0.47, max(joint.x, joint.y));
    }
    // A dark ground has room to become brighter, and a bright one to become darker.
    let dark = sky * tint * (0.7 + 1.6 * shade) + 0.008 * tint * tint * shade;
    return select(dark, sky * mix(vec3f(1.0), tint / 1.4, 0.55) * (0.78 + 0.2 * shade), has(BRIGHT));
}

// The sky at a point of the tile without pattern and land, as roots of amounts of light.
fn bare_sky(pixel: vec2f) -> vec3f {
    let place = clamp((pixel.y - frame.center.y) / frame.picture.y + 0.5, 0.0, 1.0);
    var root = frame.sky[0].rgb;
    if (has(GRADED)) {
        for (var k = 1u; k < 5u; k += 1u) {
            let from_place = frame.sky[k - 1u].w;
            let span = max(frame.sky[k].w - from_place, 1e-6);
            root = mix(root, frame.sky[k].rgb, clamp((place - from_place) / span, 0.0, 1.0));
        }
    }
    return root;
}

// Scenery at a point of the tile, as amounts of light. In the look `night` it has its own color. In other looks the color says how far
// it is from the sky to the ink. In a plane that is the sky at the same pixel: one color for all places would vanish where a graded sky
// is as bright, and so would faint grays. In space, where faces are shaded, solid things have one color everywhere.
fn scenery_at(pixel: vec2f, color: vec3f) -> vec3f {
    if (!has(GRADED | BRIGHT)) {
        return color;
    }
    let flat = mix(bare_sky(pixel), frame.ink.rgb, 0.7 * sqrt(color));
    let root = select(flat, mix(frame.sky[2].rgb, frame.ink.rgb, color), has(PERSPECTIVE));
    return root * root;
}

// The sky at a point of the tile, as amounts of light.
fn sky_at(pixel: vec2f) -> vec3f {
    let root = bare_sky(pixel);
    if (VARIANT >> 12u != 0u) {
        return pattern_over(root * root, pixel);
    }
    if (!has(LAND)) {
        return root * root;
    }
    let at = pixel - frame.center + 0.5 * frame.picture;
    let below = at.y - (1.0 - land_at(at.x)) * frame.picture.y;
    return mix(root * root, frame.land.rgb, frame.land.w * clamp(below + 0.5, 0.0, 1.0));
}
