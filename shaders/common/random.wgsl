// Random numbers without state, made of the hash of `hash.wgsl`.

// Uniform on -sqrt(3) to sqrt(3), which has unit variance. (A normal distribution would need a logarithm.)
fn unit_variance(hash: u32) -> f32 {
    return (unit_interval(hash) - 0.5) * 3.4641016;
}

// Cosine and sine of an angle that is an eighth of a turn at most, plus a number of quarter turns. They are polynomials,
// because the builtins differ between drivers.
fn quarters_and(quarters: u32, angle: f32) -> vec2f {
    let a2 = angle * angle;
    let s = angle * (1.0 + a2 * (-0.16666667 + a2 * (0.008333334 + a2 * (-0.00019841270 + a2 * 0.0000027557319))));
    let c = 1.0 + a2 * (-0.5 + a2 * (0.041666668 + a2 * (-0.0013888889 + a2 * 0.000024801588)));
    switch (quarters & 3u) {
        case 0u: { return vec2f(c, s); }
        case 1u: { return vec2f(-s, c); }
        case 2u: { return vec2f(-c, -s); }
        default: { return vec2f(s, -c); }
    }
}

// Cosine and sine of any angle, rad. The error is below 4e-7 up to two turns, and grows with the angle beyond.
fn rotation(angle: f32) -> vec2f {
    let quarters = floor(angle * 0.63661977 + 0.5);
    // A float cannot hold a quarter turn exactly: its rounding error is subtracted separately.
    let rest = angle - quarters * 1.5707964 + quarters * 4.3711388e-8;
    return quarters_and(u32(i32(quarters) & 3), rest);
}

// Uniform on the unit circle.
fn unit_circle(hash: u32) -> vec2f {
    let angle = (f32((hash >> 6u) & 0xffffffu) * 5.9604644775390625e-8 - 0.5) * 1.5707963;
    return quarters_and(hash >> 30u, angle);
}

// A random direction that lies in the world: on the circle in a planar one, on the sphere in a spatial one.
fn unit_direction(first: u32, second: u32) -> vec3f {
    let circle = unit_circle(first);
    if (SPATIAL) {
        let z = 2.0 * unit_interval(second) - 1.0;
        let radius = sqrt(1.0 - z * z);
        return vec3f(circle.x * radius, circle.y * radius, z);
    }
    return vec3f(circle.x, circle.y, 0.0);
}

// Streams keep the uses of random numbers apart.
const STREAM_FORWARD = 1u; // The forward direction of agents that stand still.
const STREAM_COINCIDENT = 2u; // Directions in which coincident agents part.
const STREAM_PHASE = 5u; // The phase of an agent that skips steps.
const STREAM_WANDER = 6u; // The random walk of the wander target.
const STREAM_WANDER_START = 7u; // Where the wander target starts.
const STREAM_WANDER_RANDOM = 8u; // The random force of `wander_random`.
const STREAM_AVOIDANCE = 9u; // The side to which agents on a collision course, or in each other, give way.
const STREAM_NOISE = 10u; // The noise of headings.
const STREAM_SIDE = 11u; // The side on which an agent passes an obstacle that is dead ahead.
const STREAM_TRAIL = 14u; // The side to which an agent turns if it senses as much trail on both sides.
const STREAM_CROWD = 15u; // Which agents a crowded cell shows.
// The first of eight, one for each priority.
const STREAM_DITHER = 16u; // The draws of prioritized dithering.
const STREAM_FLEE = 24u; // The direction in which an agent flees if it is at the very place of the target.
// The first of as many as there are behaviors.
const STREAM_JITTER = 32u; // The random part of behaviors' accelerations (`jitter`).

fn direction(id: u32, other: u32, stream: u32) -> vec3f {
    let hash = hash4(vec4u(world.seed, id, other, stream));
    return unit_direction(hash.x, hash.y);
}

// The heading of an agent; at rest a direction that is drawn once, by its id.
fn forward_of(velocity: vec3f, id: u32) -> vec3f {
    let squared = dot3(velocity, velocity);
    if (squared > STANDSTILL) {
        return velocity / sqrt(squared);
    }
    return direction(id, 0u, STREAM_FORWARD);
}
