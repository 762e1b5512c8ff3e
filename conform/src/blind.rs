//! Why laws do not find a change of ten percent of some numbers of their scenes.
//!
//! Every law is named by its whole name, so that a new one that is blind has to say why.

/// Laws, numbers by how they end (none stands for all), and the reason.
type Reason = (&'static [&'static str], &'static [&'static str], &'static str);

/// Laws whose bounds have room, where more than one term of them adds up, or a number says no more than when it happens. The
/// measure of power sees itself that the number moves bounds alone.
const BOUNDS: &[&str] = &[
    "arrive_overshoot_by_force",
    "avoidance_before_or_behind",
    "avoidance_never_touch",
    "boundary_wall_turns",
    "combine_cancel",
    "containment_brake_holds",
    "containment_turn_holds",
    "netlogo_turns_are_limited",
    "flow_field_no_overshoot",
    "leader_following_clear",
    "formation_settles",
    "hide_covered",
    "kinematic_stops",
    "obstacle_avoidance_stays_out",
    "turn_comes_to_rest",
    "path_following_error",
    "path_following_turns_round",
    "stay_on_path_returns",
    "perception_radius",
    "perception_view",
    "perception_inner_radius",
    "seek_orbit",
    "separation_is_not_avoidance",
    "trail_is_conserved",
    "obstacle_moving_clears",
    "vehicle_speed_range",
    "boundary_walls_hold",
    "wander_turn",
    "waypoint_following_order",
    "zones_swarm_torus_parallel",
    "zones_dynamic_and_highly_parallel",
    "zones_hysteresis",
];

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
    ("boundary_wall_holds", "who is fast comes to the wall and no farther, however it is pushed"),
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
    ("trail_condenses", "veins are more than twice as uneven as wandering, at any pace"),
    ("look_where_you_go_turns", "no turn is above the limit, and most are below it"),
    ("turning_comes_to_rest", "the slow range that just suffices is the least: with more the turn ends at rest too"),
    ("wall_following_holds", "the distance is the nearest that the lag allows; feelers turn it earlier"),
    ("wander_crowd", "headings at random are so whatever turned them, and however fast"),
    ("wander_random_twitchy", "a correlation is the same whatever the size of what is correlated"),
    ("waypoint_following_end", "it comes to rest at the last point itself, whatever decides how it comes there"),
];

