// Which agents steer in a step.

// Return whether an agent steers in this step. Agents that skip steps hold their latest steering. Their phases are
// spread evenly; every agent steers in its first step.
fn steers_now(own: u32, id: u32, step: u32) -> bool {
    if (skips) {
        let phase = hash4(vec4u(world.seed, id, 0u, STREAM_PHASE)).x % species[own].update_every;
        return (step + phase) % species[own].update_every == 0u || step == first_step(id);
    }
    return true;
}
