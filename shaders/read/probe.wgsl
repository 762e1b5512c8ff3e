// What a device computes for divisions, roots, products and sums: src/gpu/probe.rs compares it with what IEEE 754 says.

@group(0) @binding(0) var<storage, read> given: array<vec2f>;
@group(0) @binding(1) var<storage, read_write> found: array<vec4u>;

@compute @workgroup_size(64)
fn probe(@builtin(global_invocation_id) invocation: vec3u) {
    let a = given[invocation.x].x;
    let b = given[invocation.x].y;
    found[invocation.x] = bitcast<vec4u>(vec4f(a / b, sqrt(a), a * b, a * b + a));
}
