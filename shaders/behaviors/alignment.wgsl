// Alignment: toward the mean velocity of the neighbors (Reynolds 1999: average velocity minus own velocity).

struct Alignment {
    rule: Rule,
    vision: Vision,
    // 0: mean velocity; 1: mean heading at max_speed.
    mode: u32,
}

struct AlignmentSum {
    velocity: vec3f,
    count: u32,
}

fn alignment_add(sum: AlignmentSum, alignment: Alignment, neighbor: Neighbor) -> AlignmentSum {
    let seen = sees(alignment.vision, neighbor);
    return AlignmentSum(sum.velocity + neighbor.velocity * select(0.0, 1.0, seen), sum.count + u32(seen));
}

// u/s² before its weight
fn alignment_resolve(sum: AlignmentSum, alignment: Alignment, agent: Agent) -> vec3f {
    if (sum.count == 0u) {
        return vec3f(0.0);
    }
    return steer_to(agent, sum.velocity / f32(sum.count));
}
