// What a picture leaves behind: what it shows in front of the sky and, where it shows only sky, what the pictures
// before left, faded.

@group(0) @binding(3) var before: texture_2d<f32>;
// The share of the previous afterglow that is left.
@group(0) @binding(4) var<uniform> share: f32;

@fragment
fn paint(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let texel = vec2i(at.xy);
    let solid = textureLoad(solid_layer, texel, 0);
    let light = light_of(vec2u(texel));
    let covered = 1.0 - exp(-frame.exposure * light.a);
    let now = mix(solid, vec4f(light.rgb / max(light.a, 1e-6), 1.0), covered);
    // The previous picture may have had another size with the same ratio of width to height.
    let there = vec2i(at.xy / frame.tile * vec2f(textureDimensions(before)));
    return now + (1.0 - now.a) * share * textureLoad(before, there, 0);
}
