// The number of the step, counted on the GPU, so that a recorded step can be submitted again.

// Called once a step, by one thread of `scan_apply`.
fn tick() {
    clock[0] += 1u;
}

// Number of the step, from 1.
fn step_now() -> u32 {
    return clock[0];
}
