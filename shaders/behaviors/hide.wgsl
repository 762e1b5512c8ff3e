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
    /// what the agent hides from
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

// The place behind an obstacle; its share is FAR_AWAY if the obstacle gives no cover.
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
    best = hide_behind_walls(best, hide.distance, agent, goal);
    if (best.share == FAR_AWAY) {
        return vec3f(0.0);
    }
    return steer_to(agent, arrive_velocity(agent, best.way, hide.slow_radius));
}
