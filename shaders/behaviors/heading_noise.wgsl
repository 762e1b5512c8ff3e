// Heading noise: the mean heading of the neighbors and of the agent itself, turned by a random angle, at full speed (Vicsek
// et al. 1995, equation 2). With a time constant of 0 and min_speed = max_speed the agent takes its new heading at once, as
// in the paper. There agents move with the velocity from before, x(t + 1) = x(t) + v(t) dt (equation 1), which is
// `integrator = "explicit"`, and live in the plane; here, in space, the turn is about a random axis across the mean heading.
//
//   A = (max_speed R(noise x) unit(f + Σ unit(u)) - v) / τ,
//   R: turn by that angle, x drawn evenly from -1/2 to 1/2

/// the mean heading of the neighbors and itself, turned by a random angle (Vicsek)
/// weight = 1
/// priority = 6
/// order = 60
/// wants = velocity
struct HeadingNoise {
    rule: Rule,
    /// field_of_view = 360
    vision: Vision,
    /// full width of the range of the random angle
    /// value = 60 in 0..360 deg as radians
    noise: f32,
}

struct HeadingNoiseSum {
    heading: vec3f,
    count: u32,
}

fn heading_noise_add(sum: HeadingNoiseSum, heading_noise: HeadingNoise, neighbor: Neighbor) -> HeadingNoiseSum {
    let seen = sees(heading_noise.vision, neighbor);
    return HeadingNoiseSum(sum.heading + select(vec3f(0.0), neighbor.heading, seen), sum.count + u32(seen));
}

// u/s² before its weight. If the headings cancel, the agent keeps its own.
fn heading_noise_resolve(sum: HeadingNoiseSum, heading_noise: HeadingNoise, agent: Agent) -> vec3f {
    let total = sum.heading + agent.forward;
    let course = select(unit_or_zero(total), agent.forward, dot3(total, total) <= STANDSTILL);
    let draw = hash4(vec4u(world.seed, agent.id, agent.step, STREAM_NOISE));
    let turn = rotation((unit_interval(draw.x) - 0.5) * heading_noise.noise);
    var side = vec3f(-course.y, course.x, 0.0);
    if (SPATIAL) {
        side = across(course, unit_direction(draw.y, draw.z));
    }
    return steer_to(agent, (course * turn.x + side * turn.y) * agent.max_speed);
}
