// What a picture leaves behind: what it shows over the sky, and where that is not, what was left before, faded.

@group(0) @binding(3) var before: texture_2d<f32>;
// How much of that is left.
@group(0) @binding(4) var<uniform> share: f32;

@fragment
fn paint(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let texel = vec2i(at.xy);
    let solid = textureLoad(solid_layer, texel, 0);
    let light = light_of(vec2u(texel));
    let covered = 1.0 - exp(-frame.exposure * light.a);
    let now = mix(solid, vec4f(light.rgb / max(light.a, 1e-6), 1.0), covered);
    // The picture before may have had another size of the same shape.
    let there = vec2i(at.xy / frame.tile * vec2f(textureDimensions(before)));
    return now + (1.0 - now.a) * share * textureLoad(before, there, 0);
}
