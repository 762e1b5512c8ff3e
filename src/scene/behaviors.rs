//! The registry of behaviors: every name a scene may use, with its parameters, units and ranges.
//!
//! The scene parser, the JSON Schema, the sliders of the viewer, the documentation and the words that shaders read are
//! made from this table.

use super::Range;

/// One behavior as a scene names it.
#[derive(Debug)]
pub struct BehaviorSpec {
    /// Key under `[species.behaviors]`, and the name of its shader file and of its Rust twin.
    pub name: &'static str,
    /// What it looks at, and what it gives.
    pub kind: BehaviorKind,
    /// One line of documentation.
    pub summary: &'static str,
    /// Unit of the weight that turns its output into u/s² (rad/s² for angular ones).
    pub weight_unit: &'static str,
    /// Weight where the scene gives none.
    pub default_weight: f32,
    /// Priority where the scene gives none, 0 to 7: smaller ones go first.
    pub default_priority: u32,
    /// Parameters beside those of every behavior. In this order they are the members of its struct in the shader.
    pub parameters: &'static [Parameter],
}

/// What a behavior looks at, and what it gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BehaviorKind {
    /// Sums over the agents within its perception radius and field of view; gives an acceleration.
    Neighborhood,
    /// A pure function of the agent, its target, the world and its parameters; gives an acceleration.
    Individual,
    /// As an individual one, but gives an angular acceleration.
    Angular,
}

/// One parameter of a behavior.
#[derive(Debug)]
pub struct Parameter {
    /// Key in the scene.
    pub name: &'static str,
    /// Unit, for documentation and sliders; empty for a pure number.
    pub unit: &'static str,
    /// Allowed values.
    pub range: Range,
    /// Value where the scene gives none; for a choice, its index; of a vector, each component.
    pub default: f32,
    /// One line of documentation.
    pub summary: &'static str,
    /// How the shaders hold a number.
    pub stored: Stored,
}

/// How the shaders hold a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// As it is.
    Plain,
    /// A radius, squared, at most half a wrapped axis; negative where the behavior does not act.
    RadiusSquared,
    /// A full angle in degrees, as the cosine of its half; -2 for 360 degrees.
    HalfCosine,
    /// An angle in degrees, as radians.
    Radians,
}

const PERCEPTION_RADIUS: Parameter = stored(
    "perception_radius",
    "u",
    Range::Number { min: 0.0, max: 1e6 },
    5.0,
    "agents farther away are not perceived",
    Stored::RadiusSquared,
);

const FIELD_OF_VIEW: Parameter = stored(
    "field_of_view",
    "deg",
    Range::Number { min: 0.0, max: 360.0 },
    270.0,
    "full angle of the cone around the heading in which agents are perceived",
    Stored::HalfCosine,
);

const PERCEIVES: Parameter = parameter(
    "perceives",
    "",
    Range::Species,
    0.0,
    "names of the species that are perceived; without it, those of the species' own key `perceives`",
);

const TARGET: Parameter = parameter("target", "", Range::Target, 0.0, "what the agent heads for");

const fn parameter(
    name: &'static str,
    unit: &'static str,
    range: Range,
    default: f32,
    summary: &'static str,
) -> Parameter {
    stored(name, unit, range, default, summary, Stored::Plain)
}

const fn stored(
    name: &'static str,
    unit: &'static str,
    range: Range,
    default: f32,
    summary: &'static str,
    stored: Stored,
) -> Parameter {
    Parameter { name, unit, range, default, summary, stored }
}

/// How `pursuit` and `evasion` predict; the shader knows them by their index.
pub(crate) const PREDICTIONS: &[&str] = &["intercept", "fixed", "distance", "own_speed", "closing", "nine_cases"];

const SLOW_ANGLE: Parameter = stored(
    "slow_angle",
    "deg",
    Range::Number { min: 0.0, max: 180.0 },
    45.0,
    "nearer than this, the desired angular speed falls",
    Stored::Radians,
);

const CAPTURE_ANGLE: Parameter = stored(
    "capture_angle",
    "deg",
    Range::Number { min: 0.0, max: 180.0 },
    0.0,
    "nearer than this, standing still is desired",
    Stored::Radians,
);

const TIME_TO_TARGET: Parameter =
    time("time_to_target", 0.1, "time in which the difference would vanish; 0 is update_every time steps");

