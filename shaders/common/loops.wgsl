// Detects drivers that end loops early.

// Return whether the driver cut a loop off, in this lane or in one that runs with it. Loops over cells of the ground,
// paths, obstacles, species and transitions have known lengths, some thousand iterations in all, and do not check their
// ends. A driver that limits the iterations of all loops together also cuts off this loop, which runs after all others.
// It takes two iterations, which no compiler can know.
fn cuts_loops_off() -> bool {
    let last_round = 1u + min(world.species_count, 1u);
    var round = 0u;
    for (; round < last_round; round += 1u) {
    }
    return round != last_round;
}
