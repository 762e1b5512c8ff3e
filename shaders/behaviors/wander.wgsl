// Wander: seek a target that strolls on a circle (in a spatial world on a sphere) ahead of the agent, so that turns last
// (Reynolds 1999, Wander). With the heading f and the target's direction w from the center, a unit vector:
//
//   A = (max_speed unit(distance f + radius w) - v) / τ
//
// w moves with the agent's frame. It is kept along the world's axes and turned by the smallest turn that took the last
// heading to this one: a frame made from the heading alone would have to jump somewhere on the sphere of headings. By
// itself w turns in every step by rate sqrt(dt) x, x of unit variance, so that the variance rate² t of its angle does not
// depend on the time step. (A displacement per frame, or one in proportion to dt, does.)

/// toward a target that strolls on a circle ahead
/// weight = 1
/// priority = 7
/// order = 270
/// wants = velocity
struct Wander {
    rule: Rule,
    /// radius of the circle (the sphere): strength
    /// value = 1.2 in 0..1e6 u
    radius: f32,
    /// distance of its center ahead of the agent
    /// value = 2 in 0..1e6 u
    distance: f32,
    /// how fast the target strolls; its variance after t seconds is rate²·t
    /// value = 2 in 0..1e3 rad/√s
    rate: f32,
}

struct WanderMemory {
    /// direction of the wander target from the center of its circle: a unit vector, or 0 before the first step
    target_direction: array<f32, 3>,
    /// the agent's heading in the latest step
    heading: array<f32, 3>,
}

// The direction w after this step.
fn wander_stroll(wander: Wander, agent: Agent, memory: WanderMemory) -> vec3f {
    let before = triple(memory.target_direction);
    if (dot3(before, before) < 0.5) {
        return direction(agent.id, 0u, STREAM_WANDER_START);
    }
    let w = turned_along(before, triple(memory.heading), agent.forward);
    let hash = hash4(vec4u(world.seed, agent.id, agent.step, STREAM_WANDER));
    let size = wander.rate * sqrt(world.dt);
    var strolled = w;
    if (SPATIAL) {
        // A random step along the sphere; two of its directions count, each of unit variance.
        let step = vec3f(unit_variance(hash.x), unit_variance(hash.y), unit_variance(hash.z));
        strolled = w + (step - w * dot3(step, w)) * size;
    } else {
        let turn = rotation(size * unit_variance(hash.x));
        strolled = vec3f(w.x * turn.x - w.y * turn.y, w.x * turn.y + w.y * turn.x, 0.0);
    }
    // Rounding would change its length little by little.
    return strolled / sqrt(dot3(strolled, strolled));
}

fn wander_remember(wander: Wander, agent: Agent, memory: WanderMemory) -> WanderMemory {
    let w = wander_stroll(wander, agent, memory);
    return WanderMemory(array<f32, 3>(w.x, w.y, w.z), array<f32, 3>(agent.forward.x, agent.forward.y, agent.forward.z));
}

// u/s² before its weight. A target at the agent has no direction, and nothing is desired.
fn wander_steer(wander: Wander, agent: Agent, memory: WanderMemory) -> vec3f {
    let w = triple(memory.target_direction);
    let offset = agent.forward * wander.distance + w * wander.radius;
    let squared = dot3(offset, offset);
    if (squared <= STANDSTILL) {
        return vec3f(0.0);
    }
    return steer_to(agent, offset * (agent.max_speed / sqrt(squared)));
}
