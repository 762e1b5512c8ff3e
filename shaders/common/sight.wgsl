// Line of sight: which agents are hidden by obstacles and walls of the map. The line goes from center to center, to the neighbor's nearest
// image, and is tested only where the neighbor is near enough. Obstacles are where they are when the step begins.
//
// As everywhere, the image of an obstacle that is nearest to the agent counts. The map is not repeated, so beyond a seam there are no
// walls. An agent inside of something solid (an obstacle that is seen from outside, a wall) sees no agent, and none sees it.

// What may hide others from an agent.
struct Sight {
    // True if line of sight matters to the agent.
    acts: bool,
    // The obstacles within the distance up to which the agent looks.
    nearby: Nearby,
}

// `radius`: how far the agent looks, u.
fn sight_from(own: u32, position: vec3f, radius: f32) -> Sight {
    var sight = Sight(false, Nearby(vec2u(0u), 0.0, 0.0));
    if (occludes) {
        if (species[own].line_of_sight != 0u) {
            sight = Sight(true, obstacles_within(position, radius, 0.0));
        }
    }
    return sight;
}

// Return whether an agent at this offset from a position is hidden from there.
fn is_hidden(sight: Sight, position: vec3f, offset: vec3f, distance_squared: f32) -> bool {
    let distance = sqrt(distance_squared);
    var hidden = false;
    // Agents at less distance have no line between them, and see each other.
    if (sight.acts && distance > COINCIDENT) {
        hidden = obstacles_hide(sight.nearby, position, offset / distance, distance);
        if (walled) {
            if (!hidden) {
                hidden = walls_hide(position, offset);
            }
        }
    }
    return hidden;
}

// Return whether the line of this length meets an obstacle.
fn obstacles_hide(nearby: Nearby, position: vec3f, forward: vec3f, distance: f32) -> bool {
    let course = feeler(forward, distance);
    let as_far = Nearby(nearby.few, distance, 0.0);
    var hit = Hit(false, FAR_AWAY, vec3f(1.0, 0.0, 0.0), 0u, course, look_ahead_of(course));
    if (many_obstacles) {
        hit = first_of_many(hit, as_far, position, 0.0);
    } else {
        // Any hit will do, not only the first one.
        var left = nearby.few;
        while (any(left != vec2u(0u)) && !hit.exists) {
            let i = select(32u + firstTrailingBit(left.y), firstTrailingBit(left.x), left.x != 0u);
            left = select(vec2u(0u, left.y & (left.y - 1u)), vec2u(left.x & (left.x - 1u), left.y), left.x != 0u);
            hit = near_hit(hit, i, as_far, position, course, 0.0);
        }
    }
    return hit.exists;
}

// Return whether the line meets a wall of the map. It is followed from cell to cell, as a move is, so no corner is missed. A line exactly
// between two walls that touch at their corners meets them. A line across more cells than any move crosses counts as hidden.
fn walls_hide(position: vec3f, offset: vec3f) -> bool {
    let at = on_map(position);
    let way = on_map(position + offset) - at;
    let onward = way > vec2f(0.0);
    let ahead = select(vec2f(-1.0), vec2f(1.0), onward);
    var cell = floor(at);
    var hidden = is_wall(at);
    var arrived = false;
    for (var crossed = 0u; crossed < MAX_CELLS_CROSSED && !hidden && !arrived; crossed += 1u) {
        let side = select(cell, cell + 1.0, onward);
        // The share of the line after which it comes to the side of the cell.
        let share = select(vec2f(FAR_AWAY), (side - at) / way, way != vec2f(0.0));
        arrived = min(share.x, share.y) > 1.0;
        cell += select(vec2f(0.0, ahead.y), vec2f(ahead.x, 0.0), share.x <= share.y);
        hidden = !arrived && is_wall(cell + 0.5);
    }
    return !arrived;
}
