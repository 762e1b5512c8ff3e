// The parameter blocks that every stage can read. The build script makes their Rust twins of these structs and their
// comments. `Behaviors` and `BehaviorMemories` are generated for each scene, from its active behaviors.

// The world and its grid.
struct World {
    // Extent, u; the world is centered on the origin. 0 along z in a planar world.
    size: vec3f,
    agent_count: u32, // Number of agents.
    half_size: vec3f, // Half of the extent, u.
    dt: f32, // Time step, s.
    cells_per_unit: vec3f, // Cells of the grid per length along each axis, 1/u.
    // Number of cells of the grid. Behind them lie cells for agents that no agent perceives, which no query visits.
    cell_count: u32,
    cell_size: vec3f, // Extent of a cell, u.
    // Added to every search so that rounding never hides a neighbor, u.
    search_margin: f32,
    cells: vec3u, // Cells along each axis.
    species_count: u32, // Number of species.
    field_nodes: vec3u, // Nodes of the flow field along each axis.
    // Distance from a contained wall at which agents turn back, u.
    margin: f32,
    field_nodes_per_unit: vec3f, // Nodes of the flow field per length along each axis, 1/u.
    seed: u32, // Seed of all random numbers.
    // Where the target `mouse` is, u.
    mouse: vec3f,
    // The largest `max_speed` of any species, u/s.
    top_speed: f32,
    ground_cells: vec3u, // Cells of the ground along each axis.
    // Steps after which visits are halved; 0 for never.
    ground_half_life: u32,
    ground_cell_size: vec3f, // Extent of a cell of the ground, u.
    ground_intake: u32, // What an agent takes in a step, in 1/65536 units.
    ground_cells_per_unit: vec3f, // Cells of the ground per length along each axis, 1/u.
    ground_regrowth: u32, // What a cell grows in a step, in 1/65536 units.
    // Share of a cell's trail that each of its two neighbors along an axis gets in a step, in 1/2^32.
    trail_shares: vec3u,
    trail_fade: u32, // Share of the trail that fades in a step, in 1/2^32.
    // Cells beyond each end of the world that have numbers of their own, on a folded axis; 0 on others.
    cells_beyond: vec3f,
    // Query mask: bit s is set where species s has queries.
    query_mask: u32,
    first_querying: u32, // Least id of the agents that have queries.
    querying_ids: u32, // Number of ids from there to the last agent with queries.
    map_columns: u32, // Cells of the map along x; 0 where there is no map.
    map_rows: u32, // Cells of the map along y.
    map_cell_size: f32, // Extent of a cell of the map, u.
    map_cells_per_unit: f32, // Cells of the map per length, 1/u.
    // A cell that holds more agents than this shows a sample of them.
    crowd: u32,
    can_be_away: u32, // 1 where agents leave, or enter one after another.
    // How far beyond its radius a body looks for others that touch it, u; 0 where none collides.
    contact_reach: f32,
    // The first id of the second species and of each later one; larger than any id where there is no such species.
    first_ids: array<vec4u, 8>,
}

// One species.
struct Species {
    first_id: u32, // The least id of its agents; the others follow.
    count: u32, // Number of its agents.
    mass: f32, // Mass, kg.
    max_speed: f32, // Greatest speed, u/s.
    min_speed: f32, // Least speed, u/s.
    max_force: f32, // Greatest force, kg·u/s².
    time_constant: f32, // Time within which a desired velocity is reached, s.
    radius: f32, // Body radius, u.
    collides: u32, // 1 where the body is moved apart from others that collide, and out of walls and obstacles.
    // The largest perception radius of its active neighborhood behaviors, u.
    perception_radius: f32,
    // Number of nearest neighbors that each behavior takes; 0 for all that it perceives.
    k_nearest: u32,
    // How behaviors are combined: 0 weighted, 1 normalized, 2 by priority, 3 by budget, 4 by chance.
    combine: u32,
    // How the behaviors of one priority are combined, four bits for each priority, 0 in the lowest bits: 0 weighted, 1 normalized, 2
    // first.
    combine_within: u32,
    update_every: u32, // Steps from one steering to the next; 1 for every step.
    transition_count: u32, // Rows of `actions` that hold a rule.
    // Share of the new steering that replaces the old one; 1 where steering is not smoothed.
    smoothing: f32,
    // If it has queries, the row of an agent in `found` is this plus the agent's id, modulo 2^32.
    query_row: u32,
    dither: array<f32, 8>, // Probability that each priority counts in a step, 0 to 1.
    speed_spread: f32, // How far the greatest speeds of its agents differ from `max_speed`, u/s.
    force_spread: f32, // How far the greatest forces of its agents differ from `max_force`, kg·u/s².
    mass_spread: f32, // How far the masses of its agents differ from `mass`, kg.
    radius_spread: f32, // How far the radii of its agents differ from `radius`, u.
    angular_spread: f32, // How far the greatest angular speeds of its agents differ from the vehicle's, rad/s.
    least_spread: f32, // How far the least speeds of its agents differ from `min_speed`, u/s.
    time_spread: f32, // How far the time constants of its agents differ from `time_constant`, s.
    // 1 where these spreads are standard deviations, 0 where they are the largest differences.
    normal: u32,
    state_speeds: array<f32, 32>, // Factor of the greatest speed in each action state.
    state_forces: array<f32, 32>, // Factor of the greatest force in each action state.
    state_weights: array<f32, 256>, // Factors of weights, in rows that have one for each action state; the first row is all 1.
    weight_spreads: array<f32, 64>, // How far the weight of each behavior differs from agent to agent.
    // A priority whose sum is shorter than this counts as zero, u/s² (of angular behaviors rad/s²).
    silence: f32,
    deposit: u32, // What an agent lays on the ground in a step, in 1/65536 units.
    // Bit s is set where its agents lay this in action state s.
    deposit_states: u32,
    exit: u32, // The goal of the map at which its agents leave; NO_EXIT where they stay.
    entry_interval: f32, // Steps from one of its agents that enters to the next; 0 where all are there from the start.
    // 1 where its agents perceive only agents that no obstacle and no wall of the map hides.
    line_of_sight: u32,
    // Nearest-agent queries of targets.
    queries: array<Vision, 4>,
    actions: array<Transition, 16>, // The transitions of action selection.
    vehicle: Vehicle, // Its body.
    // Parameters of the behaviors; in a shader, of the active ones.
    behaviors: Behaviors,
}

