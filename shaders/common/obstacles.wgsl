// Obstacles: signed distance, nearest wall, and the first obstacle on the way of a moving body. Distances are positive
// where agents are free, and normals point there.

const SHAPE_SPHERE = 0u; // Value of an obstacle's `shape`.
const SHAPE_BOX = 1u;
const SHAPE_PLANE = 2u;
const SHAPE_CAPSULE = 3u;
const SEEN_FROM_OUTSIDE = 0u; // Value of an obstacle's `seen_from`.
const SEEN_FROM_INSIDE = 1u;
const SEEN_FROM_BOTH = 2u;

// Newton steps toward the rounded edges of a box, and the ends of a capsule.
const EDGE_STEPS = 12u;

// The nearest wall of all obstacles and of the map.
struct Wall {
    exists: bool, // Is there any wall at all?
    // To the surface, u; negative on the solid side.
    distance: f32,
    normal: vec3f, // Points from the wall to the free side, of unit length.
    // Nearest point of the surface, u.
    point: vec3f,
    obstacle: u32, // Index of the obstacle.
}

// The course of a body: straight on, as far as it looks.
struct Approach {
    forward: vec3f, // Direction, a unit vector.
    speed: f32, // Speed, u/s.
    min_look_ahead: f32, // How far it looks at least, u.
    look_ahead_time: f32, // How far it looks in time, s.
    // True for a feeler, which touches obstacles where they are now, however they move.
    is_feeler: bool,
}

fn feeler(forward: vec3f, length: f32) -> Approach {
    return Approach(forward, 0.0, length, 0.0, true);
}

// How far a course is looked at, u.
fn look_ahead_of(course: Approach) -> f32 {
    return max(course.min_look_ahead, course.speed * course.look_ahead_time);
}

// The first obstacle on the way of a body.
struct Hit {
    exists: bool, // Is there one within reach?
    // Along the way until the body touches, u; 0 where it touches already.
    distance: f32,
    // The obstacle's normal at the center of the body where it touches.
    normal: vec3f,
    obstacle: u32, // Index of the obstacle.
    // The body's course relative to the obstacle.
    course: Approach,
    // The number by which hits are compared, the least first: the way as a share of its look-ahead, times the look-ahead of the body's own
    // course, u.
    compared_distance: f32,
}

// From the obstacle's center to the nearest image of a point, u.
fn from_obstacle(obstacle: Obstacle, position: vec3f) -> vec3f {
    var center = obstacle.center;
    if (!SPATIAL) {
        // Known to be 0, so it is not loaded.
        center.z = 0.0;
    }
    return nearest_image(position - center);
}

// A vector in the frame of an obstacle, in which boxes and capsules lie along the axes.
fn into_frame(obstacle: Obstacle, vector: vec3f) -> vec3f {
    if (obstacles_turn) {
        if (obstacle.turned != 0u) {
            return turned(vector, vec4f(-obstacle.turn.xyz, obstacle.turn.w));
        }
    }
    return vector;
}

// The inverse of `into_frame`.
fn out_of_frame(obstacle: Obstacle, vector: vec3f) -> vec3f {
    if (obstacles_turn) {
        if (obstacle.turned != 0u) {
            return turned(vector, obstacle.turn);
        }
    }
    return vector;
}

fn sphere_clearance(radius: f32, at: vec3f) -> Clearance {
    let distance = sqrt(dot3(at, at));
    if (distance <= TOUCHING) {
        return Clearance(-radius, vec3f(1.0, 0.0, 0.0));
    }
    return Clearance(distance - radius, at / distance);
}

// Within the box the nearest face counts, outside of it the nearest face, edge or corner.
fn box_clearance(half_size: vec3f, at: vec3f) -> Clearance {
    let side = select(vec3f(1.0), vec3f(-1.0), at < vec3f(0.0));
    let beyond = abs(at) - half_size;
    let deepest = max(beyond.x, max(beyond.y, beyond.z));
    if (deepest <= TOUCHING) {
        var normal = vec3f(0.0, 0.0, side.z);
        if (beyond.y == deepest) {
            normal = vec3f(0.0, side.y, 0.0);
        }
        if (beyond.x == deepest) {
            normal = vec3f(side.x, 0.0, 0.0);
        }
        return Clearance(deepest, normal);
    }
    let out = select(vec3f(0.0), beyond, beyond > vec3f(0.0));
    let distance = sqrt(dot3(out, out));
    return Clearance(distance, select(out, -out, at < vec3f(0.0)) / distance);
}

