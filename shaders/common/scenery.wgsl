// What stands in the world besides agents, and how it moves, as a uniform block: it takes no storage binding. The build script
// makes the Rust twins of these structs and their comments.

// One obstacle.
struct Obstacle {
    center: vec3f, // Center in this step, u; of a plane a point on it.
    shape: u32, // 0 a sphere, 1 a box, 2 a plane, 3 a capsule.
    // Radius of a sphere in x, u; half of a box along each axis, u; unit normal of a plane; half of the way from one end of a
    // capsule's core to the other, and its radius, u.
    size: vec3f,
    seen_from: u32, // Which agents see it: 0 those outside, 1 those inside, 2 those on either side.
    home: vec3f, // Its center where its trajectory is at the origin, u.
    // Bounding radius, u: a point outside of this sphere around the center is at least as far from the surface as from
    // the sphere.
    bound: f32,
    axis: vec3f, // Unit vector that it turns about, right-handed.
    trajectory: u32, // Index of the trajectory that it moves along; NO_TRAJECTORY where it stays.
    // How its frame is turned in this step, as a unit quaternion; the scalar comes last.
    turn: vec4f,
    // 1 where its frame is turned, in this step or another.
    turned: u32,
    @size(12) angle: f32, // How far it is turned before it moves, in full turns.
}

// One path.
struct Path {
    // Index of its first point; one more point than segments follow from there.
    @align(16) first_point: u32,
    segments: u32, // Number of segments.
    // 1 where the last point is the first one again.
    closed: u32,
    radius: f32, // Half of its width, u.
    length: f32, // Arc length of the whole, u.
    // 1 where each segment has a width of its own, in `segment_radii`.
    own_radii: u32,
    // Unused. In GLSL the stride of an array of paths follows from their members, whatever `@size` says.
    unused_1: u32,
    unused_2: u32, // Unused.
}

// The surface.
struct Surface {
    // Center of a sphere, point of a plane, u; the height field's level in y.
    center: vec3f,
    shape: u32, // 0 none, 1 a sphere, 2 a plane, 3 a height field, 4 a mesh.
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

// A place and a turn that change in time: between its keys each is a polynomial.
struct Trajectory {
    place: vec4f, // Where it is in this step, u, and in w how far it has turned, in full turns.
    rate: vec4f, // How fast place and turn change, u/s and full turns per second.
    first_piece: u32, // Index of its first piece in `pieces`.
    piece_count: u32, // Number of its pieces.
    // Steps after which it begins anew; 0 for never.
    @size(8) period: u32,
}

// The way of a trajectory from one of its keys to the next: for a share s of it, constant + s (linear + s (square + s cube)).
struct Piece {
    constant: vec4f, // At its start, u and full turns.
    linear: vec4f, // Factor of the share.
    square: vec4f, // Factor of its square.
    cube: vec4f, // Factor of its cube.
    first_step: u32, // Steps from the start of the trajectory.
    per_step: f32, // Share of it that a step takes.
    @size(8) per_second: f32, // Share of it that a second takes.
}

// How the flow field changes in time.
struct Flow {
    // Index of its trajectory, which says the record in x, the factor in y and the turn in w; NO_TRAJECTORY where it stays.
    @align(16) trajectory: u32,
    record_count: u32, // Number of its records, fields that follow one another.
    first: u32, // First node of the record in this step.
    second: u32, // First node of the record that this one passes into.
    share: f32, // Share of that second record, 0 to 1.
    factor: f32, // Factor of all vectors.
    cosine: f32, // Cosine of the angle by which all vectors are turned about z.
    sine: f32, // Sine of that angle.
}

// Where there are many obstacles, a group of them that move alike, in the cells of a grid that moves with them
// (`obstacle_cells.wgsl`).
struct ObstacleGroup {
    origin: vec3f, // Where the first cell begins while the trajectory is at the origin, u.
    trajectory: u32, // Index of the trajectory that they move along; NO_TRAJECTORY where they stay.
    per_unit: vec3f, // Cells per unit along each axis.
    room: f32, // The list of a cell has every obstacle that comes as near to the cell as this, u.
    cells: vec3u, // Cells along each axis.
    first_cell: u32, // Texel of the first cell.
    @size(16) first_entry: u32, // Texel of the first entry that its cells list.
}

// The whole block.
struct Scenery {
    obstacle_count: u32, // Number of obstacles.
    path_count: u32, // Rows of `paths` that are used.
    hill_count: u32, // Rows of `hills` that are used.
    trajectory_count: u32, // Rows of `trajectories` that are used.
    surface: Surface, // The surface.
    obstacles: array<Obstacle, 64>, // The obstacles, where no more than these fit.
    paths: array<Path, 8>, // The paths.
    // Points of all paths, u, and as the fourth component the arc length from the path's first point, u.
    points: array<vec4f, 256>,
    // Half of the width of the segment that begins at each point, four to a row, u.
    segment_radii: array<vec4f, 64>,
    hills: array<Hill, 8>, // The hills of a height field.
    trajectories: array<Trajectory, 17>, // The trajectories of the scene, and the field's.
    flow: Flow, // How the field changes in time.
    groups: array<ObstacleGroup, 18>, // The groups of many obstacles.
    group_count: u32, // Rows of `groups` that are used.
    endless_count: u32, // Obstacles that the cell of the last group lists first.
    @size(8) line_count: u32, // Rows of `lines` that are used.
    lines: array<vec4f, 16>, // The ends of the lines at which crossing agents are counted: x and y of `from`, x and y of `to`, u.
}

// Farther than anything, u.
const FAR_AWAY = 1e9;
// Below this length an offset has no direction, u.
const TOUCHING = 1e-9;
// In place of the index of a trajectory.
const NO_TRAJECTORY = 0xffffffffu;
