// The number of the step, counted on the GPU, so that a recorded step can be submitted again.

// The step, then zeros. Uniforms that change from step to step are loaded with one of these zeros as an index: where lavapipe knows
// the offset of a uniform that decides a branch, it compiles the shader anew for each value, with the value as a literal, and Mesa
// 22.3 reads past an array in doing so.
struct Clock {
    words: array<vec4u, 1>,
}

// Called once a step, by one thread of `scan_apply`.
fn tick() {
    clock_moving.words[0].x += 1u;
}

// Number of the step, from 1.
fn step_now() -> u32 {
    return clock.words[clock.words[0].y].x;
}
