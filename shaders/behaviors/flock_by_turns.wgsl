// Flocking by turns: the flock of NetLogo's model library (Wilensky 1998, Flocking), in which no agent changes its
// speed. Where the nearest flockmate is too near, turn away from its heading. Otherwise turn toward the mean heading of
// the flockmates, and then toward where they are on the whole. No turn is larger than its limit, in degrees per tick
// there and per second here: a tick of 1/30 s makes 45, 150 and 90 of NetLogo's 1.5, 5 and 3. In NetLogo one agent
// turns after another, here all turn at once. With a time constant of 0 and min_speed = max_speed the new heading is
// taken at once, as in NetLogo (dialect = "netlogo"). In space the turn is in the plane of both headings.
//
//   A = (max_speed c - v) / τ,  c = f turned in a step of Δt
//   d < min_separation:  away from the nearest's heading, by max_separate_turn Δt at most
//   else:                toward unit(Σ unit(u)), by max_align_turn Δt at most,
//                        and then toward unit(Σ unit(r)), by max_cohere_turn Δt at most

/// NetLogo's flock: turn away from a flockmate that is too near, else toward the flockmates' heading and place
/// weight = 1
/// priority = 6
/// order = 65
/// wants = velocity
struct FlockByTurns {
    rule: Rule,
    vision: Vision,
    /// nearer than this, the nearest flockmate is turned away from
    /// value = 1 in 0..1e6 u
    min_separation: f32,
    /// turn away from the heading of the nearest
    /// value = 45 in 0..1e4 deg/s as radians
    max_separate_turn: f32,
    /// turn toward the mean heading
    /// value = 150 in 0..1e4 deg/s as radians
    max_align_turn: f32,
    /// turn toward the mean direction to the flockmates
    /// value = 90 in 0..1e4 deg/s as radians
    max_cohere_turn: f32,
}

struct FlockByTurnsSum {
    headings: vec3f,
    // Sum of unit vectors from the agent to each flockmate.
    toward: vec3f,
    count: u32,
    nearest_squared: f32,
    nearest_heading: vec3f,
}

fn flock_by_turns_add(sum: FlockByTurnsSum, flock_by_turns: FlockByTurns, neighbor: Neighbor) -> FlockByTurnsSum {
    if (!sees(flock_by_turns.vision, neighbor)) {
        return sum;
    }
    var next = sum;
    next.headings = sum.headings + neighbor.heading;
    next.toward = sum.toward + along(neighbor.offset);
    next.count = sum.count + 1u;
    if (sum.count == 0u || neighbor.distance_squared < sum.nearest_squared) {
        next.nearest_squared = neighbor.distance_squared;
        next.nearest_heading = neighbor.heading;
    }
    return next;
}

// Factor of a direction for `across`: one that differs by 1e-5 rad from the heading still has its side. A power of 2, which rounds nothing.
const SMALL_TURNS = 128.0;

// A heading turned toward a direction, by this angle at most, rad.
fn turned_toward(heading: vec3f, direction: vec3f, most: f32) -> vec3f {
    let limit = rotation(min(most, 3.1415927));
    if (dot3(direction, direction) == 0.0) {
        return heading;
    }
    if (dot3(heading, direction) >= limit.x) {
        return direction;
    }
    return unit_or_zero(heading * limit.x + across(heading, direction * SMALL_TURNS) * limit.y);
}

// A heading turned away from another one by as much as they differ, by this angle at most, rad.
fn turned_away(heading: vec3f, other: vec3f, most: f32) -> vec3f {
    let limit = rotation(min(most, 3.1415927));
    let cosine = dot3(heading, other);
    if (dot3(other, other) == 0.0) {
        return heading;
    }
    if (cosine >= limit.x) {
        return unit_or_zero(heading * (2.0 * cosine) - other);
    }
    return unit_or_zero(heading * limit.x - across(heading, other * SMALL_TURNS) * limit.y);
}

// u/s² before its weight; zero where no neighbor is perceived.
fn flock_by_turns_resolve(sum: FlockByTurnsSum, flock_by_turns: FlockByTurns, agent: Agent) -> vec3f {
    if (sum.count == 0u) {
        return vec3f(0.0);
    }
    let time = agent.interval;
    var course = agent.forward;
    if (sum.nearest_squared < flock_by_turns.min_separation * flock_by_turns.min_separation) {
        course = turned_away(course, sum.nearest_heading, flock_by_turns.max_separate_turn * time);
    } else {
        course = turned_toward(course, unit_or_zero(sum.headings), flock_by_turns.max_align_turn * time);
        course = turned_toward(course, unit_or_zero(sum.toward), flock_by_turns.max_cohere_turn * time);
    }
    return steer_to(agent, course * agent.max_speed);
}