// The clearance of a ball around the nearest point of the core, which lies along x.
fn capsule_clearance(half_length: f32, radius: f32, at: vec3f) -> Clearance {
    return sphere_clearance(radius, at - vec3f(within(at.x, -half_length, half_length), 0.0, 0.0));
}

// The clearance in the frame of the obstacle.
fn clearance_in_frame(shape: u32, size: vec3f, at: vec3f) -> Clearance {
    if (shape == SHAPE_SPHERE) {
        return sphere_clearance(size.x, at);
    }
    if (boxes_or_capsules) {
        if (shape == SHAPE_BOX) {
            return box_clearance(size, at);
        }
    }
    if (capsules) {
        if (shape == SHAPE_CAPSULE) {
            return capsule_clearance(size.x, size.y, at);
        }
    }
    return Clearance(dot3(size, at), size);
}

// The clearance as if the obstacle were seen from outside.
fn shape_clearance(obstacle: Obstacle, at: vec3f) -> Clearance {
    let clearance = clearance_in_frame(obstacle.shape, obstacle.size, into_frame(obstacle, at));
    return Clearance(clearance.distance, out_of_frame(obstacle, clearance.normal));
}

// Return whether an agent at this clearance is inside the shape and the inside is free.
fn is_within(obstacle: Obstacle, clearance: Clearance) -> bool {
    return obstacle.seen_from == SEEN_FROM_INSIDE
        || (obstacle.seen_from == SEEN_FROM_BOTH && clearance.distance < 0.0);
}

// Distance and normal of one obstacle at a position.
fn obstacle_clearance(obstacle: Obstacle, position: vec3f) -> Clearance {
    let clearance = shape_clearance(obstacle, from_obstacle(obstacle, position));
    return facing(clearance, is_within(obstacle, clearance));
}

// An obstacle as it is now.
fn obstacle_at(index: u32) -> Obstacle {
    if (many_obstacles) {
        return obstacle_after(index, 0.0);
    } else {
        return scenery.obstacles[index];
    }
}

// An obstacle as it will be after a time, if it goes on as it does now.
fn obstacle_after(index: u32, time: f32) -> Obstacle {
    if (many_obstacles) {
        let obstacle = obstacle_row(index);
        if (moves) {
            if (obstacle.trajectory != NO_TRAJECTORY) {
                return moved(obstacle, moment_after(obstacle.trajectory, time));
            }
        }
        return obstacle;
    } else {
        if (moves) {
            let along = scenery.obstacles[index].trajectory;
            if (along != NO_TRAJECTORY) {
                return moved(scenery.obstacles[index], moment_after(along, time));
            }
        }
        return scenery.obstacles[index];
    }
}

// A trajectory as it will be after a time, if it goes on as it does now.
fn moment_after(index: u32, time: f32) -> Moment {
    let trajectory = scenery.trajectories[index];
    return Moment(trajectory.place + trajectory.rate * time, trajectory.rate);
}

// The course of a body relative to a moving obstacle. Of the obstacle's turn only the motion of the nearest point of its surface along the
// normal counts: a sphere that turns stays where it is.
fn course_against(obstacle: Obstacle, course: Approach, at: vec3f, clearance: Clearance) -> Approach {
    let rate = scenery.trajectories[obstacle.trajectory].rate;
    let on = at - clearance.normal * clearance.distance;
    let swept = cross3(obstacle.axis * (rate.w * (2.0 * PI)), on);
    let surface = rate.xyz + clearance.normal * dot3(swept, clearance.normal);
    let relative = course.forward * course.speed - surface;
    let speed = sqrt(dot3(relative, relative));
    return Approach(along(relative), speed, course.min_look_ahead, course.look_ahead_time, false);
}

