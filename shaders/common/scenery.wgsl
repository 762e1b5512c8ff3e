// What stands in the world besides agents, as a uniform block: it takes no storage binding. The build script
// makes the Rust twins of these structs and their comments.

// One obstacle.
struct Obstacle {
    center: vec3f, // Center, u; of a plane a point on it.
    shape: u32, // 0 a sphere, 1 a box, 2 a plane.
    // Radius of a sphere in x, u; half of a box along each axis, u; unit normal of a plane.
    size: vec3f,
    seen_from: u32, // What sees it: 0 agents outside, 1 inside, 2 on either side.
    // Bounding radius, u: a point outside of this sphere around the center is at least as far from the surface as from
    // the sphere.
    @size(16) bound: f32,
}

// One path.
struct Path {
    // Index of its first point; one more point than segments follow from there.
    @align(16) first_point: u32,
    segments: u32, // Number of segments.
    // 1 where the last point is the first one again.
    closed: u32,
    radius: f32, // Half of its width, u.
    @size(16) length: f32, // Arc length of the whole, u.
}

// The surface.
struct Surface {
    // Center of a sphere, point of a plane, u; the height field's level in y.
    center: vec3f,
    shape: u32, // 0 none, 1 a sphere, 2 a plane, 3 a height field.
    normal: vec3f, // Unit normal of a plane.
    radius: f32, // Radius of a sphere, u.
}

// One hill.
struct Hill {
    x: f32, // Where its top is along x, u.
    z: f32, // Where its top is along z, u.
    height: f32, // Height, u.
    width_squared: f32, // Square of its width, u².
}

// The whole block.
struct Scenery {
    obstacle_count: u32, // Rows of `obstacles` that are used.
    path_count: u32, // Rows of `paths` that are used.
    @size(8) hill_count: u32, // Rows of `hills` that are used.
    surface: Surface, // The surface.
    obstacles: array<Obstacle, 64>, // The obstacles.
    paths: array<Path, 8>, // The paths.
    // Points of all paths, u, and as the fourth component the arc length from the path's first point, u.
    points: array<vec4f, 256>,
    hills: array<Hill, 8>, // The hills of a height field.
}

// Farther than anything, u.
const FAR_AWAY = 1e9;
// Below this length an offset has no direction, u.
const TOUCHING = 1e-9;
