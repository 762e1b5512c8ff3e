// The sums of the stage `census` over all agents of the world, for behaviors with unlimited vision.

// Three sums, from index `first` on.
fn census_of(first: u32) -> vec3f {
    let at = 2u * first;
    return vec3f(
        from_fixed_point(census_sums[at], census_sums[at + 1u]),
        from_fixed_point(census_sums[at + 2u], census_sums[at + 3u]),
        from_fixed_point(census_sums[at + 4u], census_sums[at + 5u]),
    );
}

// Number of agents that are not frozen; at least 1, because it is a divisor. It would be 0 only where no agent steers.
fn agents_counted() -> u32 {
    return max(census_sums[12], 1u);
}

// The mean velocity of all agents, u/s.
fn mean_velocity() -> vec3f {
    return census_of(0u) * (world.top_speed / f32(agents_counted()));
}

// The sum of the headings of all agents.
fn sum_of_headings() -> vec3f {
    return census_of(3u);
}
