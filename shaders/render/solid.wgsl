// Agents that are large enough to be drawn one by one, from the list that `listing.wgsl` makes.

@group(1) @binding(0) var<storage, read> listed: array<u32>;

struct Corner {
    @builtin(position) at: vec4f,
    @location(0) color: vec4f,
}

// Corners of an arrow in half lengths, ahead and to the side; their mean is the agent's position.
fn arrow_corner(index: u32) -> vec2f {
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

// A lens that stands upright, and a tail fin that swings. Its root is a little aside: of a body with a triangle that is exactly flat in
// the picture, llvmpipe draws none.
fn fish_corner(index: u32, phase: f32) -> Point {
    let swing = 0.35 * sin(phase);
    let corners = array<vec3f, 9>(
        vec3f(1.0, 0.0, 0.0),
        vec3f(0.1, 0.12, 0.36),
        vec3f(-0.75, 0.0, 0.0),
        vec3f(1.0, 0.0, 0.0),
        vec3f(0.1, 0.12, -0.36),
        vec3f(-0.75, 0.0, 0.0),
        vec3f(-0.6, 0.03, 0.0),
        vec3f(-1.15, swing, 0.34),
        vec3f(-1.15, swing, -0.34),
    );
    return Point(corners[index], select(select(0.75, 1.0, index % 3u == 0u), 0.6, index >= 6u));
}

// Up of a body that does not remember it: as level as its heading lets it be.
fn level_up(facing: vec3f) -> vec3f {
    let level = select(vec3f(0.0, 0.0, 1.0), vec3f(0.0, 1.0, 0.0), has(PERSPECTIVE));
    let up = level - facing * dot(facing, level);
    return select(vec3f(1.0, 0.0, 0.0), up * inverseSqrt(dot(up, up)), dot(up, up) > 1e-6);
}

// On a plane all are equally near, and the order of storage would show: the higher id is on top, as far as the steps of a depth
// of a half go.
fn ranked(clip: vec4f, agent: u32) -> vec4f {
    let rank = f32(min(agent, 0x7fffffu)) * 5.9604644775390625e-8;
    return select(clip + vec4f(0.0, 0.0, rank, 0.0), clip, has(PERSPECTIVE));
}

@vertex
fn draw(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Corner {
    // All corners at one point: nothing is drawn.
    let nothing = Corner(vec4f(2.0, 2.0, 0.0, 1.0), vec4f());
    let seen = see(listed[first_listed() + instance]);
    let style = style_of(seen.agent);
    let v = load_velocity(seen.slot);
    let facing = facing_of(seen, v, style);
    let color = shown_color(seen, v, facing, style);
    let light = light_at(seen.depth);
    if (style.body != ARROW) {
        var up = level_up(facing);
        if (style.posed == 1u) {
            up = load_pose(seen.agent, 1u);
        }
        let side = cross(facing, up);
        let phase = phase_of(seen.agent);
        var corner = bird_corner(vertex, phase);
        if (style.body == FISH) {
            corner = fish_corner(vertex, phase);
        }
        let offset = facing * corner.at.x + side * corner.at.y + up * corner.at.z;
        let there = (frame.view * vec4f(seen.place + offset * seen.half_length, 1.0)).xyz;
        let nearer = depth_of(there);
        if (nearer < frame.near) {
            return nothing;
        }
        let pixel = pixel_of(there, nearer);
        return Corner(ranked(clip_of(pixel, nearer), seen.agent), vec4f(mix(sky_at(pixel), color * corner.shade, light), 1.0));
    }
    if (vertex >= 3u) {
        return nothing;
    }
    let drawn = drawn_as(seen, facing, style);
    let corner = arrow_corner(vertex);
    let pixel = seen.pixel + seen.radius * (drawn.ahead * corner.x + drawn.side * corner.y);
    // Darker toward the tail, so that neighbors of one color are seen as individuals.
    let shade = select(0.55, 1.1, vertex == 0u);
    return Corner(ranked(clip_of(pixel, seen.depth), seen.agent), vec4f(mix(sky_at(pixel), color * shade, light), 1.0));
}

@fragment
fn paint(corner: Corner) -> @location(0) vec4f {
    return corner.color;
}