// One transition of action selection.
struct Transition {
    // Bit s is set where the transition leads out of state s.
    from_states: u32,
    to: u32, // State that it leads to.
    // Its condition: 0 nearer, 1 farther, 2 after, 3 field above, 4 field below, 5 load above.
    when: u32,
    than: f32, // Threshold of the condition: u, s, u/s or units.
    // 1 where the agent puts down what it carries.
    unloads: u32,
    toward: Target, // What the distance is measured to.
}

const WHEN_NEARER = 0u; // Value of a rule's `when`.
const WHEN_FARTHER = 1u;
const WHEN_AFTER = 2u;
const WHEN_FIELD_ABOVE = 3u;
const WHEN_FIELD_BELOW = 4u;
const WHEN_LOAD_ABOVE = 5u;

// An angular acceleration as it is stored, rad/s²; along z in a planar world.
alias Turn = array<f32, 3>;

// What an agent remembers from step to step. Shaders store the words of it that a scene uses.
struct Memory {
    state: u32, // Action state.
    since: u32, // The step in which that state began.
    // Units of a resource that it carries.
    load: u32,
    // One more than the priority that decided in the latest step; 0 where several did or none.
    winner: u32,
    // The latest steering, for agents that skip steps or smooth their steering, u/s²; for bodies that move as desired the desired
    // velocity, u/s.
    held: array<f32, 3>,
    // Number of neighbors that it perceived when it last steered, where some agents skip steps.
    perceived: u32,
    behaviors: BehaviorMemories, // What the behaviors remember.
}

// With this bit the word of an id belongs to an agent that takes no part: it stands still and no agent perceives it. Its state was
// not finite, or it is away.
const FROZEN = 0x80000000u;
// With this bit beside FROZEN the agent is away: it has left, or has not entered yet.
const AWAY = 0x40000000u;
// The bits of the id alone.
const ID_BITS = 0x3fffffffu;
const NO_EXIT = 0xffffffffu; // In place of the index of the goal at which the agents of a species leave: they do not leave.

// In `neighbors`: the driver cut a loop of this agent off, so its step is not valid.
const CUT_OFF = 0xffffffffu;

// The place of an invocation in its dispatch.
struct Invocation {
    @builtin(global_invocation_id) id: vec3u,
    @builtin(num_workgroups) workgroups: vec3u,
    @builtin(local_invocation_index) thread: u32, // Within its workgroup.
}

// Index of this invocation; the grid of workgroups has a second dimension where one is too short.
fn invocation_index(invocation: vec3u, workgroups: vec3u) -> u32 {
    return invocation.y * workgroups.x * workgroup_size + invocation.x;
}

// How many of four species begin at this id or before.
fn begun(first_ids: vec4u, id: u32) -> u32 {
    let counts = select(vec4u(0u), vec4u(1u), vec4u(id) >= first_ids);
    return counts.x + counts.y + counts.z + counts.w;
}

// Does a species have queries?
fn has_queries(own: u32) -> bool {
    return ((world.query_mask >> own) & 1u) != 0u;
}

// The species of an agent. Up to five are told apart without a loop: this runs for every candidate.
fn species_of(id: u32) -> u32 {
    var row = 0u;
    if (many_species) {
        row = begun(world.first_ids[0], id);
        for (var four = 1u; 4u * four + 1u < world.species_count; four += 1u) {
            row += begun(world.first_ids[four], id);
        }
    }
    return row;
}
