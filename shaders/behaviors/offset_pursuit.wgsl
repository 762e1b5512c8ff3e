// Offset pursuit: to a place beside the target, or past it at a distance.
//
//   leader_frame:  A = (max_speed min(|w| / slow_radius, 1) unit(w) - v) / τ,
//                  w = q + T u,  q = r + offset in the target's frame,  T = |q| / (max_speed + |u|)
//   fly_by:        A = (max_speed unit(t + T u) - v) / τ,  t of length d along the tangent,
//                  at the angle of sine distance / d from r;  |t + T u| = max_speed T
//   T <= max_prediction_time
//
// leader_frame (Buckland): arrive at a place fixed in the target's frame (ahead, right, up), predicted by the closing time.
// Right is level: a formation does not roll with its leader. A target without a heading, such as a point, looks along x;
// an agent that has stood from the start has one that is drawn by its id.
//
// fly_by (Reynolds 1999): pass the target at a distance. Seen from the target the agent should fly along a tangent of the
// sphere of that radius, so the offset is perpendicular to the relative velocity, and a steady target is passed at
// that distance whatever its course. It passes on the side to which it drifts already; on the right, where it does not.

/// to a place beside the target, or past it at a distance
/// weight = 1
/// priority = 4
/// order = 140
/// wants = velocity
struct OffsetPursuit {
    rule: Rule,
    toward: Target,
    /// leader_frame: to a fixed place in the target's frame; fly_by: past it at a distance
    /// value = leader_frame of leader_frame | fly_by
    mode: u32,
    /// place in the target's frame: ahead, to its right, above
    /// value = 0 in -1e6..1e6 u
    offset: array<f32, 3>,
    /// distance of the fly-by
    /// value = 5 in 0..1e6 u
    distance: f32,
    /// nearer than this to its place, the agent slows down
    /// value = 5 in 0..1e6 u
    /// needs = slow if mode = leader_frame
    slow_radius: f32,
    /// the time ahead is never longer
    /// value = 1 in 0..1e3 s
    max_prediction_time: f32,
}

const OFFSET_PURSUIT_FLY_BY = 1u;

// A vector given in a target's frame (ahead, right, up), in the frame of the world.
fn offset_pursuit_to_world(local: vec3f, heading: vec3f) -> vec3f {
    let forward = select(vec3f(1.0, 0.0, 0.0), heading, dot3(heading, heading) > 0.0);
    let right = right_of(forward);
    let level = forward * local.x + right * local.y;
    if (SPATIAL) {
        return level + cross3(right, forward) * local.z;
    }
    return level;
}

// Arrive at a place in the target's frame (ahead, right, up), u/s².
fn offset_pursuit_accompany(agent: Agent, goal: Goal, local: vec3f, slow_radius: f32, longest: f32) -> vec3f {
    let place = goal.offset + offset_pursuit_to_world(local, goal.forward);
    let way = place + goal.velocity * min(closing_time(agent, place, goal.velocity), longest);
    return steer_to(agent, arrive_velocity(agent, way, slow_radius));
}

// The way, as the target sees it, along a tangent of the sphere around the target; inside the sphere, straight aside.
fn offset_pursuit_tangent(agent: Agent, goal: Goal, distance: f32) -> vec3f {
    let ahead = along(goal.offset);
    let relative = agent.velocity - goal.velocity;
    var aside = along(relative - ahead * dot3(relative, ahead));
    if (dot3(aside, aside) == 0.0) {
        aside = right_of(ahead);
    }
    let sine = min(distance / max(goal.distance, COINCIDENT), 1.0);
    let cosine = sqrt(1.0 - sine * sine);
    return (ahead * cosine + aside * sine) * goal.distance;
}

// u/s² before its weight
fn offset_pursuit_steer(offset_pursuit: OffsetPursuit, agent: Agent, goal: Goal) -> vec3f {
    if (!goal.exists) {
        return vec3f(0.0);
    }
    let longest = offset_pursuit.max_prediction_time;
    if (offset_pursuit.mode == OFFSET_PURSUIT_FLY_BY) {
        let tangent = offset_pursuit_tangent(agent, goal, offset_pursuit.distance);
        let t = min(intercept_time(agent, tangent, goal.velocity), longest);
        let toward = along(tangent + goal.velocity * t);
        return select(vec3f(0.0), steer_to(agent, toward * agent.max_speed), dot3(toward, toward) > 0.0);
    }
    return offset_pursuit_accompany(agent, goal, triple(offset_pursuit.offset), offset_pursuit.slow_radius, longest);
}
