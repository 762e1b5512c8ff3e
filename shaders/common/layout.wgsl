// The parameter blocks that every stage can read. Their Rust twins are in src/model/layout.rs; a test compares names,
// offsets, sizes and types. `Behaviors` and `BehaviorMemories` are made for each scene, of the behaviors that act in it.

struct World {
    // Extent, u; the world is centered on the origin. 0 along z in a planar world.
    size: vec3f,
    agent_count: u32,
    half_size: vec3f,
    dt: f32,
    cells_per_unit: vec3f,
    // The frozen agents' cell, which no query visits, has this index.
    cell_count: u32,
    cell_size: vec3f,
    // Added to every search so that rounding never hides a neighbor, u.
    search_margin: f32,
    cells: vec3u,
    species_count: u32,
    field_nodes: vec3u,
    // Distance from a contained wall at which agents turn back, u.
    margin: f32,
    field_nodes_per_unit: vec3f,
    seed: u32,
    // Where the target `mouse` is, u.
    mouse: vec3f,
    // The largest max_speed of any species, u/s.
    top_speed: f32,
    ground_cells: vec3u,
    // Steps after which visits are halved; 0 for never.
    ground_half_life: u32,
    ground_cell_size: vec3f,
    // What an agent takes in a step, and what a cell grows, in 1/65536 units.
    ground_intake: u32,
    ground_cells_per_unit: vec3f,
    ground_regrowth: u32,
    // Bit s is set where species s has queries.
    asking: u32,
    // The agents that have queries have ids from `first_asking` on, `asking_ids` of them at most.
    first_asking: u32,
    @size(8) asking_ids: u32,
    // The first ids of the second species and on; where there is none, larger than any id.
    first_ids: array<vec4u, 8>,
}

struct Species {
    // Ids first_id and up, to the next species' first_id, are of this species.
    first_id: u32,
    count: u32,
    mass: f32,
    max_speed: f32,
    min_speed: f32,
    max_force: f32,
    time_constant: f32,
    // Body radius, u.
    radius: f32,
    // The largest perception radius of the neighborhood behaviors that act.
    perception_radius: f32,
    // 0 for all that are perceived.
    k_nearest: u32,
    // 0 weighted, or one of the COMBINE_ numbers.
    combine: u32,
    update_every: u32,
    action_rules: u32,
    // Share of the new steering that replaces the old one; 1 where steering is not smoothed.
    smoothing: f32,
    // If it has queries, the row in `found` of each of its agents is this and its id.
    asker_row: u32,
    dither: array<f32, 8>,
    // Nearest-agent queries of targets.
    queries: array<Vision, 2>,
    actions: array<ActionRule, 8>,
    vehicle: Vehicle,
    // Parameters of the behaviors that act in the scene.
    behaviors: Behaviors,
}

// One row of the table of action selection.
struct ActionRule {
    // Bit s is set where the rule counts in state s.
    from_states: u32,
    to: u32,
    // One of the WHEN_ numbers.
    when: u32,
    than: f32,
    // 1 where the agent puts down what it carries.
    unloads: u32,
    toward: Target,
}

const WHEN_NEARER = 0u;
const WHEN_FARTHER = 1u;
const WHEN_AFTER = 2u;
const WHEN_FIELD_ABOVE = 3u;
const WHEN_FIELD_BELOW = 4u;
const WHEN_LOAD_ABOVE = 5u;

// An angular acceleration by id, rad/s²; along z in a planar world.
alias Turn = array<f32, 3>;

// What an agent keeps from step to step, by id.
struct Memory {
    // Action state, and the step in which it began.
    state: u32,
    since: u32,
    // Units of a resource that it carries.
    load: u32,
    // One more than the priority that decided in the latest step; 0 where several did or none.
    winner: u32,
    // The latest steering, for agents that do not steer in every step, u/s²; of bodies that move as desired the desired
    // velocity, u/s.
    held: array<f32, 3>,
    // What the behaviors that act in the scene remember.
    behaviors: BehaviorMemories,
}

// An agent whose state was not finite keeps its id with this bit set: it stands still and nobody perceives it.
const FROZEN = 0x80000000u;

// In `neighbors`: the driver cut a loop of this agent off, so its step is not valid.
const CUT_OFF = 0xffffffffu;

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
fn asks(own: u32) -> bool {
    return ((world.asking >> own) & 1u) != 0u;
}

// The species of an agent. Up to five are told apart without a loop: this is asked of every candidate.
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
