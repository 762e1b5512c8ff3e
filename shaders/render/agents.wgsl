// One body for each agent, straight from the simulation's buffers.
//
// Agents of a few pixels and more are drawn solid, with a depth test: an arrow, a bird whose wings beat, or a fish. Smaller
// ones are streaks along their heading, drawn at a least size, and cover only as much as their true size. That cover is
// added up, whatever the order of the agents, and `composite.wgsl` makes light or darkness of it: density shows, and
// agreement on a direction as color.

struct Style {
    // Ids first_id and up, to the next species' first_id, are of this species.
    first_id: u32,
    // Half the length of the triangle, u.
    radius: f32,
    // 0 by heading, 1 by speed, 2 fixed, 3 by action state, 4 by the priority that decided, 5 by neighbors, 6 by density,
    // 7 by steering, 8 by depth.
    mode: u32,
    min_speed: f32,
    fixed_color: vec3f,
    max_speed: f32,
    // 1 where the agent remembers which way it faces.
    posed: u32,
    // One of the numbers below.
    body: u32,
    // How far the agents differ in size, u.
    radius_spread: f32,
    // 1 where that is a standard deviation, 0 where it is the most.
    normal: u32,
    // The largest acceleration, u/s².
    max_acceleration: f32,
}

const ARROW = 0u;
const BIRD = 1u;
const FISH = 2u;

struct Palette {
    // A cycle: the last color is followed by the first.
    heading: array<vec4f, 8>,
    speed: array<vec4f, 8>,
    category: array<vec4f, 8>,
}

@group(0) @binding(1) var<storage, read> position: array<f32>;
@group(0) @binding(2) var<storage, read> velocity: array<f32>;
@group(0) @binding(3) var<storage, read> id: array<u32>;
@group(0) @binding(4) var<storage, read> styles: array<Style>;
@group(0) @binding(5) var<uniform> palette: Palette;
// Twelve floats for each id: forward, up, and what does not show.
@group(0) @binding(6) var<storage, read> pose: array<f32>;

// Some words for each id; `Memory` of the simulation begins with the state, and its fourth is the winner.
@group(0) @binding(7) var<storage, read> memory: array<u32>;

// What colors tell, where they tell neighbors, steering or density: one word or one vector for each sorted index, which is the
// storage slot after a step; or the first sorted index of each cell.
@group(0) @binding(8) var<storage, read> measured: array<u32>;

// Which of the two this pipeline draws.
override solid: bool;

const FROZEN = 0x80000000u;
const TURN = 6.283185307;
const MEMORY_STATE = 0u;
const MEMORY_WINNER = 3u;
// Neighbors at the upper end of the colors, as a power of 2.
const MANY_NEIGHBORS = 8.0;

struct Corner {
    @builtin(position) at: vec4f,
    // Premultiplied by alpha, the light that the agent adds.
    @location(0) color: vec4f,
}

fn load_position(i: u32) -> vec3f {
    let n = frame.components;
    return vec3f(position[i * n], position[i * n + 1u], select(0.0, position[i * n + n - 1u], n == 3u));
}

fn load_velocity(i: u32) -> vec3f {
    let n = frame.components;
    return vec3f(velocity[i * n], velocity[i * n + 1u], select(0.0, velocity[i * n + n - 1u], n == 3u));
}

// Forward is the first vector of a pose, up the second.
fn load_pose(agent: u32, vector: u32) -> vec3f {
    let first = agent * 12u + vector * 3u;
    return vec3f(pose[first], pose[first + 1u], pose[first + 2u]);
}

// Where a unit vector of the world points to in the picture: shorter the more it points to the camera or away from it.
fn shown_as(axis: vec3f, at: vec3f, depth: f32) -> vec2f {
    let along = (frame.view * vec4f(axis, 0.0)).xyz;
    return along.xy + f32(frame.perspective) * along.z * at.xy / depth;
}

fn style_of(agent: u32) -> Style {
    var row = 0u;
    for (var s = 1u; s < frame.species_count; s += 1u) {
        if (agent >= styles[s].first_id) {
            row = s;
        }
    }
    return styles[row];
}

fn heading_color(heading: vec3f) -> vec3f {
    // In space the compass direction counts: the vertical axis is y, and z points to the viewer.
    let angle = select(atan2(heading.y, heading.x), atan2(-heading.z, heading.x), frame.components == 3u);
    let place = fract(angle / TURN + 1.0) * 8.0;
    let from_color = u32(place) % 8u;
    return mix(palette.heading[from_color], palette.heading[(from_color + 1u) % 8u], fract(place)).rgb;
}

// Of a number between two bounds, as a share of the way between them.
fn graded_color(share: f32) -> vec3f {
    let place = clamp(share, 0.0, 1.0) * 7.0;
    let from_color = min(u32(place), 6u);
    return mix(palette.speed[from_color], palette.speed[from_color + 1u], place - f32(from_color)).rgb;
}