// The nearest wall of all obstacles, as they will be after `time` (s), and of the map. Inside of several solids it is the one in which the
// position is deepest; of equally near ones it is the first.
fn nearest_wall(position: vec3f, time: f32) -> Wall {
    var wall = Wall(false, FAR_AWAY, vec3f(1.0, 0.0, 0.0), position, 0u);
    if (many_obstacles) {
        var everywhere = false;
        var g = 0u;
        loop {
            let group = scenery.groups[g];
            var place = position;
            if (moves) {
                if (group.trajectory != NO_TRAJECTORY) {
                    place = position - moment_after(group.trajectory, time).place.xyz;
                }
            }
            everywhere = everywhere || !(is_sharp(group, position, place) && is_inside(group, place));
            let list = listed(group, group_cell(group, in_grid(group, place)));
            let end = select(list.end, list.reached, g + 1u == scenery.group_count && !everywhere);
            var entry = list.first;
            loop {
                if (entry < end) {
                    wall = nearer_wall(wall, listed_entry(group, entry).w & INDEX_MASK, position, time);
                }
                continuing {
                    entry += 1u;
                    break if entry >= end;
                }
            }
            continuing {
                g += 1u;
                break if is_over(g, everywhere);
            }
        }
    } else {
        for (var i = 0u; i < scenery.obstacle_count; i += 1u) {
            wall = nearer_wall(wall, i, position, time);
        }
    }
    if (walled) {
        let clearance = map_clearance(position);
        if (clearance.distance < wall.distance) {
            wall = Wall(true, clearance.distance, clearance.normal, vec3f(0.0), MAP_WALLS);
        }
    }
    wall.point = position - wall.normal * wall.distance;
    return wall;
}

fn nearer_wall(wall: Wall, index: u32, position: vec3f, time: f32) -> Wall {
    let clearance = obstacle_clearance(obstacle_after(index, time), position);
    var nearer = clearance.distance < wall.distance;
    if (many_obstacles) {
        // Lists do not come in the order of obstacles.
        nearer = nearer || (clearance.distance == wall.distance && index < wall.obstacle);
    }
    if (nearer) {
        return Wall(true, clearance.distance, clearance.normal, vec3f(0.0), index);
    }
    return wall;
}

// Way along `forward` to a sphere of this radius, from outside or from within.
fn sphere_way(radius: f32, at: vec3f, forward: vec3f, within: bool) -> f32 {
    let ahead = -dot3(at, forward);
    let lateral = at + forward * ahead;
    let rest = radius * radius - dot3(lateral, lateral);
    let chord = sqrt(max(rest, 0.0));
    if (within) {
        return max(ahead + chord, 0.0);
    }
    return select(FAR_AWAY, max(ahead - chord, 0.0), rest >= 0.0 && ahead >= 0.0);
}

// Way out of a box from within.
fn box_way_out(half_size: vec3f, at: vec3f, forward: vec3f) -> f32 {
    let room = half_size - select(-at, at, forward > vec3f(0.0));
    let way = room / max(abs(forward), vec3f(TOUCHING));
    return min(min(way.x, min(way.y, way.z)), FAR_AWAY);
}

// Way out of a capsule from within. The distance to its core is convex along a line, so Newton's method comes from beyond
// and never oversteps.
fn capsule_way_out(half_length: f32, radius: f32, at: vec3f, forward: vec3f) -> f32 {
    var way = sqrt(dot3(at, at)) + half_length + radius;
    for (var step = 0u; step < EDGE_STEPS; step += 1u) {
        let clearance = capsule_clearance(half_length, radius, at + forward * way);
        let slope = dot3(clearance.normal, forward);
        if (clearance.distance <= 0.0 || slope <= 0.0) {
            break;
        }
        way = way - clearance.distance / slope;
    }
    return max(way, 0.0);
}

