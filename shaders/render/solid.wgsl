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

// Where a corner of a body is at this time of a beat.
fn beaten(corner: BodyCorner, agent: u32) -> vec3f {
    let beat = sin(phase_of(agent));
    let sine = sin(corner.roll * beat);
    let cosine = cos(corner.roll * beat);
    let at = corner.at;
    return vec3f(at.x, at.y * cosine - at.z * sine + corner.sway * beat, at.y * sine + at.z * cosine);
}

// The up vector of a body that does not remember one: as level as its heading allows.
fn level_up(facing: vec3f) -> vec3f {
    let level = select(vec3f(0.0, 0.0, 1.0), vec3f(0.0, 1.0, 0.0), has(PERSPECTIVE));
    let up = level - facing * dot(facing, level);
    return select(vec3f(1.0, 0.0, 0.0), up * inverseSqrt(dot(up, up)), dot(up, up) > 1e-6);
}

// On a plane all agents are equally near, and the order of storage would show. So the higher id is on top, as far as the steps
// of a depth of about one half can tell ids apart.
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
    if (vertex >= max(style.corners, 3u)) {
        return nothing;
    }
    let v = load_velocity(seen.slot);
    let facing = facing_of(seen, v, style);
    let color = shown_color(seen, v, facing, style);
    let light = light_at(seen.depth);
    if (style.corners > 0u) {
        var up = level_up(facing);
        if (style.posed == 1u) {
            up = load_pose(seen.agent, 1u);
        }
        let side = cross(facing, up);
        let corner = bodies[style.first_corner + vertex];
        let at = beaten(corner, seen.agent);
        let offset = facing * at.x + side * at.y + up * at.z;
        let there = (frame.view * vec4f(seen.place + offset * seen.half_length, 1.0)).xyz;
        let nearer = depth_of(there);
        if (nearer < frame.near) {
            return nothing;
        }
        let pixel = pixel_of(there, nearer);
        return Corner(ranked(clip_of(pixel, nearer), seen.agent), vec4f(mix(sky_at(pixel), color * corner.shade, light), 1.0));
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
