// The two parameter blocks that every stage can read. Their Rust twins are in src/model/layout.rs; a test compares
// names, offsets and sizes.

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
    // The largest max_speed of any species, u/s.
    top_speed: f32,
}

struct Species {
    // Ids first_id and up, to the next species' first_id, are of this species.
    first_id: u32,
    mass: f32,
    max_speed: f32,
    min_speed: f32,
    max_force: f32,
    time_constant: f32,
    // The largest perception radius of the behaviors that act.
    perception_radius: f32,
    separation: Separation,
    alignment: Alignment,
    cohesion: Cohesion,
    flow_field: FlowField,
}

@group(0) @binding(0) var<uniform> world: World;
@group(0) @binding(1) var<storage, read> species: array<Species>;

// An agent whose state was not finite keeps its id with this bit set: it stands still and nobody perceives it.
const FROZEN = 0x80000000u;

// In `neighbors`: the driver cut a loop of this agent off, so its step is not valid.
const CUT_OFF = 0xffffffffu;

// Index of this invocation; the grid of workgroups has a second dimension where one is too short.
fn invocation_index(invocation: vec3u, workgroups: vec3u) -> u32 {
    return invocation.y * workgroups.x * workgroup_size + invocation.x;
}

fn species_of(id: u32) -> u32 {
    var row = 0u;
    if (many_species) {
        for (var s = 1u; s < world.species_count; s += 1u) {
            if (id >= species[s].first_id) {
                row = s;
            }
        }
    }
    return row;
}