fn load_acceleration(i: u32) -> vec3f {
    let n = frame.components;
    let x = bitcast<f32>(measured[i * n]);
    let y = bitcast<f32>(measured[i * n + 1u]);
    return vec3f(x, y, select(0.0, bitcast<f32>(measured[i * n + n - 1u]), n == 3u));
}

// Agents per area or volume around a place, as the step began: in cells as far along x as a row is high, and in rows next to
// its own by the share that is nearer than the height of a row.
fn density_at(place: vec3f) -> f32 {
    let cells = vec3i(frame.cells);
    let at = clamp((place + frame.half_size) * frame.cells_per_unit, vec3f(0.0), vec3f(cells) - 0.001);
    let cell = vec3i(at);
    let part = at - vec3f(cell);
    let reach = max(i32(round(frame.cells_per_unit.x / frame.cells_per_unit.y)), 1);
    let first = max(cell.x - reach, 0);
    let last = min(cell.x + reach, cells.x - 1);
    var agents = 0.0;
    var rows = 0.0;
    for (var z = max(cell.z - 1, 0); z <= min(cell.z + 1, cells.z - 1); z += 1) {
        for (var y = max(cell.y - 1, 0); y <= min(cell.y + 1, cells.y - 1); y += 1) {
            let share = row_share(y - cell.y, part.y) * row_share(z - cell.z, part.z);
            let row = u32((z * cells.y + y) * cells.x);
            agents += share * f32(measured[row + u32(last) + 1u] - measured[row + u32(first)]);
            rows += share;
        }
    }
    let per_unit = frame.cells_per_unit;
    let per_cell = per_unit.x * per_unit.y * select(1.0, per_unit.z, frame.components == 3u);
    return agents * per_cell / (rows * f32(last - first + 1));
}

fn row_share(offset: i32, part: f32) -> f32 {
    return select(select(1.0, part, offset == 1), 1.0 - part, offset == -1);
}

// The share of the way along the colors of what the look wants to be told.
fn measured_share(slot: u32, place: vec3f, depth: f32, style: Style) -> f32 {
    if (style.mode == 8u) {
        return 1.0 - (depth - frame.fade_start) / frame.fade_range;
    }
    if (frame.stepped == 0u) {
        return 0.0;
    }
    if (style.mode == 5u) {
        return log2(1.0 + f32(measured[slot])) / MANY_NEIGHBORS;
    }
    if (style.mode == 6u) {
        return (log2(max(density_at(place), 1e-30)) - frame.density_from) / frame.density_range;
    }
    return length(load_acceleration(slot)) / max(style.max_acceleration, 1e-30);
}

// A number from 64 on is no category: no priority decided alone.
fn category_color(category: u32) -> vec3f {
    return select(vec3f(0.35), palette.category[category % 8u].rgb, category < 64u);
}

// The color of an agent with this velocity that faces this way.
fn color_of(agent: u32, v: vec3f, facing: vec3f, style: Style) -> vec3f {
    if (style.mode == 0u) {
        return heading_color(facing);
    }
    if (style.mode == 1u) {
        return graded_color((length(v) - style.min_speed) / max(style.max_speed - style.min_speed, 1e-6));
    }
    if (style.mode == 3u) {
        return category_color(memory[agent * frame.memory_words + MEMORY_STATE]);
    }
    if (style.mode == 4u) {
        return category_color(memory[agent * frame.memory_words + MEMORY_WINNER] - 1u);
    }
    return style.fixed_color;
}

// Corners of the streak in half lengths, ahead and to the side; their mean is the agent's position.
fn corner_of(index: u32) -> vec2f {
    if (index == 0u) {
        return vec2f(4.0 / 3.0, 0.0);
    }
    return vec2f(-2.0 / 3.0, select(-0.5, 0.5, index == 1u));
}

// Beats of a bird's wings, and of a fish's tail, in a second; no two agents beat alike.
const BEATS = 4.5;

fn phase_of(agent: u32) -> f32 {
    let share = f32((agent * 0x9E3779B1u) >> 16u) / 65536.0;
    return TURN * fract(frame.time * BEATS * (0.85 + 0.3 * share) + 7.0 * share);
}

// A corner of a body in half lengths: ahead, to the side and up; and its shade.
struct Point {
    at: vec3f,
    shade: f32,
}

// A slim body, and two wings on it that are raised and lowered.
fn bird_corner(index: u32, phase: f32) -> Point {
    let side = select(-1.0, 1.0, index >= 6u);
    let raised = 0.25 + 0.75 * sin(phase);
    let wing = vec3f(-0.25, side * 1.25 * cos(raised), 1.25 * sin(raised));
    let corners = array<vec3f, 6>(
        vec3f(1.1, 0.0, 0.0),
        vec3f(-0.9, -0.2, 0.0),
        vec3f(-0.9, 0.2, 0.0),
        vec3f(0.55, side * 0.06, 0.0),
        vec3f(-0.35, side * 0.06, 0.0),
        wing,
    );
    return Point(corners[select(index, 3u + index % 3u, index >= 3u)], select(0.8, 1.1, index % 3u == 2u));
}

