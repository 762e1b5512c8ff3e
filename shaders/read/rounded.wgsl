// Quotients and square roots that are rounded to nearest, as IEEE 754 says, for devices on which WGSL's own are off by a unit or
// two in the last place, which Vulkan allows. They take the place of every `/` and `sqrt` there (src/gpu/rounding.rs).
//
// They need the following of the device: `fma` rounds once, `1.0 / x` and `inverseSqrt` are nearly right, and subnormal numbers are kept.

// A positive number as value * 2^power, with a value from 1 to 2.
struct Parts {
    value: f32,
    power: i32,
}

const INFINITE = 0x7f800000u;
const NOT_A_NUMBER = 0x7fc00000u;
const SIGN = 0x80000000u;

fn parts_of(bits: u32) -> Parts {
    // A subnormal number has leading zeros in place of an exponent.
    let zeros = select(0u, countLeadingZeros(bits) - 8u, bits < 0x00800000u);
    let normal = bits << zeros;
    return Parts(
        bitcast<f32>(0x3f800000u | (normal & 0x007fffffu)),
        select(i32(bits >> 23u), 1 - i32(zeros), zeros > 0u) - 127,
    );
}

// From 2^-63 to 2^63: between these no step below overflows or becomes subnormal.
fn is_medium(x: f32) -> bool {
    return (abs(x) >= 0x1p-63) & (abs(x) <= 0x1p63);
}

// Just below a power of two the steps below round a few quotients wrong: of all divisors from 1 to 2, with guesses of the reciprocal up to
// three units in the last place off, only some above 1.999999.
fn is_divisor(b: f32) -> bool {
    return is_medium(b) & ((bitcast<u32>(b) & 0x007ffff0u) != 0x007ffff0u);
}

fn is_dividend(a: f32) -> bool {
    return is_medium(a) | (a == 0.0);
}

// The reciprocal, improved by a step of Newton.
fn reciprocal_of(b: f32) -> f32 {
    let guess = 1.0 / b;
    return fma(fma(-b, guess, 1.0), guess, guess);
}

// Newton's step twice, each with the exact rest (Markstein, IBM Journal of Research and Development 34, 1990).
fn divided(a: f32, b: f32, reciprocal: f32) -> f32 {
    let first = a * reciprocal;
    let second = fma(fma(-b, first, a), reciprocal, first);
    let third = fma(fma(-b, second, a), reciprocal, second);
    // This keeps the sign of a zero.
    return select(third, first, a == 0.0);
}

// a - b * quotient, or at least its sign, by Dekker's product of halves (Numerische Mathematik 18, 1971).
fn rest_of(a: f32, b: f32, quotient: f32) -> f32 {
    let product = b * quotient;
    let b_high = bitcast<f32>(bitcast<u32>(b) & 0xfffff000u);
    let q_high = bitcast<f32>(bitcast<u32>(quotient) & 0xfffff000u);
    let b_low = b - b_high;
    let q_low = quotient - q_high;
    let lost = ((b_high * q_high - product) + b_high * q_low + b_low * q_high) + b_low * q_low;
    return (a - product) - lost;
}

// The quotient of numbers from 1 to 2, rounded to nearest. One that is wrong by one unit in the last place has a rest of more than half a
// unit.
fn nearest_quotient(a: f32, b: f32) -> f32 {
    let quotient = divided(a, b, reciprocal_of(b));
    let half_unit = b * select(0x1p-24, 0x1p-25, quotient < 1.0);
    let rest = rest_of(a, b, quotient);
    let units = i32(rest > half_unit) - i32(rest < -half_unit);
    return bitcast<f32>(bitcast<u32>(quotient) + u32(units));
}

fn far_quotient(numerator: f32, denominator: f32) -> f32 {
    return bitcast<f32>(far_bits(bitcast<u32>(numerator), bitcast<u32>(denominator)));
}

