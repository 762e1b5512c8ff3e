// Alignment: toward the mean velocity of the neighbors, or toward their mean heading (Reynolds 1999: the average velocity, or
// the average unit forward vector, minus the own one). Both leave an aligned flock as it is, at any speed. Two more
// modes desire full speed: in the direction of the mean velocity (Shiffman), and in that of the mean heading. A
// neighbor that stands still has no heading.
//
//   velocity:    A = (mean u - v) / τ
//   heading:     A = (mean unit(u) - unit(v)) max_speed / τ
//   full_speed:  A = (max_speed unit(Σ u) - v) / τ
//   course:      A = (max_speed unit(Σ unit(u)) - v) / τ

/// toward the mean velocity of the neighbors
/// weight = 1
/// priority = 6
/// order = 20
/// wants = velocity
struct Alignment {
    rule: Rule,
    vision: Vision,
    /// velocity, heading: mean of theirs minus the own; full_speed, course: that direction at max_speed
    /// value = velocity of velocity | heading | full_speed | course
    mode: u32,
}

const ALIGN_HEADINGS = 1u;
const ALIGN_FULL_SPEED = 2u;
const ALIGN_COURSE = 3u;

struct AlignmentSum {
    velocity: vec3f,
    count: u32,
}

fn alignment_add(sum: AlignmentSum, alignment: Alignment, neighbor: Neighbor) -> AlignmentSum {
    let seen = sees(alignment.vision, neighbor);
    let by_heading = (alignment.mode == ALIGN_HEADINGS) | (alignment.mode == ALIGN_COURSE);
    let theirs = select(neighbor.velocity, neighbor.heading, by_heading);
    let counts = seen & (!by_heading | (dot3(theirs, theirs) > 0.0));
    return AlignmentSum(sum.velocity + select(vec3f(0.0), theirs, seen), sum.count + u32(counts));
}

// u/s² before its weight; nothing where there are no neighbors, or where their headings cancel.
fn alignment_resolve(sum: AlignmentSum, alignment: Alignment, agent: Agent) -> vec3f {
    if (sum.count == 0u) {
        return vec3f(0.0);
    }
    if (alignment.mode == ALIGN_HEADINGS) {
        return align_headings(sum.velocity, sum.count, agent);
    }
    if (alignment.mode >= ALIGN_FULL_SPEED) {
        return align_to_course(sum.velocity, agent);
    }
    return steer_to(agent, sum.velocity / f32(sum.count));
}

// The mean heading minus the direction of the own velocity, times max_speed / τ, u/s²; nothing where no agent has a heading. `headings`
// is the sum of `count` headings.
fn align_headings(headings: vec3f, count: u32, agent: Agent) -> vec3f {
    if (count == 0u) {
        return vec3f(0.0);
    }
    return (headings / f32(count) - direction_of(agent.velocity, agent.forward)) * (agent.max_speed / agent.time_constant);
}

// Toward the direction of a sum of velocities or headings, at full speed.
fn align_to_course(sum: vec3f, agent: Agent) -> vec3f {
    if (dot3(sum, sum) <= STANDSTILL) {
        return vec3f(0.0);
    }
    return steer_to(agent, unit_or_zero(sum) * agent.max_speed);
}
