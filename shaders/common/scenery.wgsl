// What stands in the world besides agents, as a uniform block: it takes no storage binding. The Rust twin is in
// src/model/scenery.rs; a test compares names, offsets and sizes.

struct Obstacle {
    // u; of a plane a point on it.
    center: vec3f,
    shape: u32,
    // Radius of a sphere in x, half of a box along each axis, unit normal of a plane.
    size: vec3f,
    seen_from: u32,
    // Who is farther than this from the center is as far from the surface as from a sphere of this radius, or farther, u.
    @size(16) bound: f32,
}

struct Path {
    // Index of its first point; one more point than segments follow from there.
    @align(16) first_point: u32,
    segments: u32,
    // 1 where the last point is the first one again.
    closed: u32,
    radius: f32,
    // Arc length of the whole, u.
    length: f32,
}

struct Surface {
    // Center of a sphere, point of a plane; the height field's level in y.
    center: vec3f,
    shape: u32,
    // Unit normal of a plane.
    normal: vec3f,
    radius: f32,
}

struct Hill {
    x: f32,
    z: f32,
    height: f32,
    width_squared: f32,
}

struct Scenery {
    obstacle_count: u32,
    path_count: u32,
    hill_count: u32,
    surface: Surface,
    obstacles: array<Obstacle, 64>,
    paths: array<Path, 8>,
    // x, y, z and the arc length from the path's first point, u.
    points: array<vec4f, 256>,
    hills: array<Hill, 8>,
}

// Farther than anything, u.
const FAR_AWAY = 1e9;
// Below this length an offset has no direction, u.
const TOUCHING = 1e-9;
