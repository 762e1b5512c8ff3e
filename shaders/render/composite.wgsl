// The picture from its two layers: what was drawn solid, and over it the light of the agents too small to be drawn so.

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

@fragment
fn paint(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let texel = vec2i(at.xy - origin);
    let under = textureLoad(solid_layer, texel, 0).rgb;
    let light = textureLoad(light_layer, texel, 0);
    let color = light.rgb / max(light.a, 1e-6);
    let cover = 1.0 - exp(-frame.exposure * light.a);
    let mixed = clamp(mix(under, color, cover), vec3f(0.0), vec3f(1.0));
    return vec4f(select(mixed, encoded(mixed), frame.encode == 1u), 1.0);
}
