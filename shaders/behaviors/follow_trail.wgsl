// Follow trail: three sensors, one ahead and one at each side, and a turn toward the one that senses most (Jones 2010,
// "Characteristics of pattern formation and evolution in approximations of Physarum transport networks"). Species with a
// `deposit` lay the trail on the ground.
//
//   A = (max_speed s - v) / τ,  s = f, or f turned by ±sensor_angle / 2,
//   whichever has the most trail at p + sensor_distance s
//
// Jones turns by a fixed angle, to either side by chance wherever both sides sense more than is ahead. Here the agent turns to the stronger
// side, by the angle of its sensor. If both sides sense the same, and more than is ahead, a hash decides, by its highest bit (the lowest
// one would tell a fifteenth of what it is in the next step). In space the sides lie in a plane through the heading that is drawn anew in
// every step, so that no plane is preferred.

/// along the trail on the ground, toward the sensor that senses most of it
/// weight = 1
/// priority = 5
/// order = 315
/// wants = velocity
struct FollowTrail {
    rule: Rule,
    /// distance of the sensors
    /// value = 5 in 0..1e6 u
    sensor_distance: f32,
    /// full angle between the two sensors at the sides
    /// value = 90 in 0..180 deg as half_cosine
    sensor_angle: f32,
}

// u/s² before its weight
fn follow_trail_steer(follow_trail: FollowTrail, agent: Agent) -> vec3f {
    let hash = hash4(vec4u(world.seed, agent.id, agent.step, STREAM_TRAIL));
    let sine = sqrt(max(1.0 - follow_trail.sensor_angle * follow_trail.sensor_angle, 0.0));
    var side = right_of(agent.forward);
    if (SPATIAL) {
        side = across(agent.forward, unit_direction(hash.x, hash.y));
    }
    let right = agent.forward * follow_trail.sensor_angle + side * sine;
    let left = agent.forward * follow_trail.sensor_angle - side * sine;
    let ahead = trail_at(agent.position + agent.forward * follow_trail.sensor_distance);
    let at_right = trail_at(agent.position + right * follow_trail.sensor_distance);
    let at_left = trail_at(agent.position + left * follow_trail.sensor_distance);
    let most = max(at_right, at_left);
    if (max(ahead, most) == 0u) {
        return vec3f(0.0);
    }
    var way = agent.forward;
    if (most > ahead) {
        let to_right = at_right > at_left || (at_right == at_left && hash.z >> 31u == 1u);
        way = select(left, right, to_right);
    }
    return steer_to(agent, way * agent.max_speed);
}
