// The number of the step, counted on the GPU, so that a recorded step can be submitted again.

struct Clock {
    step: u32,
}

// Called once a step, by one thread of `scan_apply`.
fn tick() {
    clock_moving.step += 1u;
}

// Number of the step, from 1.
fn step_now() -> u32 {
    return clock.step;
}
