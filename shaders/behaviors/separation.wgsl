// Separation: away from each neighbor, with a strength of 1/distance^exponent (Reynolds 1999: a repulsive force in the
// direction of the offset, weighted by 1/r, an exponent that is "not a fundamental value").
//
//   sum:      A = -Σ r / d^(exponent + 1)
//   desired:  A = (max_speed unit(-Σ r / d^(exponent + 1)) - v) / τ

/// away from each neighbor, the more the nearer
/// weight = 1 in u²/s²; u^(exponent + 1)/s² in general; a pure number where the form is desired
/// priority = 3
/// order = 10
struct Separation {
    rule: Rule,
    vision: Vision,
    /// falloff of the repulsion with distance: its strength is 1/distance^exponent
    /// value = 1 in 0..3
    exponent: u32,
    /// sum: the repulsions add up; desired: their direction at max_speed is the desired velocity
    /// value = sum of sum | desired
    form: u32,
}

const SEPARATION_DESIRED = 1u;

// Offsets shorter than a thousandth of the radius count as that long, so that the sum stays finite.
fn separation_floor(separation: Separation) -> f32 {
    return max(separation.vision.radius_squared * 1e-6, 1e-12);
}

// What an offset of this squared length is multiplied with: 1/distance^(exponent + 1).
fn separation_falloff(squared: f32, exponent: u32) -> f32 {
    let distance = sqrt(squared);
    let slow = select(1.0 / squared, 1.0 / distance, exponent == 0u);
    let fast = select(1.0 / (squared * distance), 1.0 / (squared * squared), exponent == 3u);
    return select(slow, fast, exponent >= 2u);
}

fn separation_add(sum: vec3f, separation: Separation, neighbor: Neighbor) -> vec3f {
    let squared = max(neighbor.distance_squared, separation_floor(separation));
    let weight = separation_falloff(squared, separation.exponent);
    return sum - neighbor.offset * select(0.0, weight, sees(separation.vision, neighbor));
}

// Coincident agents have no offset. They part along a direction of the pair: opposite for the two, the same in every run,
// as strongly as at the least distance.
fn separation_add_coincident(sum: vec3f, separation: Separation, agent: Agent, other: u32) -> vec3f {
    let least = sqrt(separation_floor(separation));
    var apart = direction(min(agent.id, other), max(agent.id, other), STREAM_COINCIDENT) / least;
    if (separation.exponent != 1u) {
        apart = apart * (separation_falloff(least * least, separation.exponent) * (least * least));
    }
    return sum + select(-apart, apart, agent.id < other);
}

// u/s² before its weight
fn separation_resolve(sum: vec3f, separation: Separation, agent: Agent) -> vec3f {
    if (separation.form != SEPARATION_DESIRED) {
        return sum;
    }
    let away = unit_or_zero(sum);
    let nobody = dot3(away, away) == 0.0;
    return select(steer_to(agent, away * agent.max_speed), vec3f(0.0), nobody);
}
