// Obstacle avoidance: sideways from the first obstacle that the body would meet if it went straight on within the look-ahead
// (Reynolds 1999: negate the lateral part of the way to the obstacle's center; here the lateral part of its normal where
// the body would touch, which is the same for a sphere and holds for every shape). Nothing is done where the way is free.
//
//   A = a s - min(braking (1 - h / L) a, v² / (2 h)) f,  f the heading of v,  s across f, away from the obstacle,
//   h the way to where they touch,  L = max(look_ahead_time |v|, min_look_ahead, turning_radii v²/a) > h
//
// A full turn clears a sphere of radius R (with the body's) iff it begins at a distance of at least sqrt(R² + 2 R v²/a). Dead
// ahead there is no side: one is drawn by id.
//
// An obstacle that moves is seen from itself: the way is that of the body relative to the surface, and the turn goes across it.
//
// Within a box a corner has two walls, and turning from one of them is turning toward the other, to and fro, until the agent is there. So
// its corners count as round, with a radius of two bodies' and three times that of the agent's tightest turn, v²/a: a round corner has one
// way out. An agent that meets n walls at once, along their diagonal, clears them on whatever side iff it turns (sqrt n + sqrt(n - 1)) v²/a
// before them: 1 for a wall, 2.41 for an edge, which is a corner in the plane, and 3.15 for a corner in space.
//
// Braking never does more than stop the agent where it would touch, which takes v²/(2 s) over a way s, nor than stop it while it holds
// its steering (bodies that move as desired: within τ). So slow agents are free to turn, and none is driven backward.

/// sideways from the most threatening obstacle ahead
/// weight = 1
/// priority = 0
/// order = 190
/// needs = obstacles
struct ObstacleAvoidance {
    rule: Rule,
    /// obstacles that are farther away in time are no threat
    /// value = 2 in 0..1e3 s
    /// needs = clear with min_look_ahead or turning_radii
    look_ahead_time: f32,
    /// the look-ahead is never shorter
    /// value = 1 in 0..1e6 u
    min_look_ahead: f32,
    /// nor shorter than so many radii v²/a of the tightest turn, which grow with speed and shrink with agility: 1 is enough for a wall, 2.5 for a corner in the plane, 3.2 for one in space
    /// value = 0 in 0..100
    turning_radii: f32,
    /// share of the acceleration that brakes, the more the nearer; at most what stops at the obstacle
    /// value = 0 in 0..1
    braking: f32,
}

// The unit vector perpendicular to a heading on the side of `away`. If `away` has no side, the id decides.
fn sidestep(id: u32, forward: vec3f, away: vec3f) -> vec3f {
    let lateral = away - forward * dot3(away, forward);
    if (dot3(lateral, lateral) > 1e-6 * dot3(away, away)) {
        return along(lateral);
    }
    return across(forward, direction(id, 0u, STREAM_SIDE));
}

// Radius with which the corners of a box count as rounded, from within, in radii of the tightest turn.
const CORNER_ROUNDING = 3.0;

// u/s² before its weight
fn obstacle_avoidance_steer(obstacle_avoidance: ObstacleAvoidance, agent: Agent) -> vec3f {
    let tightest = agent.speed * agent.speed / max(agent.max_acceleration, SLOWEST);
    let least = max(obstacle_avoidance.min_look_ahead, obstacle_avoidance.turning_radii * tightest);
    // A body need not face the way that it goes.
    let forward = direction_of(agent.velocity, agent.forward);
    let course = Approach(forward, agent.speed, least, obstacle_avoidance.look_ahead_time, false);
    var hit = first_hit(agent.position, course, agent.radius);
    let leaving = hit.distance <= 0.0 && dot3(hit.normal, hit.course.forward) >= 0.0;
    if (!hit.exists || leaving) {
        return vec3f(0.0);
    }
    let turn = hit.course.speed * hit.course.speed / max(agent.max_acceleration, SLOWEST);
    hit.normal = rounded_normal(hit, agent.position, 2.0 * agent.radius + CORNER_ROUNDING * turn);
    let nearness = 1.0 - hit.distance / max(look_ahead_of(hit.course), TOUCHING);
    // With a steady deceleration the way ahead takes twice the time that it takes at the current speed.
    let shortest = select(agent.interval, agent.time_constant, agent.moves_as_desired);
    let stopping_time = max(2.0 * hit.distance / max(hit.course.speed, SLOWEST), shortest);
    let brake = min(obstacle_avoidance.braking * nearness * agent.max_acceleration, agent.speed / stopping_time);
    return sidestep(agent.id, hit.course.forward, hit.normal) * agent.max_acceleration - forward * brake;
}
