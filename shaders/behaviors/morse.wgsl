// Morse: attraction that is cut short by repulsion, both falling off exponentially with the distance, and a speed that the
// agent keeps by itself (D'Orsogna et al. 2006, "Self-propelled particles with soft-core interactions"). Swarms, rings and
// mills. Agents that repel each other little where they are near (repulsion / attraction small for the lengths) collapse
// into mills.
//
//   A = (propulsion - friction v²) v - ∇U
//   U = Σ repulsion e^(-d / repulsion_length) - attraction e^(-d / attraction_length)
//
// Alone an agent has the speed √(propulsion/friction). In the model every agent perceives every other; here none perceives
// beyond the perception radius, which should be some attraction lengths.

/// near neighbors repel, far ones attract, by a Morse potential, at a speed of its own (D'Orsogna)
/// weight = 1
/// priority = 6
/// order = 67
struct Morse {
    rule: Rule,
    /// field_of_view = 360
    vision: Vision,
    /// depth of the potential that repels
    /// value = 1 in 0..1e6 u²/s²
    repulsion: f32,
    /// distance within which that falls to 1/e
    /// value = 0.5 in 1e-3..1e6 u
    repulsion_length: f32,
    /// depth of the potential that attracts
    /// value = 0.5 in 0..1e6 u²/s²
    attraction: f32,
    /// distance within which that falls to 1/e
    /// value = 2 in 1e-3..1e6 u
    attraction_length: f32,
    /// acceleration per speed of an agent that is slow
    /// value = 1.6 in 0..1e4 1/s
    propulsion: f32,
    /// takes propulsion away, in proportion to the squared speed
    /// value = 0.5 in 0..1e4 s/u²
    friction: f32,
}

// Acceleration toward a neighbor at a distance, u/s²: the slope of the potential.
fn morse_pull(morse: Morse, distance: f32) -> f32 {
    let attraction = morse.attraction / morse.attraction_length * decay(distance / morse.attraction_length);
    return attraction - morse.repulsion / morse.repulsion_length * decay(distance / morse.repulsion_length);
}

fn morse_add(sum: vec3f, morse: Morse, neighbor: Neighbor) -> vec3f {
    let toward = neighbor.offset / max(neighbor.distance, COINCIDENT);
    let pull = morse_pull(morse, neighbor.distance);
    return sum + toward * select(0.0, pull, sees(morse.vision, neighbor));
}

// Coincident agents have no offset. They part, or stay, along a direction of the pair: opposite for the two.
fn morse_add_coincident(sum: vec3f, morse: Morse, agent: Agent, other: u32) -> vec3f {
    let apart = direction(min(agent.id, other), max(agent.id, other), STREAM_COINCIDENT);
    return sum - select(-apart, apart, agent.id < other) * morse_pull(morse, 0.0);
}

// u/s² before its weight
fn morse_resolve(sum: vec3f, morse: Morse, agent: Agent) -> vec3f {
    return sum + agent.velocity * (morse.propulsion - morse.friction * (agent.speed * agent.speed));
}
