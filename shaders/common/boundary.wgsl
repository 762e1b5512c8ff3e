// What happens at the two ends of each axis.

// A coordinate brought back into [-half_size, half_size) by whole world lengths.
fn wrap_coordinate(x: f32, size: f32, half_size: f32) -> f32 {
    let wrapped = x - size * floor((x + half_size) / size);
    if (wrapped >= half_size || wrapped < -half_size) {
        // Rounding put it on the upper end, which is the same place as the lower end.
        return -half_size;
    }
    return wrapped;
}

// A position, moved back into the world along wrapped axes.
fn wrapped(position: vec3f) -> vec3f {
    var inside = position;
    if (boundary_x == WRAP) {
        inside.x = wrap_coordinate(position.x, world.size.x, world.half_size.x);
    }
    if (boundary_y == WRAP) {
        inside.y = wrap_coordinate(position.y, world.size.y, world.half_size.y);
    }
    if (SPATIAL && boundary_z == WRAP) {
        inside.z = wrap_coordinate(position.z, world.size.z, world.half_size.z);
    }
    return inside;
}

// Acceleration away from contained walls, per axis: none outside the margin, then rising to `strongest` at the wall.
fn containment_along(x: f32, half_size: f32, strongest: f32) -> f32 {
    let depth = abs(x) - (half_size - world.margin);
    if (depth > 0.0) {
        let push = strongest * min(depth / world.margin, 1.0);
        return select(push, -push, x > 0.0);
    }
    return 0.0;
}

fn containment(position: vec3f, strongest: f32) -> vec3f {
    var push = vec3f(0.0);
    if (boundary_x == CONTAIN) {
        push.x = containment_along(position.x, world.half_size.x, strongest);
    }
    if (boundary_y == CONTAIN) {
        push.y = containment_along(position.y, world.half_size.y, strongest);
    }
    if (SPATIAL && boundary_z == CONTAIN) {
        push.z = containment_along(position.z, world.half_size.z, strongest);
    }
    return push;
}

struct Motion {
    position: f32,
    velocity: f32,
}

// One coordinate of the motion after the boundary. A contained wall holds the agent and turns its velocity inward, which
// keeps the speed.
fn bounded(x: f32, v: f32, size: f32, half_size: f32, boundary: u32) -> Motion {
    if (boundary == WRAP) {
        return Motion(wrap_coordinate(x, size, half_size), v);
    }
    if (boundary == CONTAIN) {
        if (x > half_size) {
            return Motion(half_size, -abs(v));
        }
        if (x < -half_size) {
            return Motion(-half_size, abs(v));
        }
    }
    return Motion(x, v);
}

// A move after the boundary, along all axes.
fn bounded_move(aim: Move) -> Move {
    let x = bounded(aim.position.x, aim.velocity.x, world.size.x, world.half_size.x, boundary_x);
    let y = bounded(aim.position.y, aim.velocity.y, world.size.y, world.half_size.y, boundary_y);
    var z = Motion(0.0, 0.0);
    if (SPATIAL) {
        z = bounded(aim.position.z, aim.velocity.z, world.size.z, world.half_size.z, boundary_z);
    }
    return Move(vec3f(x.position, y.position, z.position), vec3f(x.velocity, y.velocity, z.velocity));
}
