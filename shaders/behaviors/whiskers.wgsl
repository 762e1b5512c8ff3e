// Whiskers: away from the walls that three feelers touch, one ahead and two shorter ones at its sides (the ray
// configuration "central with whiskers" of the literature on steering). What the feelers touch adds up, each the more
// the deeper it is in. Between two walls the sum has no side, and an agent that only braked would stay in the corner: then
// the id decides the side, always the same one, so that it turns out of the corner.

struct Whiskers {
    rule: Rule,
    // Of the feeler ahead, u; those at its sides have a share of that.
    length: f32,
    side_length: f32,
    // Cosine of the angle between the feeler ahead and the others.
    spread: f32,
}

// What one feeler feels: the wall's normal, the longer the deeper the feeler is in it.
fn whisker(agent: Agent, feeler: vec3f, length: f32) -> vec3f {
    let hit = first_hit(agent.position, feeler, agent.radius, length);
    return select(vec3f(0.0), hit.normal * (1.0 - hit.distance / length), hit.exists);
}

// u/s² before its weight
fn whiskers_steer(whiskers: Whiskers, agent: Agent) -> vec3f {
    let sine = sqrt(max(1.0 - whiskers.spread * whiskers.spread, 0.0));
    let ahead = agent.forward * whiskers.spread;
    let aside = across(agent.forward, vec3f(agent.forward.y, -agent.forward.x, 0.0)) * sine;
    let side_length = whiskers.length * whiskers.side_length;
    var push = whisker(agent, agent.forward, whiskers.length);
    push += whisker(agent, ahead + aside, side_length);
    push += whisker(agent, ahead - aside, side_length);
    let along_forward = dot3(push, agent.forward);
    let lateral = push - agent.forward * along_forward;
    if (dot3(push, push) <= STANDSTILL) {
        return vec3f(0.0);
    }
    // Nearly head-on is head-on: a side that changes with every step would be none.
    let headed = dot3(lateral, lateral) < 0.01 * along_forward * along_forward;
    let side = sidestep(agent, select(lateral, agent.forward, headed));
    return (side + agent.forward * clamp(along_forward, -1.0, 0.0)) * agent.max_acceleration;
}
