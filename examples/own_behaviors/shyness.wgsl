// Shyness: away from the fastest neighbor in view, the more the faster it is.
//
// A neighborhood behavior looks at each neighbor once (`shyness_add`) and answers at the end (`shyness_resolve`).

/// away from the fastest neighbor
/// weight = 1
/// priority = 2
struct Shyness {
    rule: Rule,
    vision: Vision,
    /// slower neighbors frighten nobody
    /// value = 5 in 0..1000 u/s
    threshold: f32,
}

struct ShynessSum {
    speed: f32,
    offset: vec3f,
}

fn shyness_add(sum: ShynessSum, shyness: Shyness, neighbor: Neighbor) -> ShynessSum {
    let speed = sqrt(dot3(neighbor.velocity, neighbor.velocity));
    if (sees(shyness.vision, neighbor) && speed > max(sum.speed, shyness.threshold)) {
        return ShynessSum(speed, neighbor.offset);
    }
    return sum;
}

// u/s² before its weight
fn shyness_resolve(sum: ShynessSum, shyness: Shyness, agent: Agent) -> vec3f {
    if (sum.speed <= 0.0) {
        return vec3f(0.0);
    }
    let share = min(sum.speed / max(agent.max_speed, 1e-3), 1.0);
    return unit_or_zero(sum.offset) * (-agent.max_acceleration * share);
}
