// Faces of obstacles and surfaces. They lie a little behind their true place, so that lines and agents on them show.

struct Vertex {
    at: array<f32, 3>,
    // Zero where the face is not shaded.
    normal: array<f32, 3>,
    // As `scenery_at` takes it.
    color: array<f32, 3>,
    // Light that is added where the face turns away from the camera.
    rim: f32,
}

@group(0) @binding(1) var<storage, read> vertices: array<Vertex>;

struct Corner {
    @builtin(position) clip: vec4f,
    @location(0) at: vec3f,
    @location(1) normal: vec3f,
    @location(2) color: vec3f,
    @location(3) rim: f32,
}

fn vector(a: array<f32, 3>) -> vec3f {
    return vec3f(a[0], a[1], a[2]);
}

@vertex
fn draw(@builtin(vertex_index) index: u32, @builtin(instance_index) copy: u32) -> Corner {
    let vertex = vertices[index];
    let at = (frame.view * vec4f(vector(vertex.at) + copy_offset(copy), 1.0)).xyz;
    let normal = (frame.view * vec4f(vector(vertex.normal), 0.0)).xyz;
    let depth = depth_of(at);
    var clip = clip_of_scaled(scaled_pixel_of(at, depth), depth);
    clip.z *= 0.996;
    return Corner(clip, at, normal, vector(vertex.color), vertex.rim);
}

@fragment
fn paint(corner: Corner) -> @location(0) vec4f {
    var color = scenery_at(corner.clip.xy, corner.color);
    if (dot(corner.normal, corner.normal) > 0.25) {
        let normal = normalize(corner.normal);
        let turned = 1.0 - abs(dot(normal, normalize(corner.at)));
        // From the upper left, as the eye expects.
        color *= 0.3 + 0.7 * max(dot(normal, vec3f(-0.43, 0.74, 0.52)), 0.0);
        color += vec3f(corner.rim * turned * turned * turned);
    }
    return vec4f(mix(sky_at(corner.clip.xy), color, light_at(depth_of(corner.at))), 1.0);
}
