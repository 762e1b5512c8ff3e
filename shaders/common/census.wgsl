// The sums of the stage `census` over all agents of the world, for behaviors with unlimited vision.

// The low and the high word of each sum in turn, then four zeros, one of which is used as an index (`clock.wgsl` says why). Four words
// to a vector, because the elements of an array in a uniform buffer take 16 bytes each.
struct CensusSums {
    words: array<vec4u, 5>,
}

fn census_sum(sum: u32) -> f32 {
    let four = census_sums.words[sum / 2u + census_sums.words[4].x];
    return select(from_fixed_point(four.x, four.y), from_fixed_point(four.z, four.w), sum % 2u == 1u);
}

// Three sums, from index `first` on.
fn census_of(first: u32) -> vec3f {
    return vec3f(census_sum(first), census_sum(first + 1u), census_sum(first + 2u));
}

// Number of agents that are not frozen; at least 1, because it is a divisor. It would be 0 only where no agent steers.
fn agents_counted() -> u32 {
    return max(census_sums.words[3u + census_sums.words[4].x].x, 1u);
}

// The mean velocity of all agents, u/s.
fn mean_velocity() -> vec3f {
    return census_of(0u) * (world.top_speed / f32(agents_counted()));
}

// Number of agents that have a heading, because they do not stand still.
fn headings_counted() -> u32 {
    return census_sums.words[3u + census_sums.words[4].x].z;
}

// The sum of the headings of all agents.
fn sum_of_headings() -> vec3f {
    return census_of(3u);
}
