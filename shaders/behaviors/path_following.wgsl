// Path following: where the predicted position is off the path by more than its radius there, seek a point of the path. Which
// point, and when else, depends on the form:
//
//   A = (max_speed unit(q - p) - v) / τ  where p + prediction_time v is off the path,
//                                        in onward also where v along it < min_progress max_speed
//   reynolds:        q the path's point nearest to p + prediction_time v
//   nature_of_code:  look_ahead_time |v| farther along
//   onward:          max(look_ahead_time |v|, radius) farther along than the point nearest to p
//
// reynolds (1999): the point nearest to the predicted position. It has no direction of travel, and leads no agent on.
// nature_of_code (Shiffman): that point moved on along the path.
// onward: the point nearest to the agent moved on along the path, by its radius at least; also within the radius, where
// the agent goes the wrong way (OpenSteer) or is slower along the path than `min_progress`: one that has just turned
// round, or stood, would creep on for ever otherwise. Before a sharp bend the ways of both legs overlap, and the point is
// moved on along the leg that the agent follows: the nearest leg leads back before the bend. But for that, with
// min_progress = 0 it is OpenSteer's steerToFollowPath.
//
// An open path may end in an arrival at its last point.

/// along a path, within its radius
/// weight = 1
/// priority = 5
/// order = 240
/// wants = velocity at times
struct PathFollowing {
    rule: Rule,
    /// name of the path
    /// value = path
    path: u32,
    /// which point of the path is sought, and when
    /// value = onward of onward | reynolds | nature_of_code
    form: u32,
    /// of onward: slower along the path than this share of max_speed, the agent is pushed on
    /// value = 0.5 in 0..1
    min_progress: f32,
    /// how far ahead the position is predicted
    /// value = 0.7 in 0..1e3 s
    /// needs = sideways
    prediction_time: f32,
    /// how far along the path the target is
    /// value = 0.5 in 0..1e3 s
    look_ahead_time: f32,
    /// direction of travel
    /// value = forward of forward | backward
    direction: u32,
    /// at the end of an open path: arrive there, or seek its last point
    /// value = stop of stop | ignore
    end: u32,
    /// nearer than this to the end of an open path, the agent slows down
    /// value = 20 in 0..1e6 u
    /// needs = stop if path = open and end = stop
    slow_radius: f32,
}

const PATH_ONWARD = 0u;
const PATH_REYNOLDS = 1u;

// u/s² before its weight
fn path_following_steer(path_following: PathFollowing, agent: Agent) -> vec3f {
    let path = scenery.paths[path_following.path];
    let ahead = nearest_on_path(path, agent.position + agent.velocity * path_following.prediction_time);
    let here = nearest_on_path(path, agent.position);
    let sign = select(1.0, -1.0, path_following.direction == 1u);
    // At least 0: by rounding it may be negative, which would count as nearer than a slow radius of 0.
    let rest = max(select(path.length - here.arc_length, here.arc_length, path_following.direction == 1u), 0.0);
    let stops = path.closed == 0u && path_following.end == 0u && rest < path_following.slow_radius;
    let progress = dot3(agent.velocity, here.tangent) * sign;
    let onward = path_following.form == PATH_ONWARD;
    let content = !onward || progress > path_following.min_progress * agent.max_speed;
    if (!stops && ahead.distance <= ahead.radius && content) {
        return vec3f(0.0);
    }
    var look_ahead = path_following.look_ahead_time * agent.speed;
    if (onward || stops) {
        // At least the way of one step, or an agent that stands on the line would already be at its target.
        look_ahead = max(look_ahead, max(here.radius, agent.max_speed * world.dt));
    } else if (path_following.form == PATH_REYNOLDS) {
        look_ahead = 0.0;
    }
    var start = ahead.arc_length;
    if (onward || stops) {
        start = followed_on_path(path, agent.position, agent.velocity * sign).arc_length;
    }
    let place = path_at(path, start + look_ahead * sign);
    let way = nearest_image(place.point - agent.position);
    var speed = agent.max_speed;
    if (stops) {
        let left = max(rest, sqrt(dot3(way, way)));
        speed = agent.max_speed * min(left / path_following.slow_radius, 1.0);
    }
    return steer_to(agent, along(way) * speed);
}
