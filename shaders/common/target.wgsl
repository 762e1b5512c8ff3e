// What an agent heads for, as a scene names it (`Target`), and what is known of it once `steer` has found it (`Goal`).

// What an agent heads for, as a scene names it. `find_goal` makes a `Goal` of it.
struct Target {
    // 0 a point, 1 an agent, 2 the nearest of a query, 3 a leader, 4 a path, 5 the field, 6 the mouse, 7 a trajectory, 8 a goal.
    kind: u32,
    // Agent, query, species, path, trajectory or goal.
    index: u32,
    point: array<f32, 3>, // Where a point or a goal is, u.
    prediction_time: f32, // How far ahead of the agent the way to a goal is read, s.
}

const TARGET_POINT = 0u; // Value of a target's `kind`.
const TARGET_AGENT = 1u;
const TARGET_NEAREST = 2u;
const TARGET_LEADER = 3u;
const TARGET_PATH = 4u;
const TARGET_FIELD = 5u;
const TARGET_MOUSE = 6u;
const TARGET_TRAJECTORY = 7u;
const TARGET_GOAL = 8u;

// What is known of a target.
struct Goal {
    // False where there is no such agent, or none is perceived: then nothing is desired.
    exists: bool,
    // From the agent to the target's nearest image, u.
    offset: vec3f,
    distance: f32, // Length of the offset, u.
    velocity: vec3f, // Velocity of the target, u/s; 0 for a point.
    // Unit vector of its heading; 0 for a point, and where no behavior reads it.
    forward: vec3f,
    // Angular velocity, rad/s; 0 for a target that does not turn.
    spin: vec3f,
}

// Nearer than this there is no direction to a target, u.
const COINCIDENT = 1e-6;

// Unit vector along a way; 0 where the way is too short to have a direction.
fn along(way: vec3f) -> vec3f {
    let distance = sqrt(dot3(way, way));
    if (distance > COINCIDENT) {
        return way / distance;
    }
    return vec3f(0.0);
}

// The nearest agent that a query has seen so far. Of equally near ones it is the one that was visited first.
struct Nearest {
    found: bool, // Has the query seen any agent?
    sorted_index: u32, // Sorted index of the nearest.
    distance_squared: f32, // Squared distance to it, u².
}

fn nearest_add(
    nearest: Nearest,
    query: Vision,
    offset: vec3f,
    distance_squared: f32,
    forward: vec3f,
    sorted_index: u32,
) -> Nearest {
    let in_view = dot3(offset, forward) >= sqrt(distance_squared) * query.cosine;
    let nearer = !nearest.found || distance_squared < nearest.distance_squared;
    if (distance_squared <= query.radius_squared && in_view && nearer) {
        return Nearest(true, sorted_index, distance_squared);
    }
    return nearest;
}

// An offset to the nearest image on wrapped axes, u.
fn nearest_image(offset: vec3f) -> vec3f {
    var image = offset;
    if (boundary_x == WRAP) {
        image.x -= world.size.x * floor(image.x / world.size.x + 0.5);
    }
    if (boundary_y == WRAP) {
        image.y -= world.size.y * floor(image.y / world.size.y + 0.5);
    }
    if (SPATIAL && boundary_z == WRAP) {
        image.z -= world.size.z * floor(image.z / world.size.z + 0.5);
    }
    return image;
}

fn goal_at(offset: vec3f, velocity: vec3f, forward: vec3f) -> Goal {
    return Goal(true, offset, sqrt(dot3(offset, offset)), velocity, forward, vec3f(0.0));
}

fn no_goal() -> Goal {
    return Goal(false, vec3f(0.0), 0.0, vec3f(0.0), vec3f(0.0), vec3f(0.0));
}
