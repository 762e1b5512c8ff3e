// Drivers that cut loops off.

// Loops over cells of the ground, paths, obstacles, species and rules are of known lengths, some thousand rounds in all, and
// do not check their ends. Where a driver counts the rounds of all loops together, this one, asked for after all others,
// is cut off if any was, of this agent or of one beside it. It takes two rounds, which no compiler knows.
fn cuts_loops_off() -> bool {
    let last_round = 1u + min(world.species_count, 1u);
    var round = 0u;
    for (; round < last_round; round += 1u) {
    }
    return round != last_round;
}
