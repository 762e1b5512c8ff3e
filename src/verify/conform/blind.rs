//! Why laws do not find a change of ten percent of some numbers of their scenes.

/// Laws by how their names begin, numbers by how they end (none stands for all), and the reason.
type Reason = (&'static [&'static str], &'static [&'static str], &'static str);

/// Laws that hold a yes, a no or a bound, and what keeps it while any one number changes.
const OWN: &[(&str, &str)] = &[
    ("arrive_ignores_motion", "of two agents with the same numbers one has a target that moves: both go alike"),
    ("overlaps_resolve", "at that time they are more than twice as far apart as asked"),
    ("combine_turns", "the agent with both turns is held to one with the first alone, of the same numbers"),
    ("explore_coverage", "all cells are covered, where 95 % are asked, and sooner at any pace"),
    ("forage_balance", "what is carried is what is taken, whatever the number"),
    ("kinematic_matching", "the velocities to match are below the limit, and no time is taken"),
    (
        "turn_first_reaches",
        "who circles keeps the distance it starts from, and who slows down passes at two thirds of what is allowed, or nearer",
    ),
    ("turn_first_never_slides", "the angle between velocity and heading is 0 however fast they turn"),
    ("obstacle_avoidance_brake", "a step of braking is cut where it would leave less than 0, however strong it is"),
    (
        "whiskers_corner_trap",
        "it passes walls at more than twice its radius, and ends more than twice as far out as asked",
    ),
    ("basis_orthonormal", "three axes stay a basis however they turn"),
    ("turn_rate_velocity", "the angle between velocity and heading is 0 however fast they turn"),
    ("path_following_bends", "the time allowed is 1.4 times what is taken, or more"),
    ("path_following_progress", "every second leads 1.4 times as far as asked, or more"),
    ("path_following_end", "it comes to rest at the last point itself, or passes it at 1.4 times the speed asked"),
    ("stay_on_path_either_way", "of two runs with the same numbers one has the path backward"),
    ("perception_own", "whom it perceives is counted with and without others, with the same numbers"),
    ("pursuit_not_slower", "both the seeker and the pursuer have the number, and who is first stays first"),
    ("pursuit_forms", "of two agents with the same numbers one pursues and the other seeks that point itself"),
    ("pursuit_at_rest", "of two agents with the same numbers one seeks and the other pursues: to the bit"),
    (
        "evasion_keeps_farther",
        "both the evader and the one who flees have the number, and who is farther stays farther",
    ),
    ("roost_returns", "the bound takes the widest turn; the farthest out get to 0.6 of it"),
    ("skip_leaves_others", "of two runs with the same numbers one has others that skip: to the bit"),
    ("seek_reaches", "within 0.006 of the radius, and it comes many times as near"),
    ("flee_radial_speed", "after τ the radial speed is positive, at any speed"),
    (
        "separation_heap",
        "pushes cancel whatever their size, and after a second all are ten times as far apart as asked",
    ),
    ("statistics_circle", "headings are drawn before any step: no speed counts"),
    ("statistics_independence", "headings are drawn before any step: no speed counts"),
    ("symmetry_", "of two runs with the same numbers one is the image of the other"),
    ("trail_condenses", "veins are more than twice as uneven as wandering, at any pace"),
    ("look_where_you_go_turns", "no turn is above the limit, and most are below it"),
    ("turning_comes_to_rest", "the slow range that just suffices is the least: with more the turn ends at rest too"),
    ("wall_following_holds", "the distance is the nearest that the lag allows; feelers turn it earlier"),
    ("wander_random_twitchy", "a correlation is the same whatever the size of what is correlated"),
    ("waypoint_following_end", "it comes to rest at the last point itself, whatever decides how it comes there"),
];