const BLIND: &[Reason] = &[
    (
        &["symmetry_turned", "symmetry_mirrored", "symmetry_shifted", "symmetry_moving_frame", "symmetry_renumbered"],
        &[],
        "of two runs with the same numbers one is the image of the other",
    ),
    (&["skip_polarization"], &[], "the law compares two runs, which both have the changed number"),
    (
        &[
            "jitter_length",
            "flow_field_linear",
            "evasion_at_rest",
            "seek_and_flee",
            "targets_agree",
            "field_turns",
            "field_pulses",
            "field_follows",
            "obstacle_turned",
            "obstacle_capsule",
            "obstacle_moves",
            "obstacle_turns",
            "obstacle_seen_from_itself",
            "obstacle_turn_sweeps",
            "wall_following_ahead",
        ],
        &[],
        "the law compares two agents, which both have the changed number",
    ),
    (
        &["alignment_momentum", "cohesion_momentum", "jitter_independence", "morse_momentum", "separation_momentum"],
        &[],
        "what cancels cancels whatever the number",
    ),
    (
        &[
            "variation_speed",
            "variation_force",
            "variation_mass",
            "variation_angular_speed",
            "state_limits",
            "turn_first_stops",
            "kinematic_skips",
            "drag_linear",
            "drag_terminal",
            "explicit_position",
            "kinematic_velocity",
            "low_speed_lateral",
            "low_speed_turns",
            "turn_first_reverse",
            "turn_first_reverse_speed",
        ],
        &["time_constant", "max_speed", "field.speed", "field.direction", "max_angular_speed", "variation.max_speed"],
        "it only pushes the agents as far as the limit of which the law speaks",
    ),
    (
        &[
            "offset_pursuit_lag",
            "offset_pursuit_fly_by",
            "leader_following_lag",
            "interpose_place",
            "morse_mill",
            "queue_line",
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
            "whiskers_steering",
            "obstacle_seen_from",
            "wall_following_steering",
            "wall_following_distance",
        ],
        &["margin", "size", "radius", "obstacles.normal"],
        "the law holds a direction, which this does not turn",
    ),
    (
        &[
            "avoidance_away",
            "avoidance_slower_yields",
            "dialect_opensteer_limits",
            "path_following_reynolds",
            "path_radii",
        ],
        &["radius", "max_speed", "prediction_time", "seek.weight"],
        "it decides whether there is anything to do, and here it is clear that there is",
    ),
    (
        &[
            "dialect_reynolds99_rules",
            "dialect_nature_of_code_ways",
            "netlogo_pair",
            "alignment_heading_rests",
            "turn_rate",
            "turn_inertia",
            "turn_comes_to_rest",
            "vehicle_huge_steering",
            "vehicle_mass",
            "vehicle_velocity",
        ],
        &["field.speed", "seek.weight", "field.direction", "time_constant", "max_speed", "min_speed"],
        "it carries the agents, and what the law looks at is alike at any speed",
    ),
    (
        &["forage_target", "forage_arrives", "trail_sensors"],
        &["patch_radius", "deposit", "trail_half_life", "trail_spread"],
        "the law reads the ground of the run itself, and holds what agents make of it",
    ),
    (&["trail_half_life", "trail_variance"], &["deposit"], "the law holds shares, whatever the amount"),
    (&["trail_half_life"], &["world.size"], "the law holds shares, however many cells there are"),
    (&["vicsek_noise"], &["perception_radius"], "all have one course, whoever counts"),
    (
        &["action_hysteresis", "turn_first_stops", "banking_turn", "wall_following_distance"],
        &[],
        "it decides how fast the agents come to where they end, not where that is",
    ),
    (&["heading_noise_moves"], &["min_speed"], "it lowers a limit that agents at full speed never meet"),
    (&["limit_each"], &["time_constant"], "what is cut is as long, whatever it was"),
    (&["morse_ring"], &["repulsion", "repulsion_length"], "on rings this wide attraction is nearly all of the force"),
    (&["variation_mass"], &["variation.max_force"], "a variance of few draws, with the bound that chance needs"),
    (&["angular_velocity_is_matched"], &[], "it decides how the target turns, which the law reads of the run"),
    (
        &["wander_circle_variance", "wander_sphere_variance"],
        &["max_speed"],
        "the stroll is seen from the agent, however fast that flies",
    ),
    (&["seek_flies_through"], &["time_constant"], "at full speed in the right direction nothing is left to correct"),
    (
        &["global_alignment_variance", "vicsek_mean_heading", "vicsek_noise", "vicsek_walk"],
        &["max_speed", "min_speed"],
        "a limit that the law stays below",
    ),
    (
        &[
            "velocity_matching_relaxation",
            "velocity_matching_clipped",
            "boundary_wall_turns",
            "ground_visits",
            "turn_about",
            "smoothing_response",
        ],
        &[],
        "a limit that the law stays below",
    ),
    (
        &[
            "crowd_spacing",
            "dialect_millington_pursuit",
            "drag_terminal",
            "formation_keeps",
            "morse_ring_forms",
            "wall_following_around",
        ],
        &["dt"],
        "it decides when the agents come to where they end, not where that is",
    ),
    (
        &[
            "arrive_overshoot_by_lag",
            "boundary_walls_depth",
            "combine_cancel",
            "dialect_opensteer",
            "obstacle_avoidance_clears",
        ],
        &["dt"],
        "the law is of motion without steps, and its bound has room for a few of them",
    ),
    (
        &["action_weights", "explore_target", "forage_target", "surface_stands", "trail_sensors"],
        &["dt"],
        "the law takes the places of the run itself, and holds how agents steer there",
    ),
    (&["skip_reaches", "turn_first_reverse"], &["dt"], "the law counts steps, and says nothing of how long they are"),
    (
        &["crowd_spacing", "dialect_reynolds99_rules", "morse_ring_forms"],
        &["world.size"],
        "nobody comes to the ends of the world, whose size decides the cells, and so the order of sums",
    ),
    (&["combine_cancel"], &["separation.field_of_view"], "the post is nearest when it is abeam, and only later behind"),
    (&["morse_ring_forms"], &["morse.perception_radius"], "all perceive all, as wide as the ring is"),
];

/// The reason of a law that finds no number, where one is given: more than that it sets a bound.
pub(super) fn own(law: &str) -> Option<&'static str> {
    OWN.iter().find(|(name, _)| *name == law).map(|(_, reason)| *reason)
}

/// The reason of a law that sets a bound, if it is known for one.
pub(super) fn bound(law: &str) -> Option<&'static str> {
    BOUNDS.contains(&law).then_some("the law sets a bound, and leaves room within it")
}

/// The reason why a law does not find a smaller change of a number, where one is given.
pub(super) fn reason(law: &str, number: &str) -> Option<&'static str> {
    let fits = |(laws, numbers, _): &&Reason| {
        laws.contains(&law) && (numbers.is_empty() || numbers.iter().any(|name| number.ends_with(name)))
    };
    BLIND.iter().find(fits).map(|(_, _, reason)| *reason)
}

#[cfg(test)]
mod tests {
    use super::{BLIND, BOUNDS, OWN};
    use crate::select;

    #[test]
    fn reasons_are_those_of_laws_that_exist() {
        let laws: Vec<&str> = select("").iter().map(|(_, law)| law.name).collect();
        let named = BLIND.iter().flat_map(|(laws, ..)| *laws).chain(BOUNDS).chain(OWN.iter().map(|(law, _)| law));
        named.for_each(|name| assert!(laws.contains(name), "{name} is no law"));
        assert!(BLIND.iter().all(|(laws, ..)| !laws.is_empty()));
    }
}
