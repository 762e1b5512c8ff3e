// Vector helpers, spelled out in + - * / and sqrt, in one order: the builtins leave the order of their sums to the
// driver, and then no other implementation can agree to the bit. One thing is not safe even so: Mesa folds a product
// with a literal 0.0 to +0.0, whatever the sign of the other factor.

// Below this squared speed (u²/s²) a velocity has no direction.
const STANDSTILL = 1e-12;

fn triple(a: array<f32, 3>) -> vec3f {
    return vec3f(a[0], a[1], a[2]);
}

fn dot3(a: vec3f, b: vec3f) -> f32 {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

fn cross3(a: vec3f, b: vec3f) -> vec3f {
    return vec3f(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

// A larger square may have left the range of floats.
const LARGEST_SQUARE = 1e37;

// A vector no longer than `longest`, of unchanged direction.
fn limit(vector: vec3f, longest: f32) -> vec3f {
    let squared = dot3(vector, vector);
    if (squared > longest * longest) {
        if (squared > LARGEST_SQUARE) {
            return unit_or_zero(vector) * longest;
        }
        return vector * (longest / sqrt(squared));
    }
    return vector;
}

// Unit vector to the right of a heading, and level: the world's up is y in space, and z above a plane. For a heading
// straight up or down it is as after climbing from +x.
fn right_of(forward: vec3f) -> vec3f {
    if (SPATIAL) {
        let level = sqrt(forward.x * forward.x + forward.z * forward.z);
        if (level > 1e-6) {
            return vec3f(-forward.z / level, 0.0, forward.x / level);
        }
        return vec3f(0.0, 0.0, 1.0);
    }
    let level = sqrt(forward.x * forward.x + forward.y * forward.y);
    if (level > 1e-6) {
        return vec3f(forward.y / level, -forward.x / level, 0.0);
    }
    return vec3f(0.0, -1.0, 0.0);
}

// A vector after the smallest turn that takes one unit vector to another. After a half turn, which has no axis of its own,
// it points the other way.
fn turned_along(vector: vec3f, before: vec3f, after: vec3f) -> vec3f {
    let both = before + after;
    let half = 1.0 + dot3(before, after);
    if (half < 1e-6) {
        return -vector;
    }
    return vector - both * (dot3(both, vector) / half) + after * (2.0 * dot3(before, vector));
}

// The direction of a vector, or zero where it has none. It is scaled first, so that no square leaves the range of floats.
fn unit_or_zero(vector: vec3f) -> vec3f {
    let largest = max(max(abs(vector.x), abs(vector.y)), abs(vector.z));
    if (largest < 1e-30) {
        return vec3f(0.0);
    }
    let scaled = vector / largest;
    return scaled / sqrt(dot3(scaled, scaled));
}

// The direction of a velocity; zero where it stands still.
fn heading_of(velocity: vec3f) -> vec3f {
    let squared = dot3(velocity, velocity);
    return select(vec3f(0.0), velocity / sqrt(max(squared, STANDSTILL)), squared > STANDSTILL);
}

// The unit vector perpendicular to `axis` that is nearest to `wish`; another one where the wish lies along the axis. In a
// planar world it stays in the plane.
fn across(axis: vec3f, wish: vec3f) -> vec3f {
    let along = unit_or_zero(axis);
    let aside = wish - along * dot3(wish, along);
    if (dot3(aside, aside) > 1e-6) {
        return unit_or_zero(aside);
    }
    let turned = vec3f(-along.y, along.x, 0.0);
    return select(vec3f(1.0, 0.0, 0.0), unit_or_zero(turned), dot3(turned, turned) > 1e-6);
}

// A vector with -0 made +0. Drivers do not agree on the sign of a product with 0, nor on that of -0 + 0 where they know the second
// zero beforehand, so nothing that is kept from stage to stage or from step to step has a -0.
fn unsigned_zeros(v: vec3f) -> vec3f {
    return select(v, vec3f(0.0), v == vec3f(0.0));
}

// Three numbers as they are kept from step to step.
fn kept(v: vec3f) -> array<f32, 3> {
    let plain = unsigned_zeros(v);
    return array<f32, 3>(plain.x, plain.y, plain.z);
}

// A number brought between two bounds. `clamp` leaves the sign of a zero at a bound to the driver.
fn within(x: f32, least: f32, most: f32) -> f32 {
    if (x < least) {
        return least;
    }
    if (x > most) {
        return most;
    }
    return x;
}

// e^-x for x >= 0, to 3e-7 of its value; the builtin differs between drivers. Beyond 80, where it no longer counts in any sum, it
// stays as it is at 80.
fn decay(x: f32) -> f32 {
    let down = min(x, 80.0);
    let halvings = floor(down * 1.442695 + 0.5);
    // A float cannot hold ln 2 exactly, so it is subtracted in two parts. What is left is between -ln 2 / 2 and ln 2 / 2.
    let y = halvings * 0.693359375 - down - halvings * 0.000212194440;
    let cubic = 0.16666667 + y * (0.041666668 + y * (0.008333334 + y * 0.0013888889));
    let whole = 1.0 + y * (1.0 + y * (0.5 + y * cubic));
    return whole * bitcast<f32>((127u - u32(halvings)) << 23u);
}

// Is this a number that can be calculated with: not NaN, not infinite, at most 1e9 in size? Compared as bits, because
// a comparison of floats may be compiled as if NaN did not exist.
fn is_sane(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) <= 0x4e6e6b28u;
}

fn is_sane3(v: vec3f) -> bool {
    return is_sane(v.x) && is_sane(v.y) && is_sane(v.z);
}
