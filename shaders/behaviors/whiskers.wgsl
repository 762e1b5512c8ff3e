// Whiskers: away from the walls that three feelers touch, one ahead and two shorter ones at its sides (the ray
// configuration "central with whiskers" of the literature on steering). What the feelers touch adds up, each the more
// the deeper it is in. The agent turns to the side of the sum, and brakes by the part of it that points back.
//
//   A = a (s + (P·f) f),  P·f from -1 to 0,  s across f to the side of P
//   P = Σ n (1 - h / length) over the feelers that touch, h from the body on
//
// Two whiskers that touch two walls by turns are known to trap an agent in their corner. Braking is what frees it: the
// slower it is, the narrower it turns. If the sum has no side at all, the id decides.

/// away from walls that one of three feelers touches
/// weight = 1
/// priority = 0
/// order = 200
/// needs = obstacles
struct Whiskers {
    rule: Rule,
    /// length of the feeler ahead
    /// value = 5 in 0..1e6 u
    length: f32,
    /// length of the two side feelers as a share of that
    /// value = 0.6 in 0..1
    side_length: f32,
    /// full angle between the two feelers at the sides
    /// value = 70 in 0..180 deg as half_cosine
    spread: f32,
}

// What one feeler touches: the normal of the wall, the longer the deeper the feeler is in the wall.
fn whisker(agent: Agent, nearby: Nearby, direction: vec3f, length: f32, way: f32, normal: vec3f) -> vec3f {
    let hit = first_hit_of(nearby, agent.position, feeler(direction, length), agent.radius, way, normal);
    let leaving = hit.distance <= 0.0 && dot3(hit.normal, direction) >= 0.0;
    return select(vec3f(0.0), hit.normal * (1.0 - hit.distance / max(length, TOUCHING)), hit.exists && !leaving);
}

// u/s² before its weight
fn whiskers_steer(whiskers: Whiskers, agent: Agent) -> vec3f {
    let sine = sqrt(max(1.0 - whiskers.spread * whiskers.spread, 0.0));
    let ahead = agent.forward * whiskers.spread;
    let aside = right_of(agent.forward) * sine;
    let side_length = whiskers.length * whiskers.side_length;
    let nearby = obstacles_within(agent.position, agent.radius + whiskers.length, 0.0);
    let lengths = vec3f(whiskers.length, side_length, side_length);
    let felt = map_felt(agent.position, agent.forward, ahead + aside, ahead - aside, lengths, agent.radius);
    var push = whisker(agent, nearby, agent.forward, whiskers.length, felt.ways.x, felt.first);
    push += whisker(agent, nearby, ahead + aside, side_length, felt.ways.y, felt.second);
    push += whisker(agent, nearby, ahead - aside, side_length, felt.ways.z, felt.third);
    if (dot3(push, push) <= STANDSTILL) {
        return vec3f(0.0);
    }
    let back = within(dot3(push, agent.forward), -1.0, 0.0);
    return (sidestep(agent.id, agent.forward, push) + agent.forward * back) * agent.max_acceleration;
}
