// One body for each agent, straight from the simulation's buffers: what the passes that draw them share.
//
// Agents of a few pixels and more are drawn solid (`solid.wgsl`), with a depth test: an arrow, or a body of triangles.
// Smaller ones are streaks along their heading (`cover.wgsl`), drawn at a least size, and cover only as much as their true size.
// That cover is added up, whatever the order of the agents, and `composite.wgsl` makes light or darkness of it: density shows,
// and agreement on a direction as color.

const MOST_CORNERS = 384;

@group(0) @binding(1) var<storage, read> position: array<f32>;
@group(0) @binding(2) var<storage, read> velocity: array<f32>;
@group(0) @binding(3) var<storage, read> id: array<u32>;
@group(0) @binding(4) var<uniform> palette: Palette;
// Twelve floats for each id: forward, up, and what is not drawn. Where one binding cannot hold them for all agents, the first ones of each
// agent are here and the next ones in `further_pose`.
@group(0) @binding(5) var<storage, read> pose: array<f32>;
@group(0) @binding(7) var<storage, read> further_pose: array<f32>;
@group(0) @binding(8) var<uniform> bodies: array<BodyCorner, MOST_CORNERS>;

// What colors show. Neighbors or steering: one word or one vector for each sorted index, which is the storage slot after a step. Density:
// the first sorted index of each cell. An error or a distance: one float for each id. State or winner: the words of each id's memory, of
// which the state is the first.
@group(0) @binding(6) var<storage, read> shown_values: array<u32>;

const FROZEN = 0x80000000u;
const TURN = 6.283185307;
// Place in the range of colors, from 0 to 1, of the least error and the least distance that are not 0.
const LEAST_SHARE = 0.3;

fn load_position(i: u32) -> vec3f {
    let n = components();
    return vec3f(position[i * n], position[i * n + 1u], select(0.0, position[i * n + n - 1u], n == 3u));
}

fn load_velocity(i: u32) -> vec3f {
    let n = components();
    return vec3f(velocity[i * n], velocity[i * n + 1u], select(0.0, velocity[i * n + n - 1u], n == 3u));
}

fn pose_word(agent: u32, word: u32) -> f32 {
    // No branch: where the word is a constant, the frame alone would decide it (see `frame`).
    let here = word < frame.pose_words;
    let first = pose[agent * frame.pose_words + min(word, frame.pose_words - 1u)];
    let further = further_pose[agent * frame.further_pose_words + select(word - frame.pose_words, 0u, here)];
    return select(further, first, here);
}

// Forward is the first vector of a pose, up the second.
fn load_pose(agent: u32, vector: u32) -> vec3f {
    let first = vector * 3u;
    return vec3f(pose_word(agent, first), pose_word(agent, first + 1u), pose_word(agent, first + 2u));
}

// Where a unit vector of the world points to in the picture: shorter the more it points to the camera or away from it.
fn shown_as(axis: vec3f, at: vec3f, depth: f32) -> vec2f {
    let along = (frame.view * vec4f(axis, 0.0)).xyz;
    return along.xy + select(0.0, along.z, has(PERSPECTIVE)) * at.xy / depth;
}

fn style_of(agent: u32) -> Style {
    var row = 0u;
    for (var s = 1u; s < SPECIES; s += 1u) {
        if (agent >= palette.styles[s].first_id) {
            row = s;
        }
    }
    return palette.styles[row];
}

fn heading_color(heading: vec3f) -> vec3f {
    // In space the compass direction counts: the vertical axis is y, and z points to the viewer.
    let angle = select(atan2(heading.y, heading.x), atan2(-heading.z, heading.x), has(PERSPECTIVE));
    let place = fract(angle / TURN + 1.0) * 8.0;
    let from_color = u32(place) % 8u;
    return mix(palette.heading[from_color], palette.heading[(from_color + 1u) % 8u], fract(place)).rgb;
}

// The color of a number, given as a share of the way from its lower to its upper bound.
fn graded_color(share: f32) -> vec3f {
    let place = clamp(share, 0.0, 1.0) * 7.0;
    let from_color = min(u32(place), 6u);
    return mix(palette.speed[from_color], palette.speed[from_color + 1u], place - f32(from_color)).rgb;
}

fn load_acceleration(i: u32) -> vec3f {
    let n = components();
    let x = bitcast<f32>(shown_values[i * n]);
    let y = bitcast<f32>(shown_values[i * n + 1u]);
    return vec3f(x, y, select(0.0, bitcast<f32>(shown_values[i * n + n - 1u]), n == 3u));
}

// Agents per area or volume around a place, as the step began. Counted are the cells that are no farther along x than a row is high, and
// in adjacent rows the share of the row that is nearer than the height of a row.
fn density_at(place: vec3f) -> f32 {
    let cells = vec3i(frame.cells);
    let along = (place + frame.half_size) * frame.cells_per_unit;
    let inside = clamp(along, vec3f(0.0), vec3f(cells) - 0.001);
    let at = select(inside, along - floor(along / vec3f(cells)) * vec3f(cells), frame.folded != vec3u(0u));
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
            agents += share * f32(shown_values[row + u32(last) + 1u] - shown_values[row + u32(first)]);
            rows += share;
        }
    }
    let per_unit = frame.cells_per_unit;
    let per_cell = per_unit.x * per_unit.y * select(1.0, per_unit.z, has(PERSPECTIVE));
    return agents * per_cell / (rows * f32(last - first + 1));
}

