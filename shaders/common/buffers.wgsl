// Every buffer of a simulation, once. The host binds each by its name and only where a pass uses it, read-only where the
// pass does not write to it.
//
// A name that ends in `_atomic` is the same buffer as the name without it, for passes in which many invocations write to one word. A name
// that ends in `_moving` is the same parameter block, for the pass that writes what changes from step to step. A name that ends in
// `_written` is the same texture, for the pass that writes it. A name that ends in `_stored` is the same texture as a storage texture,
// which some drivers read faster because they need not look up its mip level.

@group(0) @binding(0) var<uniform> world: World;
@group(0) @binding(1) var<storage, read> species: array<Species>;
@group(0) @binding(2) var<storage, read> field: array<Stored>;
@group(0) @binding(3) var<uniform> scenery: Scenery;

// The state by storage slot: in the sorted order of the last step.
@group(0) @binding(4) var<storage, read_write> position: array<Stored>;
@group(0) @binding(5) var<storage, read_write> velocity: array<Stored>;
@group(0) @binding(6) var<storage, read_write> id: array<u32>;

// By storage slot: `cell` has the cell of each agent with its rank within the cell, and `rank` the rank where it does not fit in there
// (`store_cell_and_rank`). Ranks depend on the order of threads.
@group(0) @binding(7) var<storage, read_write> cell: array<u32>;
@group(0) @binding(8) var<storage, read_write> rank: array<u32>;
// By cell: the number of agents (`count`), and how many of them a crowded cell shows (`visible`).
@group(0) @binding(9) var<storage, read_write> count: array<u32>;
@group(0) @binding(10) var<storage, read_write> count_atomic: array<atomic<u32>>;
@group(0) @binding(40) var<storage, read_write> visible: array<u32>;
@group(0) @binding(41) var<storage, read_write> visible_atomic: array<atomic<u32>>;
// `cell_start`: the first sorted index of each cell, and behind these what else is looked up in a step (`lookup.wgsl`). `block_sum`: the
// number of agents in each block of cells, while the prefix sum is computed.
@group(0) @binding(11) var<storage, read_write> cell_start: array<u32>;
@group(0) @binding(17) var<storage, read_write> cell_start_atomic: array<atomic<u32>>;
@group(0) @binding(12) var<storage, read_write> block_sum: array<u32>;
// `order`: storage slots, sorted by cell; within a cell they are in the order of threads. `order_id`: the ids of the same agents, where
// agents are loaded from a texture.
@group(0) @binding(13) var<storage, read_write> order: array<u32>;
@group(0) @binding(42) var<storage, read_write> order_id: array<u32>;

// The state by sorted index: sorted by cell, and by id within a cell.
@group(0) @binding(14) var<storage, read_write> sorted_position: array<Stored>;
@group(0) @binding(15) var<storage, read_write> sorted_velocity: array<Stored>;
@group(0) @binding(16) var<storage, read_write> sorted_id: array<u32>;
// The same agents in a texture, where agents are loaded from one.
@group(0) @binding(38) var sorted_agents: texture_storage_2d<rgba32uint, read>;
@group(0) @binding(39) var sorted_agents_written: texture_storage_2d<rgba32uint, write>;

// The number of the step, from 1.
@group(0) @binding(18) var<uniform> clock: Clock;
@group(0) @binding(43) var<storage, read_write> clock_moving: Clock;
// Sums over all agents of the world, low and high word of each: velocities as shares of the top speed along x, y, z,
// headings along x, y, z, and the number of agents.
@group(0) @binding(19) var<uniform> census_sums: CensusSums;
@group(0) @binding(20) var<storage, read_write> census_sums_atomic: array<atomic<u32>>;

// The arguments of the indirect dispatch of `steer` over the active list: workgroups in three dimensions.
@group(0) @binding(23) var<storage, read_write> active_groups: array<u32>;

// The combined steering of the behaviors in sorted order, u/s², before the force limit.
@group(0) @binding(25) var<storage, read_write> acceleration: array<Stored>;
// How far each body is pushed by the bodies that overlap it, by sorted index, u.
@group(0) @binding(56) var<storage, read_write> pushes: array<Stored>;
// By sorted index, the number of neighbors that at least one behavior perceives, or CUT_OFF. The next word becomes 1 when any agent is
// cut off in any step, and stays 1, so that the host need not check after every step. Behind it lie hints for the search, by id, where
// agents perceive only their k nearest (`vision.wgsl`).
@group(0) @binding(26) var<storage, read_write> neighbors: array<u32>;

// By id, and only in scenes that need it: in `memory` what an agent remembers, with the words of `Memory` that the scene uses; in `pose`
// which way it faces. Where one binding cannot hold a column for all agents, the further words of each agent lie in the numbered buffers.
// The functions that load and store these words (`state_of`, `keep_pose`) are generated for each scene.
@group(0) @binding(27) var<storage, read_write> memory: array<u32>;
@group(0) @binding(44) var<storage, read_write> memory_1: array<u32>;
@group(0) @binding(45) var<storage, read_write> memory_2: array<u32>;
@group(0) @binding(46) var<storage, read_write> memory_3: array<u32>;
@group(0) @binding(29) var<storage, read_write> pose: array<u32>;
@group(0) @binding(47) var<storage, read_write> pose_1: array<u32>;
@group(0) @binding(48) var<storage, read_write> pose_2: array<u32>;
@group(0) @binding(49) var<storage, read_write> pose_3: array<u32>;

@group(0) @binding(30) var<storage, read_write> ground: array<GroundCell>;
@group(0) @binding(31) var<storage, read_write> ground_atomic: array<MarkedCell>;
// What is left of the trail in each cell of the ground once it has faded in this step.
@group(0) @binding(34) var<storage, read_write> faded: array<u32>;

// The results of `observe`, some words for each workgroup.
@group(0) @binding(35) var<storage, read_write> observed: array<u32>;

// `crossed_atomic`: the number of crossings of each line since the start, from its left to its right and back. `events_atomic`: a list of
// events (`events.wgsl`).
@group(0) @binding(53) var<storage, read_write> crossed_atomic: array<atomic<u32>>;
@group(0) @binding(54) var<storage, read_write> events_atomic: array<atomic<u32>>;

// `measurement`: what the scene asks to observe. `measured_atomic`: what was measured (`measure.wgsl`).
@group(0) @binding(57) var<storage, read> measurement: array<Measurement>;
@group(0) @binding(58) var<storage, read_write> measured_atomic: array<atomic<u32>>;

// `pieces`: the pieces of all trajectories. `scenery_moving`: the scenery, for the pass that moves it.
@group(0) @binding(36) var<storage, read> pieces: array<Piece>;
@group(0) @binding(37) var<storage, read_write> scenery_moving: Scenery;
// Many obstacles and the lists of their cells (`obstacle_cells.wgsl`).
@group(0) @binding(50) var obstacle_texels: texture_2d<u32>;
@group(0) @binding(59) var obstacle_texels_stored: texture_storage_2d<rgba32uint, read>;
// For each cell of the map the nearest cell of the other kind, wall or open (`walls.wgsl`).
@group(0) @binding(51) var wall_texels: texture_2d<u32>;
// The mesh that agents move on (`mesh.wgsl`).
@group(0) @binding(55) var surface_texels: texture_2d<u32>;
// The ways from the cells of the map to its goals (`ways.wgsl`).
@group(0) @binding(52) var ways: texture_2d<u32>;