// A lens that stands upright, and a tail fin that swings.
fn fish_corner(index: u32, phase: f32) -> Point {
    let swing = 0.35 * sin(phase);
    let corners = array<vec3f, 9>(
        vec3f(1.0, 0.0, 0.0),
        vec3f(0.1, 0.12, 0.36),
        vec3f(-0.75, 0.0, 0.0),
        vec3f(1.0, 0.0, 0.0),
        vec3f(0.1, 0.12, -0.36),
        vec3f(-0.75, 0.0, 0.0),
        vec3f(-0.6, 0.0, 0.0),
        vec3f(-1.15, swing, 0.34),
        vec3f(-1.15, swing, -0.34),
    );
    return Point(corners[index], select(select(0.75, 1.0, index % 3u == 0u), 0.6, index >= 6u));
}

// Up of a body that does not remember it: as level as its heading lets it be.
fn level_up(facing: vec3f) -> vec3f {
    let level = select(vec3f(0.0, 0.0, 1.0), vec3f(0.0, 1.0, 0.0), frame.components == 3u);
    let up = level - facing * dot(facing, level);
    return select(vec3f(1.0, 0.0, 0.0), up * inverseSqrt(dot(up, up)), dot(up, up) > 1e-6);
}

@vertex
fn draw(@builtin(vertex_index) vertex: u32, @builtin(instance_index) index: u32) -> Corner {
    // Outside of the picture, all corners at one point: nothing is drawn.
    let nothing = Corner(vec4f(2.0, 2.0, 0.0, 1.0), vec4f());
    // All agents of one copy of the world, then those of the next.
    let instance = index % frame.agents;
    let agent = id[instance];
    let own_place = load_position(instance);
    let place = own_place + copy_offset(index / frame.agents);
    let at = (frame.view * vec4f(place, 1.0)).xyz;
    let depth = depth_of(at);
    if ((agent & FROZEN) != 0u || depth < frame.near) {
        return nothing;
    }
    let style = style_of(agent);
    let half_length =
        body_radius(style.radius, style.radius_spread, style.normal == 1u, frame.seed, agent) * frame.magnified;
    let radius = half_length * frame.focal / depth;
    if ((radius >= frame.solid_from) != solid) {
        return nothing;
    }

    let v = load_velocity(instance);
    let moving = dot(v, v) > 0.0;
    var facing = select(vec3f(1.0, 0.0, 0.0), v * inverseSqrt(dot(v, v)), moving);
    if (style.posed == 1u) {
        facing = load_pose(agent, 0u);
    }
    var color = color_of(agent, v, facing, style);
    if (style.mode >= 5u) {
        color = graded_color(measured_share(instance, own_place, depth, style));
    }
    let light = light_at(depth);
    if (solid && style.body != ARROW) {
        var up = level_up(facing);
        if (style.posed == 1u) {
            up = load_pose(agent, 1u);
        }
        let side = cross(facing, up);
        let phase = phase_of(agent);
        var corner = bird_corner(vertex, phase);
        if (style.body == FISH) {
            corner = fish_corner(vertex, phase);
        }
        let offset = facing * corner.at.x + side * corner.at.y + up * corner.at.z;
        let there = (frame.view * vec4f(place + offset * half_length, 1.0)).xyz;
        let nearer = depth_of(there);
        if (nearer < frame.near) {
            return nothing;
        }
        let pixel = pixel_of(there, nearer);
        return Corner(clip_of(pixel, nearer), vec4f(mix(sky_at(pixel), color * corner.shade, light), 1.0));
    }
    if (vertex >= 3u) {
        return nothing;
    }
    // What faces the camera is drawn shorter, to half its length.
    let ahead = shown_as(facing, at, depth);
    let shortened = clamp(length(ahead), 0.5, 1.0);
    let direction = select(vec2f(1.0, 0.0), vec2f(ahead.x, -ahead.y) / length(ahead), length(ahead) > 1e-6);

    let drawn = max(radius, frame.smallest);
    let corner = corner_of(vertex);
    var side = vec2f(-direction.y, direction.x);
    if (style.posed == 1u && frame.components == 3u) {
        // The triangle rolls with the agent. Seen from the edge it keeps a third of its width.
        let across = shown_as(cross(facing, load_pose(agent, 1u)), at, depth);
        let width = length(across);
        side = select(side / 3.0, vec2f(across.x, -across.y) * clamp(width, 0.33, 1.0) / width, width > 1e-6);
    }
    let offset = drawn * (direction * corner.x * shortened + side * corner.y);
    let pixel = pixel_of(at, depth) + offset;
    var shown: vec4f;
    if (solid) {
        // Darker toward the tail, so that neighbors of one color are seen as individuals.
        shown = vec4f(mix(sky_at(pixel), color * select(0.55, 1.1, vertex == 0u), light), 1.0);
    } else {
        let area = radius / drawn * radius / drawn;
        shown = vec4f(color, 1.0) * area * light;
    }
    return Corner(clip_of(pixel, depth), shown);
}

@fragment
fn paint(corner: Corner) -> @location(0) vec4f {
    return corner.color;
}