fn far_bits(a: u32, b: u32) -> u32 {
    let sign = (a ^ b) & SIGN;
    let above = a & ~SIGN;
    let below = b & ~SIGN;
    if (max(above, below) > INFINITE || (above == below && (above == 0u || above == INFINITE))) {
        return NOT_A_NUMBER;
    }
    if (above == INFINITE || below == 0u) {
        return sign | INFINITE;
    }
    if (above == 0u || below == INFINITE) {
        return sign;
    }
    let numerator = parts_of(above);
    let denominator = parts_of(below);
    let quotient = nearest_quotient(numerator.value, denominator.value);
    let bits = bitcast<u32>(quotient);
    let exponent = i32(bits >> 23u) + numerator.power - denominator.power;
    if (exponent >= 255) {
        return sign | INFINITE;
    }
    let digits = bits & 0x007fffffu;
    if (exponent > 0) {
        return sign | (u32(exponent) << 23u) | digits;
    }
    // A subnormal result has fewer digits. It is rounded from the exact quotient, not a second time.
    let rest = rest_of(numerator.value, denominator.value, quotient);
    let whole = digits | 0x00800000u;
    let shift = u32(min(1 - exponent, 25));
    let lost = whole & ((1u << shift) - 1u);
    let half = 1u << (shift - 1u);
    let kept = whole >> shift;
    let is_odd = (kept & 1u) == 1u;
    let up = lost > half || (lost == half && (rest > 0.0 || (rest == 0.0 && is_odd)));
    return sign | (kept + u32(up));
}

fn quotient(a: f32, b: f32) -> f32 {
    if (is_divisor(b) & is_dividend(a)) {
        return divided(a, b, reciprocal_of(b));
    }
    return far_quotient(a, b);
}

fn quotient_2(a: vec2f, b: vec2f) -> vec2f {
    return vec2f(quotient(a.x, b.x), quotient(a.y, b.y));
}

fn quotient_3(a: vec3f, b: vec3f) -> vec3f {
    return vec3f(quotient(a.x, b.x), quotient(a.y, b.y), quotient(a.z, b.z));
}

fn quotient_4(a: vec4f, b: vec4f) -> vec4f {
    return vec4f(quotient(a.x, b.x), quotient(a.y, b.y), quotient(a.z, b.z), quotient(a.w, b.w));
}

// A vector divided by a number: one reciprocal for all.
fn quotient_by_2(a: vec2f, b: f32) -> vec2f {
    if (is_divisor(b) & is_dividend(a.x) & is_dividend(a.y)) {
        let reciprocal = reciprocal_of(b);
        return vec2f(divided(a.x, b, reciprocal), divided(a.y, b, reciprocal));
    }
    return vec2f(far_quotient(a.x, b), far_quotient(a.y, b));
}

fn quotient_by_3(a: vec3f, b: f32) -> vec3f {
    if (is_divisor(b) & is_dividend(a.x) & is_dividend(a.y) & is_dividend(a.z)) {
        let reciprocal = reciprocal_of(b);
        return vec3f(divided(a.x, b, reciprocal), divided(a.y, b, reciprocal), divided(a.z, b, reciprocal));
    }
    return vec3f(far_quotient(a.x, b), far_quotient(a.y, b), far_quotient(a.z, b));
}

fn quotient_by_4(a: vec4f, b: f32) -> vec4f {
    return vec4f(quotient_by_3(a.xyz, b), quotient(a.w, b));
}

// The root by Goldschmidt's step, and Newton's with the exact rest. Right for all numbers from 1 to 4 with guesses up to three units off.
fn medium_root(x: f32) -> f32 {
    let guess = inverseSqrt(x);
    let rest = fma(-(x * guess), 0.5 * guess, 0.5);
    let root = fma(x * guess, rest, x * guess);
    let half = fma(0.5 * guess, rest, 0.5 * guess);
    return fma(fma(-root, root, x), half, root);
}

fn far_root(x: u32) -> u32 {
    if ((x & ~SIGN) == 0u || x == INFINITE) {
        return x;
    }
    if (x > INFINITE) {
        return NOT_A_NUMBER;
    }
    let parts = parts_of(x);
    let odd = parts.power & 1;
    let root = medium_root(select(parts.value, 2.0 * parts.value, odd == 1));
    return bitcast<u32>(root) + (u32(parts.power >> 1u) << 23u);
}

fn root(x: f32) -> f32 {
    if ((x > 0.0) & is_medium(x)) {
        return medium_root(x);
    }
    return bitcast<f32>(far_root(bitcast<u32>(x)));
}

fn root_2(x: vec2f) -> vec2f {
    return vec2f(root(x.x), root(x.y));
}

fn root_3(x: vec3f) -> vec3f {
    return vec3f(root(x.x), root(x.y), root(x.z));
}

fn root_4(x: vec4f) -> vec4f {
    return vec4f(root(x.x), root(x.y), root(x.z), root(x.w));
}