/// A length, u.
const fn distance(name: &'static str, default: f32, summary: &'static str) -> Parameter {
    parameter(name, "u", Range::Number { min: 0.0, max: 1e6 }, default, summary)
}

/// A time, s.
const fn time(name: &'static str, default: f32, summary: &'static str) -> Parameter {
    parameter(name, "s", Range::Number { min: 0.0, max: 1e3 }, default, summary)
}

/// One of some words; the default by its index.
const fn choice(name: &'static str, words: &'static [&'static str], default: f32, summary: &'static str) -> Parameter {
    parameter(name, "", Range::Choice(words), default, summary)
}

/// Every behavior, in the order in which their accelerations are added.
pub const BEHAVIORS: &[BehaviorSpec] = &[
    BehaviorSpec {
        name: "separation",
        kind: BehaviorKind::Neighborhood,
        summary: "away from each neighbor, the more the nearer",
        weight_unit: "u²/s²; u^(exponent + 1)/s² in general; a pure number where the form is desired",
        default_weight: 1.0,
        default_priority: 3,
        parameters: &[
            PERCEPTION_RADIUS,
            FIELD_OF_VIEW,
            PERCEIVES,
            parameter(
                "exponent",
                "",
                Range::Whole { min: 0, max: 3 },
                1.0,
                "falloff of the repulsion with distance: its strength is 1/distance^exponent",
            ),
            choice(
                "form",
                &["sum", "desired"],
                0.0,
                "sum: the repulsions add up; desired: their direction at max_speed is the desired velocity",
            ),
        ],
    },
    BehaviorSpec {
        name: "alignment",
        kind: BehaviorKind::Neighborhood,
        summary: "toward the mean velocity of the neighbors",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 6,
        parameters: &[
            PERCEPTION_RADIUS,
            FIELD_OF_VIEW,
            PERCEIVES,
            choice(
                "mode",
                &["velocity", "heading"],
                0.0,
                "velocity: mean velocity; heading: mean heading at max_speed",
            ),
        ],
    },
    BehaviorSpec {
        name: "cohesion",
        kind: BehaviorKind::Neighborhood,
        summary: "toward the mean position of the neighbors",
        weight_unit: "1/s²; a pure number for seek, u/s² for direction",
        default_weight: 1.0,
        default_priority: 6,
        parameters: &[
            PERCEPTION_RADIUS,
            FIELD_OF_VIEW,
            PERCEIVES,
            choice(
                "form",
                &["linear", "seek", "direction"],
                0.0,
                "linear: in proportion to the distance; seek: at max_speed; direction: a unit acceleration",
            ),
        ],
    },
    BehaviorSpec {
        name: "unaligned_avoidance",
        kind: BehaviorKind::Neighborhood,
        summary: "sideways from the neighbor whose nearest approach comes first; of two that cross, the slower lets the other pass",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 1,
        parameters: &[
            PERCEPTION_RADIUS,
            FIELD_OF_VIEW,
            PERCEIVES,
            time("time_horizon", 2.0, "approaches later than this are no threat"),
            distance("margin", 0.5, "added to the two radii"),
        ],
    },
    BehaviorSpec {
        name: "close_neighbor_avoidance",
        kind: BehaviorKind::Neighborhood,
        summary: "sideways from the neighbor that overlaps most, in proportion to the overlap",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 1,
        parameters: &[PERCEPTION_RADIUS, FIELD_OF_VIEW, PERCEIVES, distance("margin", 0.0, "added to the two radii")],
    },
    BehaviorSpec {
        name: "heading_noise",
        kind: BehaviorKind::Neighborhood,
        summary: "the mean heading of the neighbors and itself, turned by a random angle (Vicsek)",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 6,
        parameters: &[
            PERCEPTION_RADIUS,
            FIELD_OF_VIEW,
            PERCEIVES,
            stored(
                "noise",
                "deg",
                Range::Number { min: 0.0, max: 360.0 },
                60.0,
                "full width of the range of the random angle",
                Stored::Radians,
            ),
        ],
    },
    BehaviorSpec {
        name: "global_alignment",
        kind: BehaviorKind::Individual,
        summary: "toward the mean velocity of all agents of the world: unlimited vision",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 6,
        parameters: &[choice(
            "mode",
            &["velocity", "heading"],
            0.0,
            "velocity: mean velocity; heading: mean heading at max_speed",
        )],
    },
    BehaviorSpec {
        name: "flow_field",
        kind: BehaviorKind::Individual,
        summary: "toward the velocity that the flow field has at the predicted position",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 5,
        parameters: &[
            time("prediction_time", 0.0, "how far ahead of the agent the field is sampled"),
            choice(
                "mode",
                &["velocity", "direction"],
                0.0,
                "velocity: the field is the desired velocity; direction: its direction at max_speed",
            ),
            choice(
                "still",
                &["ignore", "brake"],
                0.0,
                "where the field is zero: nothing is desired, or standing still",
            ),
            choice("outside", &["clamp", "zero"], 0.0, "beyond an end that does not wrap: as at the end, or zero"),
        ],
    },
    BehaviorSpec {
        name: "seek",
        kind: BehaviorKind::Individual,
        summary: "toward the target at full speed",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 4,
        parameters: &[
            TARGET,
            choice(
                "form",
                &["velocity", "acceleration"],
                0.0,
                "velocity: desired velocity minus velocity; acceleration: full acceleration toward the target",
            ),
            choice("speed", &["max", "current"], 0.0, "length of the desired velocity"),
            distance("capture_radius", 0.0, "nearer than this, the target counts as reached and nothing is desired"),
            choice(
                "approach",
                &["direct", "around"],
                0.0,
                "around: move away first from a target inside the turning circle",
            ),
        ],
    },
    BehaviorSpec {
        name: "flee",
        kind: BehaviorKind::Individual,
        summary: "away from the target at full speed",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 2,
        parameters: &[
            TARGET,
            distance("panic_distance", 1e6, "farther away than this, the target is ignored"),
            choice(
                "form",
                &["velocity", "acceleration"],
                0.0,
                "velocity: desired velocity minus velocity; acceleration: full acceleration away from the target",
            ),
        ],
    },
    BehaviorSpec {
        name: "arrive",
        kind: BehaviorKind::Individual,
        summary: "to the target, slowing down to stop there",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 4,
        parameters: &[
            TARGET,
            distance("slow_radius", 5.0, "nearer than this, the desired speed falls"),
            distance("capture_radius", 0.0, "nearer than this, standing still (or the target's velocity) is desired"),
            choice(
                "ramp",
                &["linear", "square_root"],
                0.0,
                "fall of the desired speed with distance; square_root brakes at full force",
            ),
            choice(
                "moving_target",
                &["ignore", "match"],
                0.0,
                "match: the desired velocity is relative to the target's",
            ),
        ],
    },
    BehaviorSpec {
        name: "pursuit",
        kind: BehaviorKind::Individual,
        summary: "toward where the target will be",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 4,
        parameters: &[
            TARGET,
            choice("prediction", PREDICTIONS, 0.0, "rule for the time ahead"),
            time("prediction_time", 1.0, "time ahead of `fixed`; seconds per u of distance of `distance`"),
            time("max_prediction_time", 1000.0, "the time ahead is never longer"),
        ],
    },
    BehaviorSpec {
        name: "evasion",
        kind: BehaviorKind::Individual,
        summary: "away from where the target will be",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 2,
        parameters: &[
            TARGET,
            choice("prediction", PREDICTIONS, 4.0, "rule for the time ahead"),
            time("prediction_time", 1.0, "time ahead of `fixed`; seconds per u of distance of `distance`"),
            time("max_prediction_time", 1000.0, "the time ahead is never longer"),
            distance("panic_distance", 1e6, "farther away than this, the target is ignored"),
        ],
    },
    BehaviorSpec {
        name: "offset_pursuit",
        kind: BehaviorKind::Individual,
        summary: "to a place beside the target, or past it at a distance",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 4,
        parameters: &[
            TARGET,
            choice(
                "mode",
                &["leader_frame", "fly_by"],
                0.0,
                "leader_frame: to a fixed place in the target's frame; fly_by: past it at a distance",
            ),
            parameter(
                "offset",
                "u",
                Range::Vector { min: -1e6, max: 1e6 },
                0.0,
                "place in the target's frame: ahead, to its right, above",
            ),
            distance("distance", 5.0, "distance of the fly-by"),
            distance("slow_radius", 5.0, "nearer than this to its place, the agent slows down"),
            time("max_prediction_time", 1.0, "the time ahead is never longer"),
        ],
    },
    BehaviorSpec {
        name: "interpose",
        kind: BehaviorKind::Individual,
        summary: "between the target and another one",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 4,
        parameters: &[
            TARGET,
            parameter("other", "", Range::Target, 0.0, "the other one"),
            parameter(
                "share",
                "",
                Range::Number { min: 0.0, max: 1.0 },
                0.5,
                "place on the way between them: 0 at the target, 1 at the other one",
            ),
            distance("slow_radius", 5.0, "nearer than this to its place, the agent slows down"),
        ],
    },
    BehaviorSpec {
        name: "leader_following",
        kind: BehaviorKind::Individual,
        summary: "arrive behind the leader, and clear the leader's way",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 4,
        parameters: &[
            TARGET,
            distance("distance", 3.0, "distance of the place behind the leader"),
            distance("slow_radius", 5.0, "nearer than this to that place, the agent slows down"),
            distance("clear_length", 6.0, "length of the box ahead of the leader that is kept clear"),
            distance("clear_width", 4.0, "width of that box"),
        ],
    },
    BehaviorSpec {
        name: "velocity_matching",
        kind: BehaviorKind::Individual,
        summary: "to the velocity of the target",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 5,
        parameters: &[TARGET, TIME_TO_TARGET],
    },
    BehaviorSpec {
        name: "target_speed",
        kind: BehaviorKind::Individual,
        summary: "to a speed, along the heading",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 5,
        parameters: &[parameter("speed", "u/s", Range::Number { min: 0.0, max: 1e6 }, 10.0, "the desired speed")],
    },
    BehaviorSpec {
        name: "obstacle_avoidance",
        kind: BehaviorKind::Individual,
        summary: "sideways from the most threatening obstacle ahead",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 0,
        parameters: &[
            time("look_ahead_time", 2.0, "obstacles that are farther away in time are no threat"),
            distance("min_look_ahead", 1.0, "the look-ahead is never shorter"),
            parameter(
                "braking",
                "",
                Range::Number { min: 0.0, max: 1.0 },
                0.0,
                "share of the acceleration that brakes, the more the nearer; at most what stops at the obstacle",
            ),
        ],
    },
    BehaviorSpec {
        name: "whiskers",
        kind: BehaviorKind::Individual,
        summary: "away from walls that one of three feelers touches",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 0,
        parameters: &[
            distance("length", 5.0, "length of the feeler ahead"),
            parameter(
                "side_length",
                "",
                Range::Number { min: 0.0, max: 1.0 },
                0.6,
                "length of the two side feelers as a share of that",
            ),
            stored(
                "spread",
                "deg",
                Range::Number { min: 0.0, max: 180.0 },
                70.0,
                "full angle between the two feelers at the sides",
                Stored::HalfCosine,
            ),
        ],
    },
    BehaviorSpec {
        name: "wall_following",
        kind: BehaviorKind::Individual,
        summary: "along the nearest obstacle's surface at a distance",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 4,
        parameters: &[
            distance("distance", 3.0, "distance from the surface"),
            time("prediction_time", 0.5, "how far ahead of the agent the surface is looked for"),
            distance("look_ahead", 3.0, "how far along the surface the target is"),
        ],
    },
    BehaviorSpec {
        name: "containment",
        kind: BehaviorKind::Individual,
        summary: "back into a region that the agent would leave",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 0,
        parameters: &[
            choice("shape", &["box", "sphere"], 0.0, "shape of the region"),
            parameter("center", "u", Range::Vector { min: -1e7, max: 1e7 }, 0.0, "center of the region"),
            parameter(
                "size",
                "u",
                Range::Vector { min: 0.0, max: 1e7 },
                100.0,
                "full extent of the box; the first is the diameter of the sphere",
            ),
            distance("margin", 2.0, "distance from the boundary at which it is felt"),
            time("prediction_time", 0.5, "how far ahead of the agent the boundary is felt"),
            choice("mode", &["brake", "turn"], 0.0, "brake: against the boundary; turn: sideways"),
        ],
    },
    BehaviorSpec {
        name: "boundary_walls",
        kind: BehaviorKind::Individual,
        summary: "away from the edges of the world, each axis by itself",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 0,
        parameters: &[distance(
            "distance",
            10.0,
            "distance from an edge at which its component of the velocity is replaced",
        )],
    },
    BehaviorSpec {
        name: "path_following",
        kind: BehaviorKind::Individual,
        summary: "along a path, within its radius",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 5,
        parameters: &[
            parameter("path", "", Range::Path, 0.0, "name of the path"),
            time("prediction_time", 0.5, "how far ahead the position is predicted"),
            time("look_ahead_time", 0.5, "how far along the path the target is"),
            choice("direction", &["forward", "backward"], 0.0, "direction of travel"),
            choice("end", &["stop", "ignore"], 0.0, "at the end of an open path: arrive there, or seek its last point"),
            distance("slow_radius", 5.0, "nearer than this to the end of an open path, the agent slows down"),
        ],
    },
    BehaviorSpec {
        name: "stay_on_path",
        kind: BehaviorKind::Individual,
        summary: "back to a path that the agent would leave",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 5,
        parameters: &[
            parameter("path", "", Range::Path, 0.0, "name of the path"),
            time("prediction_time", 0.5, "how far ahead the position is predicted"),
        ],
    },
    BehaviorSpec {
        name: "waypoint_following",
        kind: BehaviorKind::Individual,
        summary: "to the points of a path, one after the other",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 5,
        parameters: &[
            parameter("path", "", Range::Path, 0.0, "name of the path"),
            distance("reach", 2.0, "a point that is nearer than this is reached"),
            distance("slow_radius", 5.0, "nearer than this to the last point of an open path, the agent slows down"),
        ],
    },
    BehaviorSpec {
        name: "wander",
        kind: BehaviorKind::Individual,
        summary: "toward a target that strolls on a circle ahead",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 7,
        parameters: &[
            distance("radius", 1.2, "radius of the circle (the sphere): strength"),
            distance("distance", 2.0, "distance of its center ahead of the agent"),
            parameter(
                "rate",
                "rad/√s",
                Range::Number { min: 0.0, max: 1e3 },
                2.0,
                "how fast the target strolls; its variance after t seconds is rate²·t",
            ),
        ],
    },
    BehaviorSpec {
        name: "wander_random",
        kind: BehaviorKind::Individual,
        summary: "a random force in every step: twitchy, for comparison",
        weight_unit: "u/s^1.5",
        default_weight: 5.0,
        default_priority: 7,
        parameters: &[],
    },
    BehaviorSpec {
        name: "explore",
        kind: BehaviorKind::Individual,
        summary: "toward what was visited least",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 6,
        parameters: &[parameter(
            "reach",
            "",
            Range::Whole { min: 1, max: 16 },
            4.0,
            "how many ground cells to each side it looks; at most 6 in spatial worlds",
        )],
    },
    BehaviorSpec {
        name: "forage",
        kind: BehaviorKind::Individual,
        summary: "toward the nearest resource",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 5,
        parameters: &[
            distance(
                "search_radius",
                10.0,
                "resources farther away are not perceived; nor farther than 16 ground cells, in spatial worlds 6",
            ),
            distance("slow_radius", 2.0, "nearer than this, the agent slows down"),
        ],
    },
    BehaviorSpec {
        name: "align",
        kind: BehaviorKind::Angular,
        summary: "turn to the heading of the target",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 5,
        parameters: &[TARGET, SLOW_ANGLE, CAPTURE_ANGLE, TIME_TO_TARGET],
    },
    BehaviorSpec {
        name: "face",
        kind: BehaviorKind::Angular,
        summary: "turn to the target",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 5,
        parameters: &[TARGET, SLOW_ANGLE, CAPTURE_ANGLE, TIME_TO_TARGET],
    },
    BehaviorSpec {
        name: "look_where_you_go",
        kind: BehaviorKind::Angular,
        summary: "turn to the own velocity",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 5,
        parameters: &[SLOW_ANGLE, CAPTURE_ANGLE, TIME_TO_TARGET],
    },
    BehaviorSpec {
        name: "angular_velocity_matching",
        kind: BehaviorKind::Angular,
        summary: "to the angular velocity of the target",
        weight_unit: "",
        default_weight: 1.0,
        default_priority: 5,
        parameters: &[TARGET, TIME_TO_TARGET],
    },
];

/// Row of a behavior in [`BEHAVIORS`].
pub fn behavior_index(name: &str) -> Option<usize> {
    BEHAVIORS.iter().position(|b| b.name == name)
}
