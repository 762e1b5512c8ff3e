// Sums whose order does not matter: floats as integers with 20 binary digits after the point.

const FIXED_POINT = 1048576.0; // The factor from floats to integers, 2^20.

fn fixed_point(x: f32) -> u32 {
    return bitcast<u32>(i32(floor(x * FIXED_POINT + 0.5)));
}

// The value of a 64-bit sum of such integers, by its low and high word. The sign is taken off first, and the rest is
// converted in exact pieces, so that nothing cancels.
fn from_fixed_point(low: u32, high: u32) -> f32 {
    let negative = (high & 0x80000000u) != 0u;
    let opposite_low = ~low + 1u;
    let opposite_high = ~high + select(0u, 1u, opposite_low == 0u);
    let least = select(low, opposite_low, negative);
    let most = select(high, opposite_high, negative);
    let size = f32(most) * 4096.0 + f32(least >> 16u) * 0.0625 + f32(least & 0xffffu) * 9.5367431640625e-7;
    return select(size, -size, negative);
}