fn row_share(offset: i32, part: f32) -> f32 {
    return select(select(1.0, part, offset == 1), 1.0 - part, offset == -1);
}

// The place in the range of colors, from 0 to 1, of the quantity that the look shows.
fn measured_share(seen: Seen, style: Style) -> f32 {
    if (measured() == DEPTH) {
        return 1.0 - (seen.depth - frame.fade_start) / frame.fade_range;
    }
    if (frame.stepped == 0u) {
        return 0.0;
    }
    if (measured() == NEIGHBORS) {
        return log2(1.0 + f32(shown_values[seen.slot])) / log2(1.0 + frame.many_neighbors);
    }
    if (measured() == DENSITY) {
        return (log2(max(density_at(seen.own_place), 1e-30)) - frame.scale_from) / frame.scale_range;
    }
    if (measured() == ERROR || measured() == DIVERGENCE) {
        // One bit of a float is an error of 2^-23 or less. Whatever differs stands out from what does not.
        let value = bitcast<f32>(shown_values[seen.agent]);
        return select(0.0, max((log2(value) - frame.scale_from) / frame.scale_range, LEAST_SHARE), value > 0.0);
    }
    return length(load_acceleration(seen.slot)) / max(style.max_acceleration, 1e-30);
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
        return category_color(shown_values[agent * frame.memory_words]);
    }
    if (style.mode == 4u) {
        return category_color(shown_values[agent * frame.memory_words + frame.memory_winner] - 1u);
    }
    return style.fixed_color;
}

// An agent as a picture sees it.
struct Seen {
    // Storage slot, and id.
    slot: u32,
    agent: u32,
    // Its place in the world, in this copy of the world, and in view space.
    own_place: vec3f,
    place: vec3f,
    at: vec3f,
    depth: f32,
    // On the tile, px.
    pixel: vec2f,
    // Half the length of the body, u and px.
    half_length: f32,
    radius: f32,
    // Is it in the picture, and is it large enough to be drawn solid?
    shown: bool,
    solid: bool,
}

// Bodies in a picture: all agents of one copy of the world, then of the next.
fn body_count() -> u32 {
    return frame.agents * frame.copies.x * frame.copies.y;
}

// The list of agents that are drawn solid has the arguments of the indirect draw (vertices, instances, and two zeros), the count of each
// block of bodies, and then the bodies.
const BLOCK = 256u;
const COUNTS = 4u;

fn block_count() -> u32 {
    return (body_count() + BLOCK - 1u) / BLOCK;
}

fn first_listed() -> u32 {
    return COUNTS + block_count();
}

fn see(body: u32) -> Seen {
    var seen: Seen;
    seen.slot = body % frame.agents;
    seen.agent = id[seen.slot];
    seen.own_place = load_position(seen.slot);
    seen.place = seen.own_place + copy_offset(body / frame.agents);
    seen.at = (frame.view * vec4f(seen.place, 1.0)).xyz;
    seen.depth = depth_of(seen.at);
    if ((seen.agent & FROZEN) != 0u || seen.depth < frame.near) {
        return seen;
    }
    let style = style_of(seen.agent);
    seen.half_length =
        body_radius(style.radius, style.radius_spread, style.normal == 1u, frame.seed, seen.agent) * frame.magnified;
    seen.radius = seen.half_length * frame.focal / seen.depth;
    seen.pixel = pixel_of(seen.at, seen.depth);
    seen.solid = seen.radius >= frame.solid_from;
    // No part of a body, nor of a streak, is further from its middle.
    let margin = 2.0 * max(seen.radius, frame.smallest) + 1.0;
    seen.shown = all(seen.pixel > vec2f(-margin)) && all(seen.pixel < frame.tile + margin);
    return seen;
}

fn facing_of(seen: Seen, v: vec3f, style: Style) -> vec3f {
    if (has(POSED) && style.posed == 1u) {
        return load_pose(seen.agent, 0u);
    }
    return select(vec3f(1.0, 0.0, 0.0), v * inverseSqrt(dot(v, v)), dot(v, v) > 0.0);
}

fn shown_color(seen: Seen, v: vec3f, facing: vec3f, style: Style) -> vec3f {
    if (measured() != 0u) {
        return graded_color(measured_share(seen, style));
    }
    return color_of(seen.agent, v, facing, style);
}

// An arrow in the picture: the vectors ahead and to the side, in units of half its length.
struct Drawn {
    ahead: vec2f,
    side: vec2f,
}

fn drawn_as(seen: Seen, facing: vec3f, style: Style) -> Drawn {
    // An arrow that points toward the camera is drawn shorter, down to half its length.
    let ahead = shown_as(facing, seen.at, seen.depth);
    let long = length(ahead);
    let direction = select(vec2f(1.0, 0.0), vec2f(ahead.x, -ahead.y) / long, long > 1e-6);
    var side = vec2f(-direction.y, direction.x);
    if (has(POSED) && style.posed == 1u && has(PERSPECTIVE)) {
        // The triangle rolls with the agent. Seen from the edge it keeps a third of its width.
        let across = shown_as(cross(facing, load_pose(seen.agent, 1u)), seen.at, seen.depth);
        let width = length(across);
        side = select(side / 3.0, vec2f(across.x, -across.y) * clamp(width, 0.33, 1.0) / width, width > 1e-6);
    }
    return Drawn(direction * clamp(long, 0.5, 1.0), side);
}
