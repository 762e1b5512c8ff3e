// Roost: agents that leave the air over the roost turn back to it (Hildenbrandt, Carere and Hemelrijk 2010,
// StarDisplay: a pull that grows the more the heading leads away, across the heading, and one toward a height in
// proportion to the distance from it). Nothing is braked, so a flock flies on, and turns as one.
//
//   A = a (g (1 - f·c) / 2 unit(c - (f·c) f) - level height),  c = unit(inward + lean side),
//   g = (e - 1) / ramp from 0 to 1,  e = |p / (extent half the world)|
//
// The home is an ellipse over the ground, a share of the world; beyond it the pull rises. `lean` turns its direction aside by
// that tangent, the same way for all: a flock that flies straight out would be torn into a left and a right half else.

/// back over the roost, by a turn, and to its height
/// weight = 1
/// priority = 4
/// order = 235
struct Roost {
    rule: Rule,
    /// home, as a share of the world's width and height
    /// value = 0.6 in 0.01..1
    extent: f32,
    /// way over which the pull rises to its full strength, as a share of the home
    /// value = 0.3 in 0.01..10
    ramp: f32,
    /// tangent of the angle between the pull and the way straight in, which is to the middle where the home is round
    /// value = 0.5 in -10..10
    lean: f32,
    /// pull toward the middle height at the home's upper and lower end, as a share of the largest acceleration (in space)
    /// value = 1 in 0..100
    level: f32,
}

// u/s² before its weight
fn roost_steer(roost: Roost, agent: Agent) -> vec3f {
    let home = max(world.half_size * roost.extent, vec3f(1e-6));
    let share = agent.position / home;
    // In space the height is y.
    let at = vec3f(share.x, select(share.y, 0.0, SPATIAL), select(0.0, share.z, SPATIAL));
    let beyond = clamp((sqrt(dot3(at, at)) - 1.0) / roost.ramp, 0.0, 1.0);
    let inward = -along(at / home);
    let side = select(vec3f(-inward.y, inward.x, 0.0), vec3f(inward.z, 0.0, -inward.x), SPATIAL);
    let course = unit_or_zero(inward + side * roost.lean);
    let ahead = dot3(agent.forward, course);
    let turn = unit_or_zero(course - agent.forward * ahead) * (beyond * (0.5 - 0.5 * ahead));
    let height = select(0.0, share.y * roost.level, SPATIAL);
    return (turn - vec3f(0.0, height, 0.0)) * agent.max_acceleration;
}
