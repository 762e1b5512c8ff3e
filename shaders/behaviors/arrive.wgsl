// Arrive: to the target, slowing down to stop there (Reynolds 1999, with his clip at max_speed; Millington for the rest).
//
//   linear:       A = (max_speed min(d / slow_radius, 1) unit(r) - v) / τ
//   square_root:  A = (min(max_speed, √(2 a |y|), |y| / Δt) unit(y) - v) / τ,  y = r - v τ
//
// Within the slow radius the desired speed falls in proportion to the distance. `square_root` needs no slow radius: it desires the
// speed from which full braking ends at the target, sqrt(2 a y), where y is the way that is left after the lag, d - v τ. Since v
// follows the desired speed V by (V - v) / τ, y falls by just V, brakes by just a, and ends at 0; then v τ is left, and falls as
// e^(-t/τ). So an agent that comes straight on does not overshoot. (With y = d the lag came on top: 20 u/s, a = 60, τ = 0.1 ended 1.2
// u beyond.) Bodies that move as desired have no lag. Nearer than the capture radius only velocities are matched, as in Millington's
// Arrive: the difference to standing still, or to the target's velocity, vanishes in update_every steps, as far as the force allows.
// The agent rests where it then is, and the radius says how far off that may be. It is not drawn on to the very point: around that,
// an agent that cannot move sideways, or that steers in every tenth step only, would turn for ever.
//
// With a = max_force / mass the linear fall does not overshoot where slow_radius >= v²/(2 a) + v (dt + τ) and >= 4 v τ, and the
// force limit is never met from v²/a on. A weight w makes τ/w of τ, and the time by which steering is smoothed or held adds to
// it; of these `square_root` knows nothing. With the lag of the dialect `opensteer`, τ = 1 s, the slow radius has to be 3.78 s
// times the speed: at its 9 u/s 34 u, and the default of 20 u overshoots.

/// to the target, slowing down to stop there
/// weight = 1
/// priority = 4
/// order = 110
/// wants = velocity
struct Arrive {
    rule: Rule,
    toward: Target,
    /// nearer than this, the desired speed falls
    /// value = 20 in 0..1e6 u
    /// needs = stop if ramp = linear
    slow_radius: f32,
    /// nearer than this, standing still (or the target's velocity) is desired
    /// value = 0 in 0..1e6 u
    capture_radius: f32,
    /// fall of the desired speed with distance; square_root brakes at full force, as late as the lag allows
    /// value = linear of linear | square_root
    /// needs = late with slow_radius if ramp = square_root
    ramp: u32,
    /// match: the desired velocity is relative to the target's
    /// value = ignore of ignore | match
    moving_target: u32,
}

const ARRIVE_SQUARE_ROOT = 1u;
const ARRIVE_MATCH = 1u;

// The velocity that comes to rest at the end of a way, u/s.
fn arrive_velocity(agent: Agent, way: vec3f, slow_radius: f32) -> vec3f {
    let distance = sqrt(dot3(way, way));
    if (distance < slow_radius) {
        return along(way) * (agent.max_speed * (distance / slow_radius));
    }
    return along(way) * agent.max_speed;
}

// u/s² before its weight
fn arrive_steer(arrive: Arrive, agent: Agent, goal: Goal) -> vec3f {
    if (!goal.exists) {
        return vec3f(0.0);
    }
    let final_velocity = select(vec3f(0.0), goal.velocity, arrive.moving_target == ARRIVE_MATCH);
    if (goal.distance < arrive.capture_radius) {
        return match_velocity(agent, final_velocity, 0.0);
    }
    var approach = arrive_velocity(agent, goal.offset, arrive.slow_radius);
    if (arrive.ramp == ARRIVE_SQUARE_ROOT) {
        let lag = select(agent.time_constant, 0.0, agent.moves_as_desired);
        let left = goal.offset + (final_velocity - agent.velocity) * lag;
        let distance = sqrt(dot3(left, left));
        // No faster than covers the remaining distance by the time when it steers again.
        let speed = min(sqrt(2.0 * agent.max_acceleration * distance), distance / agent.interval);
        approach = along(left) * min(agent.max_speed, speed);
    }
    return steer_to(agent, limit(final_velocity + approach, agent.max_speed));
}