// Way along `forward` until a body of this radius touches a box or a capsule from outside. The distance to what is convex is
// convex along a line, so Newton's method comes from the near side and never oversteps.
fn convex_way_in(shape: u32, size: vec3f, at: vec3f, forward: vec3f, radius: f32) -> f32 {
    var way = 0.0;
    for (var step = 0u; step < EDGE_STEPS; step += 1u) {
        let clearance = clearance_in_frame(shape, size, at + forward * way);
        let gap = clearance.distance - radius;
        let slope = dot3(clearance.normal, forward);
        if (gap <= 0.0) {
            break;
        }
        if (slope >= 0.0) {
            way = FAR_AWAY;
            break;
        }
        way = min(way - gap / slope, FAR_AWAY);
    }
    return way;
}

// Way along `forward` until a body at this clearance, which does not touch yet, touches the obstacle.
fn obstacle_way(obstacle: Obstacle, free: Clearance, within: bool, at: vec3f, forward: vec3f, radius: f32) -> f32 {
    if (obstacle.shape == SHAPE_SPHERE) {
        return sphere_way(obstacle.size.x + select(radius, -radius, within), at, forward, within);
    }
    if (obstacle.shape == SHAPE_PLANE) {
        let slope = dot3(free.normal, forward);
        return select(FAR_AWAY, (free.distance - radius) / max(-slope, TOUCHING), slope < -TOUCHING);
    }
    if (boxes_or_capsules) {
        let own_at = into_frame(obstacle, at);
        let own_forward = into_frame(obstacle, forward);
        if (within) {
            if (capsules) {
                if (obstacle.shape == SHAPE_CAPSULE) {
                    return capsule_way_out(obstacle.size.x, obstacle.size.y - radius, own_at, own_forward);
                }
            }
            return box_way_out(obstacle.size - radius, own_at, own_forward);
        }
        return convex_way_in(obstacle.shape, obstacle.size, own_at, own_forward, radius);
    }
    return FAR_AWAY;
}

// The obstacles that may be nearer than `distance` (u) to a position, now or within `time` (s).
struct Nearby {
    // Bit i is set for obstacle i, unless there are many obstacles.
    few: vec2u,
    // Many obstacles are not searched for here, but along the course, within this distance and time.
    distance: f32,
    time: f32,
}

// Find the obstacles that may be near. Most obstacles are far from most agents, and the search for a hit is costly, so this test comes
// first.
fn obstacles_within(position: vec3f, distance: f32, time: f32) -> Nearby {
    var near = vec2u(0u);
    if (!many_obstacles) {
        for (var i = 0u; i < scenery.obstacle_count; i += 1u) {
            let bit = select(0u, 1u << (i & 31u), is_nearer(scenery.obstacles[i], position, distance, time));
            near |= select(vec2u(bit, 0u), vec2u(0u, bit), i > 31u);
        }
    }
    return Nearby(near, distance, time);
}

// Return whether an obstacle may be nearer than `distance` (u) to a position, now or within `time` (s).
fn is_nearer(obstacle: Obstacle, position: vec3f, distance: f32, time: f32) -> bool {
    let at = from_obstacle(obstacle, position);
    var farthest = obstacle.bound + distance;
    if (moves) {
        if (obstacle.trajectory != NO_TRAJECTORY) {
            let rate = scenery.trajectories[obstacle.trajectory].rate;
            let sweeps = abs(rate.w) * (2.0 * PI) * obstacle.bound;
            farthest += (sqrt(dot3(rate.xyz, rate.xyz)) + sweeps) * time;
        }
    }
    return dot3(at, at) <= farthest * farthest;
}

