// Places in cover, where a target does not see the agent. `behaviors/hide.wgsl` says how those behind walls of a map are found.

// A place in cover.
struct Cover {
    // The way to it from the agent, u.
    way: vec3f,
    // The length of the agent's way to it, as a share of the target's. The place with the least share is the best.
    share: f32,
}

// Number of rays that search for walls of the map, and the cosine and the sine of the angle from one to the next.
const HIDE_RAYS = 12u;
const HIDE_TURN = vec2f(0.8660254, 0.5);

// How far a line from inside of a wall of the map goes until it leaves the wall, u; FAR_AWAY if that takes too many leaps.
fn way_out_of_wall(position: vec3f, forward: vec3f) -> f32 {
    var way = 0.0;
    for (var leap = 0u; leap < MAX_LEAPS; leap += 1u) {
        let depth = -map_clearance(position + forward * way).distance;
        if (depth <= 0.0) {
            // The last leap may have gone too far.
            return max(way + depth, 0.0);
        }
        way += max(depth, LEAST_LEAP * world.map_cell_size);
    }
    return FAR_AWAY;
}

// The better one of `best` and the place behind the wall of the map that a ray along `forward` meets.
fn hide_behind_wall(best: Cover, forward: vec3f, room: f32, agent: Agent, goal: Goal) -> Cover {
    let extent = bordered() * world.map_cell_size;
    let ahead = map_way(agent.position, forward, goal.distance + extent.x + extent.y, 0.0);
    if (ahead == FAR_AWAY) {
        return best;
    }
    let wall = map_clearance(agent.position + forward * ahead);
    // The point that was met lies just within the wall, also at a corner, where the normal may belong to either side.
    let deep = max(wall.distance, 0.0) + 2.0 * TOUCHES * world.map_cell_size;
    let met = forward * (ahead + deep) - wall.normal * deep;
    var shift = vec3f(0.0);
    for (var round = 0u; round < 2u; round += 1u) {
        let from_target = met + shift - goal.offset;
        let behind = along(vec3f(from_target.xy, 0.0));
        let through = way_out_of_wall(agent.position + met + shift, behind);
        let way = met + shift + behind * (through + agent.radius + room);
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
        // At its edge the wall hides one side of the body only: move the point by a radius to that side, the most that the body
        // can stick out.
        shift = select(-side, side, left);
    }
    return best;
}

// The best one of `best` and all places behind walls of the map, with `room` between wall and body, u.
fn hide_behind_walls(best: Cover, room: f32, agent: Agent, goal: Goal) -> Cover {
    var cover = best;
    if (walled) {
        var forward = along(vec3f(goal.offset.xy, 0.0));
        forward = select(forward, vec3f(1.0, 0.0, 0.0), dot3(forward, forward) == 0.0);
        for (var ray = 0u; ray <= HIDE_RAYS; ray += 1u) {
            if (ray == HIDE_RAYS) {
                forward = -map_clearance(agent.position).normal;
            }
            cover = hide_behind_wall(cover, forward, room, agent, goal);
            let x = forward.x * HIDE_TURN.x - forward.y * HIDE_TURN.y;
            forward = vec3f(x, forward.x * HIDE_TURN.y + forward.y * HIDE_TURN.x, 0.0);
        }
    }
    return cover;
}
