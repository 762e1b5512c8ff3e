// Breath: speeds up and slows down in turn. The agent remembers for how many steps it has been doing the one or the other,
// and changes over after a time that it draws anew each time.

/// faster and slower in turn
/// weight = 1
/// priority = 5
struct Breath {
    rule: Rule,
    /// longest time between two changes
    /// value = 2 in 0.1..100 s
    period: f32,
}

struct BreathMemory {
    steps_left: u32,
    slow: u32,
}

fn breath_remember(breath: Breath, agent: Agent, memory: BreathMemory) -> BreathMemory {
    if (memory.steps_left > 0u) {
        return BreathMemory(memory.steps_left - 1u, memory.slow);
    }
    let draw = hash4(vec4u(world.seed, agent.id, agent.step, 1001u));
    let time = breath.period * (0.25 + 0.75 * unit_interval(draw.x));
    return BreathMemory(u32(min(time / world.dt, 1e6)), 1u - memory.slow);
}

// u/s² before its weight
fn breath_steer(breath: Breath, agent: Agent, memory: BreathMemory) -> vec3f {
    let speed = agent.max_speed * select(1.0, 0.3, memory.slow == 1u);
    return steer_to(agent, agent.forward * speed);
}
