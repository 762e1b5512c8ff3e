// Heading noise: the mean heading of the neighbors and itself, turned by a random angle (Vicsek).

struct HeadingNoise {
    rule: Rule,
    vision: Vision,
    noise: f32,
}

struct HeadingNoiseSum {
    count: u32,
}

fn heading_noise_add(sum: HeadingNoiseSum, heading_noise: HeadingNoise, neighbor: Neighbor) -> HeadingNoiseSum {
    return HeadingNoiseSum(sum.count + u32(sees(heading_noise.vision, neighbor)));
}

// u/s² before its weight
fn heading_noise_resolve(sum: HeadingNoiseSum, heading_noise: HeadingNoise, agent: Agent) -> vec3f {
    return vec3f(0.0);
}
