// Formation: each to a place of its own in a shape that moves with the target. Places are taken by the agents' ids, so
// each is taken once; with the target { leader = "..." } the followers of each leader make a shape of their own.
//
//   A = (max_speed min(|w| / slow_radius, 1) unit(w) - v) / τ,  w = q + T u,
//   q the way to its place now, T = |q| / (max_speed + |u|) <= max_prediction_time
//
// line: abreast, to its right and left in turn. column: behind each other. wedge: behind and to the right and left in turn.
// circle: around it. The shape lies level in the target's frame. A formation is `offset_pursuit` in its `leader_frame`,
// with other offsets.

/// to a place of its own in a shape around the target
/// weight = 1
/// priority = 4
/// order = 145
/// wants = velocity
struct Formation {
    rule: Rule,
    toward: Target,
    /// line: abreast; column: behind each other; wedge: behind to both sides; circle: around the target
    /// value = wedge of line | column | wedge | circle
    shape: u32,
    /// from each place to the next, ahead and to the side; along the arc of a circle, whose radius is no less
    /// value = 3 in 0..1e6 u
    spacing: f32,
    /// nearer than this to its place, the agent slows down
    /// value = 20 in 0..1e6 u
    /// needs = stop
    slow_radius: f32,
    /// the time ahead is never longer
    /// value = 1 in 0..1e3 s
    max_prediction_time: f32,
}

const FORMATION_LINE = 0u;
const FORMATION_COLUMN = 1u;
const FORMATION_WEDGE = 2u;

// The place of a rank, counted from 0, in a shape of this size: ahead of the target, to its right, above; u.
fn formation_place(shape: u32, rank: u32, size: u32, spacing: f32) -> vec3f {
    let row = f32(rank / 2u + 1u) * spacing;
    let aside = select(row, -row, rank % 2u == 1u);
    if (shape == FORMATION_LINE) {
        return vec3f(0.0, aside, 0.0);
    }
    if (shape == FORMATION_COLUMN) {
        return vec3f(-(f32(rank + 1u) * spacing), 0.0, 0.0);
    }
    if (shape == FORMATION_WEDGE) {
        return vec3f(-row, aside, 0.0);
    }
    let turn = rotation(f32(rank) / f32(size) * 6.2831855);
    let radius = max(f32(size) * spacing * 0.15915494, spacing);
    return vec3f(turn.x * radius, turn.y * radius, 0.0);
}

// u/s² before its weight
fn formation_steer(formation: Formation, agent: Agent, goal: Goal) -> vec3f {
    if (!goal.exists) {
        return vec3f(0.0);
    }
    let own = species_of(agent.id);
    var index = agent.id - species[own].first_id;
    var count = species[own].count;
    var leaders = 1u;
    if (formation.toward.kind == TARGET_LEADER) {
        leaders = max(species[formation.toward.index].count, 1u);
    }
    // An agent of the own species that the others follow takes no place.
    if (formation.toward.kind == TARGET_AGENT && species_of(formation.toward.index) == own) {
        index -= u32(agent.id > formation.toward.index);
        count -= 1u;
    }
    let size = (count - index % leaders + leaders - 1u) / leaders;
    let place = formation_place(formation.shape, index / leaders, size, formation.spacing);
    return offset_pursuit_accompany(agent, goal, place, formation.slow_radius, formation.max_prediction_time);
}
