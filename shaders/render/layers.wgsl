// The two layers of a picture: what was drawn solid, and the cover of the agents too small for that.

@group(0) @binding(1) var solid_layer: texture_2d<f32>;
// As `cover.wgsl` leaves it.
@group(0) @binding(2) var<storage, read> cover: array<u32>;

@vertex
fn draw(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4f {
    return vec4f(select(-1.0, 3.0, vertex == 1u), select(-1.0, 3.0, vertex == 2u), 0.0, 1.0);
}

// The light of the small agents in a pixel, and how often they cover it.
fn light_of(texel: vec2u) -> vec4f {
    let index = texel.y * u32(frame.tile.x) + texel.x;
    if (has(ONE_COLOR)) {
        return vec4f(frame.only_color, 1.0) * (f32(cover[index]) / frame.cover_unit);
    }
    let sums = vec4u(cover[4u * index], cover[4u * index + 1u], cover[4u * index + 2u], cover[4u * index + 3u]);
    return vec4f(sums) / frame.cover_unit;
}
