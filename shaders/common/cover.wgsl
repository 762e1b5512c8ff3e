// Places in cover: where an agent is not seen from somewhere. `behaviors/hide.wgsl` says how the ones behind walls of a map are found.

// A place in cover.
struct Cover {
    // From the agent, u.
    way: vec3f,
    // The agent's way to it, as a share of the target's.
    share: f32,
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
fn hide_behind_wall(best: Cover, forward: vec3f, room: f32, agent: Agent, goal: Goal) -> Cover {
    let extent = bordered() * world.map_cell_size;
    let ahead = map_way(agent.position, forward, goal.distance + extent.x + extent.y, 0.0);
    if (ahead == FAR_AWAY) {
        return best;
    }
    let wall = map_clearance(agent.position + forward * ahead);
    // Just within it, also at a corner, where the normal may belong to either side.
    let deep = max(wall.distance, 0.0) + 2.0 * TOUCHES * world.map_cell_size;
    let met = forward * (ahead + deep) - wall.normal * deep;
    var shift = vec3f(0.0);
    for (var round = 0u; round < 2u; round += 1u) {
        let from_target = met + shift - goal.offset;
        let behind = along(vec3f(from_target.xy, 0.0));
        let through = hide_through(agent.position + met + shift, behind);
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
        // At the edge of what the wall hides: as much farther in as the body sticks out at most.
        shift = select(-side, side, left);
    }
    return best;
}

// The better one of this cover and all places behind walls of the map, with so much room between wall and body.
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
