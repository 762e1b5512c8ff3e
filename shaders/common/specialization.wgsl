// What a pipeline is specialized to. The host sets these when it builds the pipelines of a scene, so that a scene pays
// for nothing that it does not use.

override workgroup_size: u32 = 64;

// Boundary of each axis: 0 wrap, 1 contain, 2 open.
override boundary_x: u32 = 0;
override boundary_y: u32 = 0;
override boundary_z: u32 = 2;

override many_species: bool = false;

// Does any agent look at others at all?
override neighborhood: bool = false;
// Do the lanes of a subgroup look at others together?
override together: bool = false;
// Does any agent see less than all around it?
override cones: bool = false;
// Are some species not perceived by some behavior?
override masks: bool = false;
// Are there nearest-agent queries, k-nearest neighborhoods?
override queries: bool = false;
override two_queries: bool = false;
// Do so few agents ask that the search goes through them alone?
override few_ask: bool = false;
override topological: bool = false;
// Kinds of targets that need something.
override tracks_points: bool = false;
override tracks_agents: bool = false;
override tracks_field: bool = false;
override tracks_paths: bool = false;
// Kinds of combination.
override normalizes: bool = false;
override prioritizes: bool = false;
// Are there rules of action selection, agents that do not steer in every step?
override selects_actions: bool = false;
override skips: bool = false;
// Is steering held from step to step, by agents that skip steps or smooth theirs?
override holds: bool = false;
// Does any agent take from the resource of the ground?
override forages: bool = false;
// Does any agent turn by itself?
override turns: bool = false;

// Does any species' vehicle use the model?
override pose_acts: bool = false;
override turn_first_acts: bool = false;
override kinematic_acts: bool = false;
override explicit_euler_acts: bool = false;
override drag_acts: bool = false;
override low_speed_acts: bool = false;
override banking_acts: bool = false;
override surface_acts: bool = false;

// False only in the plain baseline of the profiler and in tests.
override clipped_rows: bool = true;
override id_order: bool = true;

const WRAP = 0u;
const CONTAIN = 1u;
