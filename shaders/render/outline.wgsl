// The edges of the world's box, faint.

@vertex
fn draw(@builtin(vertex_index) vertex: u32, @builtin(instance_index) copy: u32) -> @builtin(position) vec4f {
    // Edge e joins two corners that differ along one axis. The first four edges bound the face z = -half_size.z.
    let edge = vertex / 2u;
    let end = vertex % 2u;
    var corner: vec3u;
    if (edge < 8u) {
        let i = edge % 4u;
        let j = (i + end) % 4u;
        corner = vec3u(u32(j == 1u || j == 2u), u32(j >= 2u), edge / 4u);
    } else {
        let i = edge % 4u;
        corner = vec3u(u32(i == 1u || i == 2u), u32(i >= 2u), end);
    }
    let side = vec3f(corner) * 2.0 - 1.0;
    let at = (frame.view * vec4f(side * frame.half_size + copy_offset(copy), 1.0)).xyz;
    let depth = depth_of(at);
    var pixel = scaled_pixel_of(at, depth);
    if (!has(PERSPECTIVE)) {
        // Inward by half a pixel: the edge of a plane may be the edge of the picture.
        pixel -= vec2f(0.5, -0.5) * side.xy;
    }
    return clip_of_scaled(pixel, depth);
}

@fragment
fn paint(@builtin(position) at: vec4f) -> @location(0) vec4f {
    return vec4f(mix(sky_at(at.xy), scenery_at(at.xy, frame.edge.rgb), frame.edge.a), 1.0);
}