const BLIND: &[Reason] = &[
    (&[""], &["dt"], "the law holds for every time step that is short enough"),
    (&[""], &["world.size"], "the world only has to be large enough"),
    (
        &["symmetry_", "stay_on_path_either_way", "skip_leaves_others", "skip_polarization", "perception_own"],
        &[],
        "the law compares two runs, which both have the changed number",
    ),
    (
        &[
            "arrive_ignores_motion",
            "targets_agree",
            "pursuit_at_rest",
            "evasion_at_rest",
            "seek_and_flee",
            "combine_turns",
            "obstacle_turned",
            "obstacle_capsule",
            "obstacle_moves",
            "obstacle_turns",
            "obstacle_seen_from_itself",
            "obstacle_turn_sweeps",
            "wall_following_ahead",
            "field_turns",
            "field_pulses",
            "field_follows",
            "jitter_length",
            "flow_field_linear",
        ],
        &[],
        "the law compares two agents, which both have the changed number",
    ),
    (
        &[
            "alignment_momentum",
            "cohesion_momentum",
            "separation_momentum",
            "morse_momentum",
            "separation_heap",
            "jitter_independence",
        ],
        &[],
        "what cancels cancels whatever the number",
    ),
    (&["forage_balance", "trail_is_conserved"], &[], "what is kept is kept whatever the number"),
    (
        &[""],
        &["perception_radius", "field_of_view", "time_horizon", "search_radius"],
        "nobody of whom the law speaks is near this edge, which laws of perception hold",
    ),
    (
        &["variation_", "state_limits", "drag_", "explicit_position", "low_speed_", "turn_first_", "kinematic_"],
        &["time_constant", "max_speed", "field.speed", "field.direction", "max_angular_speed", "variation.max_speed"],
        "it only pushes the agents as far as the limit of which the law speaks",
    ),
    (
        &[
            "offset_pursuit_",
            "leader_following_lag",
            "interpose_place",
            "path_following_end",
            "queue_line",
            "morse_mill",
        ],
        &[],
        "it decides how fast the agents come to where they end, not where that is",
    ),
    (
        &["crowd_spacing"],
        &["max_force"],
        "it decides how fast the agents come to rest, where the forces are far below it",
    ),
    (
        &["arrive_square_root_stops"],
        &["max_force", "time_constant"],
        "one term of the way that is left, of the size of its bound",
    ),
    (
        &[
            "containment_head_on",
            "obstacle_avoidance_nearest",
            "obstacle_seen_from",
            "whiskers_steering",
            "wall_following_",
        ],
        &["margin", "size", "radius", "obstacles.normal"],
        "the law holds a direction, which this does not turn",
    ),
    (
        &[
            "avoidance_away",
            "avoidance_slower_yields",
            "path_radii",
            "path_following_reynolds",
            "dialect_opensteer_limits",
        ],
        &["radius", "max_speed", "prediction_time", "seek.weight"],
        "it decides whether there is anything to do, and here it is clear that there is",
    ),
    (
        &[
            "dialect_",
            "combine_cancel",
            "turn_comes_to_rest",
            "turn_inertia",
            "turn_rate",
            "netlogo_pair",
            "alignment_heading_rests",
            "vehicle_",
        ],
        &[
            "field.speed",
            "seek.weight",
            "field.direction",
            "flow_field.weight",
            "time_constant",
            "max_speed",
            "min_speed",
            "max_angular_acceleration",
        ],
        "it carries the agents, and what the law looks at is alike at any speed",
    ),
    (
        &["forage_target", "forage_arrives", "trail_sensors"],
        &["patch_radius", "deposit", "trail_half_life", "trail_spread"],
        "the law reads the ground of the run itself, and holds what agents make of it",
    ),
    (&["trail_half_life", "trail_variance"], &["deposit"], "the law holds shares, whatever the amount"),
    (
        &["wall_following_distance", "waypoint_following_end", "turn_first_stops", "banking_turn", "action_hysteresis"],
        &[],
        "it decides how fast the agents come to where they end, not where that is",
    ),
    (&["heading_noise_moves"], &["min_speed"], "it lowers a limit that agents at full speed never meet"),
    (&["limit_each"], &["time_constant"], "what is cut is as long, whatever it was"),
    (&["morse_ring"], &["repulsion", "repulsion_length"], "on rings this wide attraction is nearly all of the force"),
    (&["variation_"], &["variation.max_force"], "a variance of few draws, with the bound that chance needs"),
    (&["angular_velocity_is_matched"], &[], "it decides how the target turns, which the law reads of the run"),
    (
        &["wander_circle_variance", "wander_sphere_variance"],
        &["max_speed"],
        "the stroll is seen from the agent, however fast that flies",
    ),
    (&["wander_random_twitchy"], &["wander_random.weight"], "a correlation is the same whatever the size"),
    (&["seek_flies_through"], &["time_constant"], "at full speed in the right direction nothing is left to correct"),
    (&["global_alignment_variance", "vicsek_"], &["max_speed", "min_speed"], "a limit that the law stays below"),
    (
        &[
            "velocity_matching_",
            "turn_about",
            "smoothing_response",
            "ground_visits",
            "statistics_",
            "boundary_wall_turns",
            "cohesion_direction_falls",
        ],
        &[],
        "a limit that the law stays below",
    ),
];

/// The reason of a law that finds no number, where one is given: more than that it sets a bound.
pub(super) fn own(law: &str) -> Option<&'static str> {
    OWN.iter().find(|(name, _)| law.starts_with(name)).map(|(_, reason)| *reason)
}

/// The reason why a law does not find a smaller change of a number, where one is given.
pub(super) fn reason(law: &str, number: &str) -> Option<&'static str> {
    let fits = |(laws, numbers, _): &&Reason| {
        laws.iter().any(|name| law.starts_with(name))
            && (numbers.is_empty() || numbers.iter().any(|name| number.ends_with(name)))
    };
    BLIND.iter().find(fits).map(|(_, _, reason)| *reason)
}
