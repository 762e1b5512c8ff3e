// Wander random: a random force in every step. As a way to wander it is the easy one that Reynolds 1999 calls twitchy;
// beside other behaviors it is the noise that models of swarms have, and with `linear_drag` alone Brownian motion.
//
//   A = x / √T,  x: unit vector, drawn anew whenever the agent steers, T: time until it does again
//   A = x √T / τ,  of bodies that take the desired velocity v + τ A at once (`locomotion`)
//
// So the mean square of the change of velocity after t seconds is weight² t, whatever the time step.

/// noise: a random force in every step; as a way to wander it is twitchy
/// weight = 5 in u/s^1.5
/// priority = 7
/// order = 280
struct WanderRandom {
    rule: Rule,
}

// u/s² before its weight, which is in u/s^1.5
fn wander_random_steer(wander_random: WanderRandom, agent: Agent) -> vec3f {
    let push = direction(agent.id, agent.step, STREAM_WANDER_RANDOM);
    let root = sqrt(agent.interval);
    return select(push / root, push * (root / agent.time_constant), agent.moves_as_desired);
}
