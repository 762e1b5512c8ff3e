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
// Do behaviors need a neighbor's velocity, its species, its body?
override sees_velocity: bool = false;
override sees_heading: bool = false;
override sees_species: bool = false;
override sees_bodies: bool = false;
// Are some species not perceived by some behavior?
override masks: bool = false;
// Does separation fall off otherwise than with the distance?
override falloffs: bool = false;
// Has separation or cohesion another form than the usual one?
override forms: bool = false;
// Are there nearest-agent queries, k-nearest neighborhoods?
override queries: bool = false;
override two_queries: bool = false;
// Do so few agents ask that the search goes through them alone?
override few_ask: bool = false;
override topological: bool = false;
// Kinds of targets that need something.
override tracks_points: bool = false;
override tracks_agents: bool = false;
// Does a behavior ask where its target faces?
override tracks_headings: bool = false;
override tracks_field: bool = false;
override tracks_paths: bool = false;
// Kinds of combination.
override normalizes: bool = false;
override prioritizes: bool = false;
// Are there rules of action selection, agents that do not steer in every step, that smooth their steering?
override selects_actions: bool = false;
override skips: bool = false;
override smooths: bool = false;
// Is anything remembered from step to step? Does anything depend on the number of the step?
override remembers: bool = false;
override clocked: bool = false;
// Does any agent turn by itself?
override turns: bool = false;

// Does any species use the behavior?
override separation_acts: bool = false;
override alignment_acts: bool = false;
override cohesion_acts: bool = false;
override unaligned_avoidance_acts: bool = false;
override close_neighbor_avoidance_acts: bool = false;
override heading_noise_acts: bool = false;
override global_alignment_acts: bool = false;
override flow_field_acts: bool = false;
override seek_acts: bool = false;
override flee_acts: bool = false;
override arrive_acts: bool = false;
override pursuit_acts: bool = false;
override evasion_acts: bool = false;
override offset_pursuit_acts: bool = false;
override interpose_acts: bool = false;
override leader_following_acts: bool = false;
override velocity_matching_acts: bool = false;
override target_speed_acts: bool = false;
override obstacle_avoidance_acts: bool = false;
override whiskers_acts: bool = false;
override wall_following_acts: bool = false;
override containment_acts: bool = false;
override boundary_walls_acts: bool = false;
override path_following_acts: bool = false;
override stay_on_path_acts: bool = false;
override waypoint_following_acts: bool = false;
override wander_acts: bool = false;
override wander_random_acts: bool = false;
override explore_acts: bool = false;
override forage_acts: bool = false;
override align_acts: bool = false;
override face_acts: bool = false;
override look_where_you_go_acts: bool = false;
override angular_velocity_matching_acts: bool = false;

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
