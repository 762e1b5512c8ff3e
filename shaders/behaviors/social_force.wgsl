// Social force: people keep away from each other and from walls as if pushed, and push where bodies touch (Helbing and Molnár
// 1995, "Social force model for pedestrian dynamics"; Helbing, Farkas and Vicsek 2000, "Simulating dynamical features of escape
// panic"). Both say forces; here they are per mass, so 2000 N on 80 kg are 25 u/s², with a unit of one meter. What drives people on,
// (v₀ e - v) / τ, is `flow_field`, or `seek`.
//
//   A = Σ w (repulsion e^((R - b) / repulsion_length) ∇b) + overlap (stiffness n + friction t)
//   b = ½ √((|d| + |d - y|)² - |y|²),  y = step_time u,  overlap = max(R - |d|, 0)
//   d from the neighbor to the agent, n its direction, R both radii, u the neighbor's velocity, t its sliding past the agent
//
// b is the short half axis of the ellipse around the neighbor's next step, y, on which the agent is. Without a step, as in 2000,
// it is the distance. In 1995 it is 2 s, and people are points: V₀/σ e^(-b/σ) is a repulsion of V₀/σ e^(-R/σ) between bodies, and
// a neighbor out of sight counts half (w). Walls push alike, with numbers of their own and without a step; the nearest one counts, as if it
// stood still.

/// people keep away from each other and from walls, and push where bodies touch (Helbing)
/// weight = 1
/// priority = 3
/// order = 350
struct SocialForce {
    rule: Rule,
    /// field_of_view = 360
    vision: Vision,
    /// repulsion between two bodies that just touch
    /// value = 25 in 0..1e6 u/s²
    repulsion: f32,
    /// distance over which that repulsion falls to 1/e
    /// value = 0.08 in 1e-3..1e6 u
    repulsion_length: f32,
    /// repulsion of a wall that the body just touches
    /// value = 25 in 0..1e6 u/s²
    wall_repulsion: f32,
    /// distance over which the repulsion of a wall falls to 1/e
    /// value = 0.08 in 1e-3..1e6 u
    wall_length: f32,
    /// the neighbor's way in this time is left free: the longer, the more repulsion reaches ahead of it
    /// value = 0 in 0..1e3 s
    step_time: f32,
    /// full angle ahead in which repulsion counts in full
    /// value = 360 in 0..360 deg as half_cosine
    attention: f32,
    /// share that counts of repulsion from outside of that angle
    /// value = 1 in 0..1
    inattention: f32,
    /// acceleration per overlap with which bodies push each other apart
    /// value = 1500 in 0..1e6 1/s²
    /// needs = contact with friction
    stiffness: f32,
    /// deceleration per overlap and speed of bodies that slide along each other: 3000 in the paper of 2000, which takes short time steps
    /// value = 0 in 0..1e6 1/(u·s)
    friction: f32,
}

// e^-x. For bodies that overlap x is negative; more than e^20 would leave the range of floats in sums.
fn social_force_falloff(x: f32) -> f32 {
    let fall = decay(abs(max(x, -20.0)));
    return select(fall, 1.0 / fall, x < 0.0);
}

// The force per mass between touching bodies. `away` points away from the other one, and `relative` is its velocity relative to the
// agent's.
fn social_force_contact(social_force: SocialForce, overlap: f32, away: vec3f, relative: vec3f) -> vec3f {
    let sliding = relative - away * dot3(relative, away);
    return (away * social_force.stiffness + sliding * social_force.friction) * max(overlap, 0.0);
}

fn social_force_add(sum: vec3f, social_force: SocialForce, neighbor: Neighbor, agent: Agent) -> vec3f {
    let distance = max(neighbor.distance, COINCIDENT);
    let away = -neighbor.offset / distance;
    let step = neighbor.velocity * social_force.step_time;
    let after = -neighbor.offset - step;
    let distance_after = sqrt(dot3(after, after));
    let both = distance + distance_after;
    let short = 0.5 * sqrt(max(both * both - dot3(step, step), 0.0));
    let slope = (away + after / max(distance_after, COINCIDENT)) * (both / (4.0 * max(short, COINCIDENT)));
    let room = agent.radius + neighbor.radius;
    let repelled = slope * (social_force.repulsion * social_force_falloff((short - room) / social_force.repulsion_length));
    let attended = -dot3(repelled, agent.forward) >= sqrt(dot3(repelled, repelled)) * social_force.attention;
    let contact = social_force_contact(social_force, room - distance, away, neighbor.velocity - agent.velocity);
    let push = repelled * select(social_force.inattention, 1.0, attended) + contact;
    return sum + select(vec3f(0.0), push, sees(social_force.vision, neighbor));
}

// Coincident agents have no offset. They part along a direction of the pair: opposite for the two.
fn social_force_add_coincident(sum: vec3f, social_force: SocialForce, agent: Agent, other: u32) -> vec3f {
    let apart = direction(min(agent.id, other), max(agent.id, other), STREAM_COINCIDENT);
    let room = agent.radius + radius_of(species_of(other), other);
    let repulsion = social_force.repulsion * social_force_falloff(-room / social_force.repulsion_length);
    return sum + select(-apart, apart, agent.id < other) * (repulsion + social_force.stiffness * room);
}

// u/s² before its weight
fn social_force_resolve(sum: vec3f, social_force: SocialForce, agent: Agent) -> vec3f {
    let wall = nearest_wall(agent.position, 0.0);
    if (!wall.exists) {
        return sum;
    }
    let gap = wall.distance - agent.radius;
    let repulsion = social_force.wall_repulsion * social_force_falloff(gap / social_force.wall_length);
    return sum + wall.normal * repulsion + social_force_contact(social_force, -gap, wall.normal, -agent.velocity);
}