// The first hit of a body of this radius on its course, if obstacles go on as they do now: with the obstacles nearby, or with a wall of the
// map after `way`, with this normal. The first hit is the one whose way is the least share of its look-ahead. Of obstacles that the body
// touches already, it is the one in which the body is deepest; of exactly equal ones the first. The order in which they are tested does not
// matter.
fn first_hit_of(nearby: Nearby, position: vec3f, course: Approach, radius: f32, way: f32, normal: vec3f) -> Hit {
    var hit = Hit(false, FAR_AWAY, vec3f(1.0, 0.0, 0.0), 0u, course, look_ahead_of(course));
    if (many_obstacles) {
        hit = first_of_many(hit, nearby, position, radius);
    } else {
        var left = nearby.few;
        while (any(left != vec2u(0u))) {
            let i = select(32u + firstTrailingBit(left.y), firstTrailingBit(left.x), left.x != 0u);
            left = select(vec2u(0u, left.y & (left.y - 1u)), vec2u(left.x & (left.x - 1u), left.y), left.x != 0u);
            hit = earlier_hit(hit, i, scenery.obstacles[i], position, course, radius);
        }
    }
    if (walled) {
        if (way < hit.compared_distance) {
            hit = Hit(true, max(way, 0.0), normal, MAP_WALLS, course, way);
        }
    }
    if (hit.exists && hit.obstacle != MAP_WALLS) {
        let place = position + hit.course.forward * hit.distance;
        hit.normal = obstacle_clearance(obstacle_at(hit.obstacle), place).normal;
    }
    return hit;
}

// The normal where a body at this position touches on its course. The corners of a box, from within, count as rounded by this radius, u.
fn rounded_normal(hit: Hit, position: vec3f, rounding: f32) -> vec3f {
    var normal = hit.normal;
    if (boxes_from_within) {
        if (walled) {
            if (hit.obstacle == MAP_WALLS) {
                return normal;
            }
        }
        let obstacle = obstacle_at(hit.obstacle);
        let touch = position + hit.course.forward * hit.distance;
        let at = into_frame(obstacle, from_obstacle(obstacle, touch));
        if (obstacle.shape == SHAPE_BOX && obstacle.seen_from != SEEN_FROM_OUTSIDE && all(abs(at) <= obstacle.size)) {
            let beyond = max(abs(at) - max(obstacle.size - vec3f(rounding), vec3f(0.0)), vec3f(0.0));
            normal = along(out_of_frame(obstacle, select(-beyond, beyond, at < vec3f(0.0))));
        }
    }
    return normal;
}

// The earlier one of a hit and the hit on another obstacle. `course` is the agent's own, not relative to the obstacle.
fn earlier_hit(hit: Hit, index: u32, obstacle: Obstacle, position: vec3f, course: Approach, radius: f32) -> Hit {
    let at = from_obstacle(obstacle, position);
    let clearance = shape_clearance(obstacle, at);
    let within = is_within(obstacle, clearance);
    let free = facing(clearance, within);
    // The gap is the shortest way there can be. A negative one says how deep the body is.
    let gap = free.distance - radius;
    var seen = course;
    // Factor from a way to `Hit.compared_distance`.
    var share = 1.0;
    if (moves) {
        if (obstacle.trajectory != NO_TRAJECTORY && !course.is_feeler) {
            seen = course_against(obstacle, course, at, clearance);
            share = look_ahead_of(course) / max(look_ahead_of(seen), TOUCHING);
        }
    }
    var way = gap;
    if (gap > 0.0 && gap * share <= hit.compared_distance) {
        way = obstacle_way(obstacle, free, within, at, seen.forward, radius);
    }
    // Rounding may make a way shorter than the gap.
    let counts = max(way, gap) * share;
    var is_earlier = counts < hit.compared_distance;
    if (many_obstacles) {
        // Lists do not come in the order of obstacles.
        is_earlier = is_earlier || (counts == hit.compared_distance && hit.exists && index < hit.obstacle);
    }
    if (is_earlier) {
        return Hit(true, max(way, 0.0), free.normal, index, seen, counts);
    }
    return hit;
}

