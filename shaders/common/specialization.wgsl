// What a pipeline is specialized to. The host sets these when it builds the pipelines of a scene, so that a scene pays
// for nothing that it does not use. Flags with a comment behind them follow from the scene: of these the build script makes
// `Features` and `Vehicles`.

override workgroup_size: u32 = 64;

// How the stage `scan` shares the cells: the threads of a workgroup, and how many counts each of them covers. On drivers that compute
// on the CPU every barrier switches between all threads of a workgroup, so there few threads have many counts each.
override scan_threads: u32 = 8;
override counts_per_thread: u32 = 512;

// Threads of the stage `arrange`, at least as many as scan.
override arrange_threads: u32 = 64;

// The tails that the stage `observe` sums up in a layer: as many as there are species behind the first, and no more than four
// (`observe.wgsl`).
override tails_in_layer: u32 = 4;

// True if a whole workgroup runs the queries of one agent, where few agents have any.
override lone_queries: bool = false;

// True if events are asked for (`events.wgsl`).
override lists_events: bool = false;

// Boundary of each axis: 0 wrap, 1 contain, 2 open.
override boundary_x: u32 = 0;
override boundary_y: u32 = 0;
override boundary_z: u32 = 2;

override wraps: bool = false; // Does any axis wrap?
override folds: bool = false; // Is any axis of the grid folded?
override many_species: bool = false; // Is there more than one species?
override neighborhood: bool = false; // Does any agent perceive neighbors?
override cones: bool = false; // Does any behavior have a field of view of less than 360 degrees?
override inner_radii: bool = false; // Does any behavior perceive agents all around within some radius, whatever its field of view?
override masks: bool = false; // Are some species not perceived by some behavior?
override queries: bool = false; // Does any agent have a query for the nearest of a species?
override many_queries: bool = false; // Does any agent have more than one query?
override few_queries: bool = false; // Do so few agents have queries that `search` runs for them alone?
override topological: bool = false; // Does any agent perceive its k nearest only?
override many_nearest: bool = false; // Does any agent perceive more than its eight nearest?
override occludes: bool = false; // Do obstacles or walls of the map hide agents from any agent?
override tracks_points: bool = false; // Are there targets that are points?
override tracks_agents: bool = false; // Are there targets that are agents by their id?
override tracks_field: bool = false; // Is the flow field a target, or in the condition of a transition?
override tracks_paths: bool = false; // Are there targets on paths?
override tracks_trajectories: bool = false; // Are there targets on trajectories?
override tracks_goals: bool = false; // Are there targets that are goals of the map?
override foresees_ways: bool = false; // Is any way to a goal of the map read ahead of the agent?
override moves: bool = false; // Are there trajectories?
override field_changes: bool = false; // Does the flow field change in time?
override obstacles_turn: bool = false; // Are there obstacles that are turned?
override many_obstacles: bool = false; // Are there more obstacles than the scenery block holds?
override boxes_or_capsules: bool = false; // Are there boxes or capsules among the obstacles?
override boxes_from_within: bool = false; // Are there boxes that are seen from within?
override capsules: bool = false; // Are there capsules among the obstacles?
override walled: bool = false; // Does a map have walls?
override by_grid: bool = false; // Are ways to goals of the map measured by moves from cell to cell?
override normalizes: bool = false; // Does any species combine unit vectors?
override prioritizes: bool = false; // Does any species combine by priority?
override combines_within: bool = false; // Does any priority combine its behaviors otherwise than by a weighted sum?
override selects_actions: bool = false; // Are there action states?
override reweighs: bool = false; // Do action states change weights?
override weights_vary: bool = false; // Do weights differ from agent to agent?
override jitters: bool = false; // Is a random vector added to the acceleration of any behavior?
override limits: bool = false; // Does any behavior have a limit of its own?
override skips: bool = false; // Does any agent skip steps?
override holds: bool = false; // Is steering held from step to step, by agents that skip steps or smooth theirs?
override forages: bool = false; // Does any agent take from the resource of the ground?
override turns: bool = false; // Does any agent have an angular behavior?
override varies: bool = false; // Do bodies of one species differ?
override vehicles_vary: bool = false; // Do bodies of one species differ in a number of the vehicle other than the greatest angular speed?
override crowds: bool = false; // Can a cell hold more agents than it shows?
override states_change_limits: bool = false; // Do action states change the greatest speed or force?
override leaves: bool = false; // Do agents leave at goals of the map?
override some_away: bool = false; // Can agents be away: do they leave, or enter one after another?

// What the vehicles of the species do.
override pose_acts: bool = false; // Some vehicles keep a pose.
override turn_first_acts: bool = false; // Some vehicles turn first.
override grip_acts: bool = false; // Some vehicles that turn first have tires that may slide.
override kinematic_acts: bool = false; // Some vehicles move kinematically.
override explicit_euler_acts: bool = false; // Some vehicles integrate by explicit Euler.
override drag_acts: bool = false; // Some vehicles have drag.
override low_speed_acts: bool = false; // Some vehicles turn less at low speed.
override banking_acts: bool = false; // Some vehicles bank.
override surface_acts: bool = false; // Some vehicles move on the surface.
override mesh_acts: bool = false; // The surface is a mesh.

// Are sorted agents loaded from a texture (`sorted.wgsl`)? The kind of adapter decides.
override texture_loads: bool = false;

// False only in the plain baseline of the profiler and in tests.
override clipped_rows: bool = true;
override id_order: bool = true;

const WRAP = 0u;
const CONTAIN = 1u;
