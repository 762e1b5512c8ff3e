// What is behind everything.

@vertex
fn draw(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4f {
    return vec4f(select(-1.0, 3.0, vertex == 1u), select(-1.0, 3.0, vertex == 2u), 0.0, 1.0);
}

@fragment
fn paint(@builtin(position) at: vec4f) -> @location(0) vec4f {
    return vec4f(sky_at(at.xy), 1.0);
}
