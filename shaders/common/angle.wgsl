// Angles and rotations by polynomials, because the builtins differ between drivers. A rotation is a vector: its
// direction is the axis (right-handed), its length the angle, rad. In a planar world it has a z only.

const PI: f32 = 3.1415927;

// The angle whose sine and cosine are proportional to these two, rad, in (-π, π]: atan2(sine, cosine) within 3e-7. The
// polynomial was fitted to the arc tangent on [0, 1] by least greatest error, 9e-10.
fn angle_of(sine: f32, cosine: f32) -> f32 {
    let opposite = abs(sine);
    let adjacent = abs(cosine);
    let t = min(opposite, adjacent) / max(max(opposite, adjacent), 1e-30);
    let u = t * t;
    let low = -0.1424722 + u * (0.10877985 + u * (-0.08213697 + u * (0.055027105 + u * (-0.028489854
        + u * (0.009566876 - u * 0.0015092046)))));
    var angle = t * (1.0 + u * (-0.3333318 + u * (0.19996436 + u * low)));
    if (opposite > adjacent) {
        angle = 0.5 * PI - angle;
    }
    if (cosine < 0.0) {
        angle = PI - angle;
    }
    return select(angle, -angle, sine < 0.0);
}

// The rotation by the smallest angle that takes one unit vector to another. Between opposite vectors it is half a turn about
// `up`; in a planar world, to the left.
fn rotation_between(start: vec3f, end: vec3f, up: vec3f) -> vec3f {
    let cosine = dot3(start, end);
    if (SPATIAL) {
        let axis = cross3(start, end);
        let sine = sqrt(dot3(axis, axis));
        // Between nearly opposite vectors the axis would be mere rounding.
        if (sine > select(1e-5, 1e-7, cosine > 0.0)) {
            return axis * (angle_of(sine, cosine) / sine);
        }
        return select(up * PI, axis, cosine > 0.0);
    }
    return vec3f(0.0, 0.0, angle_of(start.x * end.y - start.y * end.x, cosine));
}

// A rotation of at most half a turn as a unit quaternion, whose scalar comes last. Sine and cosine of a quarter of the angle
// are polynomials, and the rest follows from them.
fn half_turn(rotation: vec3f) -> vec4f {
    let q2 = dot3(rotation, rotation) * 0.0625;
    let s = 1.0 + q2 * (-0.16666667 + q2 * (0.008333334 + q2 * (-0.00019841270 + q2 * 0.0000027557319)));
    let c = 1.0 + q2 * (-0.5 + q2 * (0.041666668 + q2 * (-0.0013888889 + q2 * 0.000024801588)));
    // Cosine of half of the angle, and the axis by its sine.
    let half_cosine = 1.0 - 2.0 * q2 * s * s;
    return vec4f(rotation * (0.5 * s * c), half_cosine);
}

// A vector turned by a unit quaternion.
fn turned(vector: vec3f, quaternion: vec4f) -> vec3f {
    let half_axis = quaternion.xyz;
    let half_cosine = quaternion.w;
    if (SPATIAL) {
        let once = cross3(half_axis, vector);
        let twice = cross3(half_axis, once);
        return vector + once * (2.0 * half_cosine) + twice * 2.0;
    }
    let sine = 2.0 * half_axis.z * half_cosine;
    let cosine = 1.0 - 2.0 * half_axis.z * half_axis.z;
    return vec3f(vector.x * cosine - vector.y * sine, vector.x * sine + vector.y * cosine, 0.0);
}

// A vector turned by a rotation of at most half a turn.
fn rotate(vector: vec3f, rotation: vec3f) -> vec3f {
    return turned(vector, half_turn(rotation));
}
