// Alignment: toward the mean velocity of the neighbors, or toward their mean heading at full speed (Reynolds 1999: the
// average velocity, or the average unit forward vector). A neighbor that stands still has no heading.

/// toward the mean velocity of the neighbors
/// weight = 1
/// priority = 6
/// order = 20
/// wants = velocity
struct Alignment {
    rule: Rule,
    vision: Vision,
    /// velocity: mean velocity; heading: mean heading at max_speed
    /// value = velocity of velocity | heading
    mode: u32,
}

const ALIGN_HEADINGS = 1u;

struct AlignmentSum {
    velocity: vec3f,
    count: u32,
}

fn alignment_add(sum: AlignmentSum, alignment: Alignment, neighbor: Neighbor) -> AlignmentSum {
    let seen = sees(alignment.vision, neighbor);
    let theirs = select(neighbor.velocity, neighbor.heading, alignment.mode == ALIGN_HEADINGS);
    return AlignmentSum(sum.velocity + theirs * select(0.0, 1.0, seen), sum.count + u32(seen));
}

// u/s² before its weight; nothing where there are no neighbors, or where their headings cancel.
fn alignment_resolve(sum: AlignmentSum, alignment: Alignment, agent: Agent) -> vec3f {
    if (sum.count == 0u) {
        return vec3f(0.0);
    }
    if (alignment.mode == ALIGN_HEADINGS) {
        return align_to_heading(sum.velocity, agent);
    }
    return steer_to(agent, sum.velocity / f32(sum.count));
}

// Toward the direction of a sum of unit vectors, at full speed.
fn align_to_heading(headings: vec3f, agent: Agent) -> vec3f {
    if (dot3(headings, headings) <= STANDSTILL) {
        return vec3f(0.0);
    }
    return steer_to(agent, unit_or_zero(headings) * agent.max_speed);
}
