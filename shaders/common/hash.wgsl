// A hash of counters (pcg4d of Jarzynski and Olano, "Hash Functions for GPU Rendering", JCGT 2020), the same integers here and on
// the CPU, and the random differences between bodies. The shaders of pictures include this file, too.

fn hash4(counters: vec4u) -> vec4u {
    var v = counters * 1664525u + 1013904223u;
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    v ^= v >> vec4u(16u);
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    return v;
}

// Uniform in [0, 1), exact: 24 bits of the hash.
fn unit_interval(hash: u32) -> f32 {
    return f32(hash >> 8u) * 5.9604644775390625e-8;
}

const STREAM_BODY = 13u; // How bodies of one species differ.

// How far an agent differs from the mean of its species, in spreads. It is uniform within one spread or, if `normal`, a sum of
// four such draws, which is nearly normal with one spread as its standard deviation, and never more than 3.5. `which` tells the
// draws of an agent apart.
fn deviation(seed: u32, id: u32, which: u32, normal: bool) -> f32 {
    let hash = hash4(vec4u(seed, id, which, STREAM_BODY));
    let even = 2.0 * unit_interval(hash.x) - 1.0;
    let four = unit_interval(hash.x) + unit_interval(hash.y) + unit_interval(hash.z) + unit_interval(hash.w);
    return select(even, (four - 2.0) * 1.7320508, normal);
}

// The radius of a body, u; at least a tenth of the mean.
fn body_radius(mean: f32, spread: f32, normal: bool, seed: u32, id: u32) -> f32 {
    return max(mean + spread * deviation(seed, id, 3u, normal), mean * 0.1);
}
