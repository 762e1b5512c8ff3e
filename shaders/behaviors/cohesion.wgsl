// Cohesion: toward the mean position of the neighbors, in proportion to its distance, by seeking it, or in its direction
// alone (Reynolds 1999 names the last two). The mean is taken of offsets, never of positions, so that it holds across a
// seam and far from the origin. An agent at the mean position itself desires nothing.
//
//   linear:     A = mean r
//   seek:       A = (max_speed unit(Σ r) - v) / τ
//   direction:  A = unit(Σ r)

/// toward the mean position of the neighbors
/// weight = 1 in 1/s²; a pure number for seek, u/s² for direction
/// priority = 6
/// order = 30
struct Cohesion {
    rule: Rule,
    vision: Vision,
    /// linear: in proportion to the distance; seek: at max_speed; direction: a unit acceleration
    /// value = linear of linear | seek | direction
    form: u32,
}

const COHESION_SEEK = 1u;
const COHESION_DIRECTION = 2u;

struct CohesionSum {
    offset: vec3f,
    count: u32,
}

fn cohesion_add(sum: CohesionSum, cohesion: Cohesion, neighbor: Neighbor) -> CohesionSum {
    let seen = sees(cohesion.vision, neighbor);
    return CohesionSum(sum.offset + select(vec3f(0.0), neighbor.offset, seen), sum.count + u32(seen));
}

// Before its weight.
fn cohesion_resolve(sum: CohesionSum, cohesion: Cohesion, agent: Agent) -> vec3f {
    if (sum.count == 0u) {
        return vec3f(0.0);
    }
    let toward = unit_or_zero(sum.offset);
    if (cohesion.form == COHESION_DIRECTION) {
        return toward;
    }
    if (cohesion.form == COHESION_SEEK) {
        return select(steer_to(agent, toward * agent.max_speed), vec3f(0.0), dot3(toward, toward) == 0.0);
    }
    return sum.offset / f32(sum.count);
}
