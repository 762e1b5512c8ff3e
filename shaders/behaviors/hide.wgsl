// Hide: behind an obstacle, as seen from the target (Buckland, "Programming Game AI by Example", whose agents take the
// nearest place). The place lies beyond the obstacle on the line from the target through its center, and the agent arrives
// there. Of all obstacles it is the one whose place is nearest in proportion to the target's way to it: the agent
// is there first by the largest factor, and an agent in cover stays there. Obstacles that are not seen from outside, and
// planes, give no cover; where there is none, nothing is desired.
//
//   A = (max_speed min(|w| / slow_radius, 1) unit(w) - v) / τ,
//   w = c + (depth + radius + distance) unit(c - r),  c the way to the obstacle's center,
//   depth its extent that way; of the obstacle with the least |w| / |w - r|
//
// Walls of a map have no centers. In their place are up to 13 points: where the walls first meet the rays that go out from the
// agent every 30°, the first one toward the target, and the point of the walls that is nearest to the agent. From each
// of them the line from the target goes on until it is out of the wall, and radius + distance farther: that is
// the place, where it is open and the lines from the target to both sides of the body meet walls. Where only one of them does, the
// point is moved by a radius to that side, once. All are followed in leaps, as feelers are: at most 128 along each ray and twice 128
// through the wall behind it, so a place may lie an eighth of a cell off at a slant. A line of sight crosses 1,024 cells at most.

/// behind the obstacle, or the wall of the map, that covers best from the target
/// weight = 1
/// priority = 2
/// order = 135
/// wants = velocity
struct Hide {
    rule: Rule,
    toward: Target,
    /// room between the obstacle or the wall and the body in cover
    /// value = 1 in 0..1e6 u
    distance: f32,
    /// nearer than this to its place, the agent slows down
    /// value = 20 in 0..1e6 u
    /// needs = stop
    slow_radius: f32,
    /// farther away than this, the target is ignored
    /// value = 1e6 in 0..1e6 u
    panic_distance: f32,
}

// A place in cover.
struct Cover {
    // From the agent, u.
    way: vec3f,
    // The agent's way to it, as a share of the target's.
    share: f32,
}

// The place behind an obstacle; of share FAR_AWAY where it gives no cover.
fn hide_behind(obstacle: Obstacle, hide: Hide, agent: Agent, goal: Goal) -> Cover {
    let center = -from_obstacle(obstacle, agent.position);
    let from_target = nearest_image(center - goal.offset);
    let behind = along(from_target);
    var depth = obstacle.size.x;
    if (obstacle.shape == SHAPE_BOX) {
        depth = box_way_out(obstacle.size, vec3f(0.0), into_frame(obstacle, behind));
    }
    if (obstacle.shape == SHAPE_CAPSULE) {
        depth = capsule_way_out(obstacle.size.x, obstacle.size.y, vec3f(0.0), into_frame(obstacle, behind));
    }
    let room = depth + agent.radius + hide.distance;
    let way = center + behind * room;
    let covers = obstacle.seen_from == SEEN_FROM_OUTSIDE && obstacle.shape != SHAPE_PLANE && dot3(behind, behind) > 0.0;
    let theirs = sqrt(dot3(from_target, from_target)) + room;
    return Cover(way, select(FAR_AWAY, sqrt(dot3(way, way)) / theirs, covers));
}

// How many rays look for walls of the map, and the cosine and the sine of the angle from one to the next.
const HIDE_RAYS = 12u;
const HIDE_TURN = vec2f(0.8660254, 0.5);

// How far a line goes on until it is out of a wall of the map; FAR_AWAY where that is too far.
fn hide_through(position: vec3f, forward: vec3f) -> f32 {
    var way = 0.0;
    for (var leap = 0u; leap < MOST_LEAPS; leap += 1u) {
        let depth = -map_clearance(position + forward * way).distance;
        if (depth <= 0.0) {
            // The last leap may have gone too far.
            return max(way + depth, 0.0);
        }
        way += max(depth, LEAST_LEAP * world.map_cell_size);
    }
    return FAR_AWAY;
}

// The better one of a place in cover and that behind the wall of the map that a ray meets.
fn hide_behind_wall(best: Cover, forward: vec3f, hide: Hide, agent: Agent, goal: Goal) -> Cover {
    let extent = bordered() * world.map_cell_size;
    let ahead = map_way(agent.position, forward, goal.distance + extent.x + extent.y, 0.0);
    if (ahead == FAR_AWAY) {
        return best;
    }
    let wall = map_clearance(agent.position + forward * ahead);
    // Just within it, also at a corner, whose normal may be that of either side.
    let deep = max(wall.distance, 0.0) + 2.0 * TOUCHES * world.map_cell_size;
    let met = forward * (ahead + deep) - wall.normal * deep;
    var shift = vec3f(0.0);
    for (var round = 0u; round < 2u; round += 1u) {
        let from_target = met + shift - goal.offset;
        let behind = along(vec3f(from_target.xy, 0.0));
        let through = hide_through(agent.position + met + shift, behind);
        let way = met + shift + behind * (through + agent.radius + hide.distance);
        let place = agent.position + way;
        let theirs = way - goal.offset;
        let share = sqrt(dot3(way, way)) / max(sqrt(dot3(theirs, theirs)), TOUCHING);
        if (through == FAR_AWAY || share >= best.share || in_wall(place)) {
            break;
        }
        let side = vec3f(-behind.y, behind.x, 0.0) * agent.radius;
        let left = walls_hide(place + side, -theirs - side);
        let right = walls_hide(place - side, side - theirs);
        if (left && right) {
            return Cover(way, share);
        }
        if (left == right) {
            break;
        }
        // At the edge of what the wall hides: as much farther in as the body sticks out at most.
        shift = select(-side, side, left);
    }
    return best;
}

// u/s² before its weight
fn hide_steer(hide: Hide, agent: Agent, goal: Goal) -> vec3f {
    if (!goal.exists || goal.distance > hide.panic_distance) {
        return vec3f(0.0);
    }
    var best = Cover(vec3f(0.0), FAR_AWAY);
    for (var i = 0u; i < scenery.obstacle_count; i += 1u) {
        let cover = hide_behind(obstacle_at(i), hide, agent, goal);
        if (cover.share < best.share) {
            best = cover;
        }
    }
    if (walled) {
        var forward = along(vec3f(goal.offset.xy, 0.0));
        forward = select(forward, vec3f(1.0, 0.0, 0.0), dot3(forward, forward) == 0.0);
        for (var ray = 0u; ray <= HIDE_RAYS; ray += 1u) {
            if (ray == HIDE_RAYS) {
                forward = -map_clearance(agent.position).normal;
            }
            best = hide_behind_wall(best, forward, hide, agent, goal);
            let x = forward.x * HIDE_TURN.x - forward.y * HIDE_TURN.y;
            forward = vec3f(x, forward.x * HIDE_TURN.y + forward.y * HIDE_TURN.x, 0.0);
        }
    }
    if (best.share == FAR_AWAY) {
        return vec3f(0.0);
    }
    return steer_to(agent, arrive_velocity(agent, best.way, hide.slow_radius));
}
