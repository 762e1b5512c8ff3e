// Detects drivers that end loops early.

// Loops over cells of the ground, paths, obstacles, species and transitions have known lengths, some thousand
// iterations in all, and do not check their ends. Where a driver limits the iterations of all loops together, this
// loop, which runs after all others, is cut off if any of them was, in this lane or in one that runs with it. It takes
// two iterations, which no compiler can know.
fn cuts_loops_off() -> bool {
    let last_round = 1u + min(world.species_count, 1u);
    var round = 0u;
    for (; round < last_round; round += 1u) {
    }
    return round != last_round;
}
