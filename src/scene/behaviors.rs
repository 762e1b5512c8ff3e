//! The registry of behaviors: every name a scene may use, with its parameters, units and ranges.
//!
//! The scene parser, the JSON Schema, the sliders of the viewer and the documentation are made from this table.

/// One behavior as a scene names it.
#[derive(Debug)]
pub struct BehaviorSpec {
    /// Key under `[species.behaviors]`, and the name of its shader file and of its Rust twin.
    pub name: &'static str,
    /// Does it look at neighbors?
    pub kind: BehaviorKind,
    /// One line of documentation.
    pub summary: &'static str,
    /// Unit of the weight that turns its output into u/s².
    pub weight_unit: &'static str,
    /// Weight where the scene gives none.
    pub default_weight: f32,
    /// Parameters beside `enabled` and `weight`.
    pub parameters: &'static [Parameter],
}

/// What a behavior needs to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BehaviorKind {
    /// Sums over the agents within its perception radius and field of view.
    Neighborhood,
    /// A pure function of the agent, the world and its parameters.
    Individual,
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
    /// Value where the scene gives none; for a choice, its index.
    pub default: f32,
    /// One line of documentation.
    pub summary: &'static str,
}

/// Allowed values of a parameter.
#[derive(Debug, Clone, Copy)]
pub enum Range {
    /// A number between two bounds, both allowed.
    Number {
        /// Least value.
        min: f32,
        /// Greatest value.
        max: f32,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
}

const PERCEPTION_RADIUS: Parameter = Parameter {
    name: "perception_radius",
    unit: "u",
    range: Range::Number { min: 0.0, max: 1e6 },
    default: 5.0,
    summary: "agents farther away are not perceived",
};

const FIELD_OF_VIEW: Parameter = Parameter {
    name: "field_of_view",
    unit: "deg",
    range: Range::Number { min: 0.0, max: 360.0 },
    default: 270.0,
    summary: "full angle of the cone around the heading in which agents are perceived",
};

/// Every behavior, in the order in which their accelerations are added.
pub const BEHAVIORS: &[BehaviorSpec] = &[
    BehaviorSpec {
        name: "separation",
        kind: BehaviorKind::Neighborhood,
        summary: "away from each neighbor, the more the nearer (sum of offset / distance²)",
        weight_unit: "u²/s²",
        default_weight: 1.0,
        parameters: &[PERCEPTION_RADIUS, FIELD_OF_VIEW],
    },
    BehaviorSpec {
        name: "alignment",
        kind: BehaviorKind::Neighborhood,
        summary: "toward the mean velocity of the neighbors",
        weight_unit: "",
        default_weight: 1.0,
        parameters: &[PERCEPTION_RADIUS, FIELD_OF_VIEW],
    },
    BehaviorSpec {
        name: "cohesion",
        kind: BehaviorKind::Neighborhood,
        summary: "toward the mean position of the neighbors, in proportion to its distance",
        weight_unit: "1/s²",
        default_weight: 1.0,
        parameters: &[PERCEPTION_RADIUS, FIELD_OF_VIEW],
    },
    BehaviorSpec {
        name: "flow_field",
        kind: BehaviorKind::Individual,
        summary: "toward the velocity that the flow field has at the predicted position",
        weight_unit: "",
        default_weight: 1.0,
        parameters: &[
            Parameter {
                name: "prediction_time",
                unit: "s",
                range: Range::Number { min: 0.0, max: 1e3 },
                default: 0.0,
                summary: "how far ahead of the agent the field is sampled",
            },
            Parameter {
                name: "mode",
                unit: "",
                range: Range::Choice(&["velocity", "direction"]),
                default: 0.0,
                summary: "velocity: the field is the desired velocity; direction: its direction at max_speed",
            },
        ],
    },
];

/// Row of a behavior in [`BEHAVIORS`].
pub fn behavior_index(name: &str) -> Option<usize> {
    BEHAVIORS.iter().position(|b| b.name == name)
}