// The first hit with many obstacles. In each group the search goes along the course from cell to cell until a hit is nearer than the next
// cell: a cell lists everything that a body touches whose center is in the cell, if the body is no larger than the group's `room`. Most
// listed obstacles lie beside the course, and the test of one on the course is costly, so an inner loop goes on to the next one on the
// course.
//
// The loops test at their end whether there is another round (`break if`): software drivers compute a whole round even if its first
// statement leaves the loop.
fn first_of_many(none: Hit, nearby: Nearby, position: vec3f, radius: f32) -> Hit {
    let course = none.course;
    var hit = none;
    var everywhere = false;
    var g = 0u;
    loop {
        let group = scenery.groups[g];
        var place = position;
        var seen = course;
        var share = 1.0;
        if (moves) {
            if (group.trajectory != NO_TRAJECTORY) {
                let rate = scenery.trajectories[group.trajectory].rate.xyz;
                place = position - scenery.trajectories[group.trajectory].place.xyz;
                if (!course.is_feeler) {
                    let relative = course.forward * course.speed - rate;
                    let speed = sqrt(dot3(relative, relative));
                    seen = Approach(along(relative), speed, course.min_look_ahead, course.look_ahead_time, false);
                    share = look_ahead_of(course) / max(look_ahead_of(seen), TOUCHING);
                }
            }
        }
        let length = look_ahead_of(seen);
        let crossed = abs(seen.forward * group.per_unit) * length;
        let fits = radius <= group.room && crossed.x + crossed.y + crossed.z <= MOST_LOOKED_IN && is_sharp(group, position, place);
        everywhere = everywhere || !fits;
        let is_last = g + 1u == scenery.group_count;
        var walk = cell_walk(group, place, seen.forward);
        var list = listed(group, walk.cell);
        if (is_last && everywhere) {
            list.reached = list.end;
        }
        var done = !fits;
        loop {
            var next = NO_OBSTACLE;
            loop {
                if (list.first < list.reached && !done) {
                    let entry = listed_entry(group, list.first);
                    if (is_last || lies_on(bitcast<vec4f>(entry & ROUNDED_BOUND), place, seen.forward, radius)) {
                        next = entry.w & INDEX_MASK;
                    }
                    list.first += 1u;
                }
                if (list.first >= list.reached && next == NO_OBSTACLE) {
                    let begin = way_out(walk);
                    done = done || begin >= length || begin * share > hit.compared_distance;
                    walk = next_cell(group, walk, seen.forward);
                    list = listed(group, walk.cell);
                }
                continuing {
                    break if done || next != NO_OBSTACLE;
                }
            }
            if (next != NO_OBSTACLE) {
                hit = near_hit(hit, next, nearby, position, course, radius);
            }
            continuing {
                break if done;
            }
        }
        continuing {
            g += 1u;
            break if is_over(g, everywhere);
        }
    }
    return hit;
}

// Return whether there is nothing to test in the groups from this one on. The last group counts only if it has obstacles of its own, or
// stands in for the others (`everywhere`).
fn is_over(group: u32, everywhere: bool) -> bool {
    return group >= scenery.group_count || (group + 1u == scenery.group_count && scenery.endless_count == 0u && !everywhere);
}

// Return whether a body of this radius may touch an obstacle with this center and bounding radius on the line of its course. `place` and
// `forward` are relative to the moving obstacle.
fn lies_on(bound: vec4f, place: vec3f, forward: vec3f, radius: f32) -> bool {
    let at = nearest_image(place - bound.xyz);
    let aside = at - forward * dot3(at, forward);
    let touches = bound.w + radius;
    // A little more than rounding may take.
    return dot3(aside, aside) <= touches * touches * 1.001 + dot3(at, at) * 1e-6;
}

fn near_hit(hit: Hit, index: u32, nearby: Nearby, position: vec3f, course: Approach, radius: f32) -> Hit {
    let obstacle = obstacle_at(index);
    if (is_nearer(obstacle, position, nearby.distance, nearby.time)) {
        return earlier_hit(hit, index, obstacle, position, course, radius);
    }
    return hit;
}

// The first hit with all obstacles and the walls of the map, as in `first_hit_of`.
fn first_hit(position: vec3f, course: Approach, radius: f32) -> Hit {
    let nearby = obstacles_within(position, radius + look_ahead_of(course), course.look_ahead_time);
    var way = FAR_AWAY;
    var normal = vec3f(0.0);
    if (walled) {
        way = map_way(position, course.forward, look_ahead_of(course), radius);
        normal = map_clearance(position + course.forward * max(way, 0.0)).normal;
    }
    return first_hit_of(nearby, position, course, radius, way, normal);
}
