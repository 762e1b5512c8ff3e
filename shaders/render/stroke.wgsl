// Lines with round ends. Their width is the sum of one in pixels and one in the world.

struct Stroke {
    from_point: array<f32, 3>,
    to_point: array<f32, 3>,
    // As `scenery_at` takes it.
    color: array<f32, 3>,
    // Width, px.
    width: f32,
    // Added to either side, u.
    radius: f32,
}

@group(0) @binding(1) var<storage, read> strokes: array<Stroke>;

struct Corner {
    @builtin(position) clip: vec4f,
    @location(0) @interpolate(flat) color: vec3f,
    // For each end: x and y on the tile, and half of the width, px.
    @location(1) @interpolate(flat) from_end: vec3f,
    @location(2) @interpolate(flat) to_end: vec3f,
}

// A point of the line in view space; a point behind the camera is moved along the line until it is in front of the
// camera.
fn shown(a: array<f32, 3>, b: array<f32, 3>, offset: vec3f) -> vec3f {
    let at = (frame.view * vec4f(vec3f(a[0], a[1], a[2]) + offset, 1.0)).xyz;
    let other = (frame.view * vec4f(vec3f(b[0], b[1], b[2]) + offset, 1.0)).xyz;
    let nearest = 2.0 * frame.near;
    if (has(PERSPECTIVE) && -at.z < nearest && -other.z > nearest) {
        return mix(at, other, (nearest + at.z) / (at.z - other.z));
    }
    return at;
}

fn end_of(at: vec3f, stroke: Stroke) -> vec3f {
    let depth = depth_of(at);
    return vec3f(pixel_of(at, depth), 0.5 * stroke.width + stroke.radius * frame.focal / depth);
}

@vertex
fn draw(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Corner {
    // All lines of one copy of the world, then of the next.
    let count = arrayLength(&strokes);
    let stroke = strokes[instance % count];
    let offset = copy_offset(instance / count);
    let first = shown(stroke.from_point, stroke.to_point, offset);
    let last = shown(stroke.to_point, stroke.from_point, offset);
    let color = vec3f(stroke.color[0], stroke.color[1], stroke.color[2]);
    if (min(depth_of(first), depth_of(last)) < frame.near) {
        return Corner(vec4f(2.0, 2.0, 0.0, 1.0), color, vec3f(), vec3f());
    }
    let from_end = end_of(first, stroke);
    let to_end = end_of(last, stroke);
    let along = to_end.xy - from_end.xy;
    let direction = select(vec2f(1.0, 0.0), along / length(along), length(along) > 1e-6);
    let ahead = vertex == 1u || vertex == 2u || vertex == 4u;
    let left = vertex == 2u || vertex >= 4u;
    let end = select(from_end, to_end, ahead);
    let reach = max(from_end.z, to_end.z) + 1.0;
    let side = vec2f(-direction.y, direction.x) * select(-reach, reach, left);
    let at = end.xy + side + direction * select(-reach, reach, ahead);
    let depth = depth_of(select(first, last, ahead));
    let clip = clip_of(at, depth);
    // A little before its true place, so that it shows on the face that it lies on.
    return Corner(vec4f(clip.xy, 1.001 * clip.z, clip.w), color, from_end, to_end);
}

@fragment
fn paint(corner: Corner) -> @location(0) vec4f {
    let along = corner.to_end.xy - corner.from_end.xy;
    let offset = corner.clip.xy - corner.from_end.xy;
    let share = clamp(dot(offset, along) / max(dot(along, along), 1e-6), 0.0, 1.0);
    let half_width = mix(corner.from_end.z, corner.to_end.z, share);
    let cover = clamp(half_width + 0.5 - distance(offset, along * share), 0.0, 1.0);
    if (cover <= 0.0) {
        discard;
    }
    // The depth cue from the depth that was stored, which is 1.001 * near / depth.
    let light = light_at(1.001 * frame.near / corner.clip.z);
    return vec4f(mix(sky_at(corner.clip.xy), scenery_at(corner.clip.xy, corner.color), light), cover);
}
