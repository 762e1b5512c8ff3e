// The picture: the sky, what was drawn solid, and over it the cover of the agents too small for that: light on a dark sky, ink on
// a bright one.

// Upper left corner of this tile in the target, px.
@group(0) @binding(3) var<uniform> origin: vec2f;

fn encoded(color: vec3f) -> vec3f {
    return select(1.055 * pow(color, vec3f(1.0 / 2.4)) - 0.055, color * 12.92, color <= vec3f(0.0031308));
}

// How much shows of the copies of the world beyond the seam of a wrapped plane: little, as they repeat what the plane shows already.
const REPEATED = 0.3;

// Return whether a pixel shows a part of the plane that the copy of the world in the middle of the picture shows already.
fn repeats(pixel: vec2f) -> bool {
    let center = -frame.view[3].xy;
    let world = 2.0 * frame.half_size.xy;
    let home = floor(center / world + 0.5) * world;
    let at = center + (pixel - frame.center) * vec2f(1.0, -1.0) / frame.focal;
    let copied = (frame.copies > vec2u(1u)) | (frame.first_copy != vec2i(0));
    return !has(PERSPECTIVE) && any((abs(at - home) > frame.half_size.xy) & copied);
}

@fragment
fn paint(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let texel = vec2i(at.xy - origin);
    let solid = textureLoad(solid_layer, texel, 0);
    let under = solid.rgb + (1.0 - solid.a) * sky_at(at.xy - origin);
    let light = light_of(vec2u(texel));
    let color = light.rgb / max(light.a, 1e-6);
    let covered = 1.0 - exp(-frame.exposure * light.a);
    var mixed = mix(under, color, covered);
    if (repeats(at.xy - origin)) {
        mixed = mix(sky_at(at.xy - origin), mixed, REPEATED);
    }
    if (has(GRADED)) {
        // Add noise of one step of the stored value, as light: the slope of the sRGB curve is about twice the root.
        let pixel = vec2u(texel) + vec2u(vec2i(0.5 * frame.picture - frame.center));
        mixed += (noise(pixel) - 0.5) * (2.0 * sqrt(max(mixed, vec3f(0.0))) + 0.003) / 255.0;
    }
    mixed = clamp(mixed, vec3f(0.0), vec3f(1.0));
    if (has(ENCODES)) {
        mixed = encoded(mixed);
    }
    return vec4f(mixed, 1.0);
}
