// The number of the step, counted on the GPU, so that a recorded step can be submitted again.

// The step, and zeros. What changes from step to step is looked up with one of these zeros as an index: lavapipe puts a uniform that
// decides a branch into the code as a literal, if it knows where the uniform lies, compiles anew for each content, and Mesa 22.3 reads
// past an array on the way.
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
