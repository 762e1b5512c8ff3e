// Wander random: a random force in every step: twitchy, for comparison.

struct WanderRandom {
    rule: Rule,
}

// u/s² before its weight
fn wander_random_steer(wander_random: WanderRandom, agent: Agent) -> vec3f {
    return vec3f(0.0);
}
