// The picture from its two layers: what was drawn solid, and over it the cover of the agents too small for that: light
// on a dark sky, ink on a bright one.

@group(0) @binding(1) var solid_layer: texture_2d<f32>;
@group(0) @binding(2) var light_layer: texture_2d<f32>;
// Upper left corner of this tile in the target, px.
@group(0) @binding(3) var<uniform> origin: vec2f;

@vertex
fn draw(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4f {
    return vec4f(select(-1.0, 3.0, vertex == 1u), select(-1.0, 3.0, vertex == 2u), 0.0, 1.0);
}

fn encoded(color: vec3f) -> vec3f {
    return select(1.055 * pow(color, vec3f(1.0 / 2.4)) - 0.055, color * 12.92, color <= vec3f(0.0031308));
}

// A number from -1/2 to 1/2 for each pixel of the picture.
fn noise(at: vec2u) -> f32 {
    var h = at.x * 0x9E3779B1u ^ at.y * 0x85EBCA77u;
    h = (h ^ (h >> 15u)) * 0x2C1B3C6Du;
    h ^= h >> 13u;
    return f32(h >> 8u) / 16777216.0 - 0.5;
}

@fragment
fn paint(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let texel = vec2i(at.xy - origin);
    let under = textureLoad(solid_layer, texel, 0).rgb;
    let light = textureLoad(light_layer, texel, 0);
    let color = light.rgb / max(light.a, 1e-6);
    let cover = 1.0 - exp(-frame.exposure * light.a);
    var mixed = mix(under, color, cover);
    if (frame.dither == 1u) {
        // The last bit of what is stored, as light: the slope of the sRGB curve is about twice the root.
        let pixel = vec2u(texel) + vec2u(vec2i(0.5 * frame.picture - frame.center));
        mixed += noise(pixel) * (2.0 * sqrt(max(mixed, vec3f(0.0))) + 0.003) / 255.0;
    }
    mixed = clamp(mixed, vec3f(0.0), vec3f(1.0));
    return vec4f(select(mixed, encoded(mixed), frame.encode == 1u), 1.0);
}
