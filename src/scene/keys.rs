//! Every key that a scene file may have, once: the parser, the JSON Schema and the reference are made from these tables.
//!
//! The parameters of behaviors stand in the registry, [`super::BEHAVIORS`].

use super::{BehaviorSpec, Range};

/// One key of a table of the scene file.
#[derive(Debug)]
pub struct Key {
    pub name: &'static str,
    pub unit: &'static str,
    pub value: Value,
    pub fallback: Fallback,
    pub summary: &'static str,
}

/// What a key may hold.
#[derive(Debug, Clone, Copy)]
pub enum Value {
    /// A number between two bounds, both allowed.
    Number {
        min: f64,
        max: f64,
    },
    /// A whole number between two bounds, both allowed.
    Whole {
        min: u32,
        max: u32,
    },
    /// True or false; false where the file does not say.
    Flag,
    Text,
    /// Letters, digits, `-` and `_`, because files are named after it.
    Name,
    Texts,
    Choice(&'static [&'static str]),
    /// One number for each axis.
    Vector {
        min: f64,
        max: f64,
    },
    /// A list of at least two points, each with one number for each axis, at most so many.
    Points {
        min: f64,
        max: f64,
        most: usize,
    },
    /// A word for all axes, or a list of one word for each axis.
    Words(&'static [&'static str]),
    /// One of the words, or `#rrggbb`.
    Color(&'static [&'static str]),
    /// One of the words, or the path of a file with one of these extensions.
    Source(&'static [&'static str], &'static [&'static str]),
    Table(&'static [Key]),
    /// A list of tables: `[[name]]`, at most so many.
    Tables(&'static [Key], usize),
    /// A list of numbers between two bounds, at most so many.
    Numbers {
        min: f64,
        max: f64,
        most: usize,
    },
    /// A name, or a list of names, that the scene gives elsewhere.
    Names,
    /// What an agent heads for: a table, or one of two words.
    Target,
    /// One table for each behavior of the registry.
    Behaviors,
}

/// What holds where the file does not have the key.
#[derive(Debug, Clone, Copy)]
pub enum Fallback {
    Required,
    /// Said in words, computed by the parser.
    Told(&'static str),
    Number(f64),
    Text(&'static str),
}

/// Largest number of agents, of all species together.
pub const MAX_AGENTS: u32 = 1 << 30;
/// Largest number of species.
pub const MAX_SPECIES: usize = 32;
/// Largest number of rules of action selection of a species.
pub const MAX_RULES: usize = 8;
/// Largest number of different targets `nearest` of a species.
pub const MAX_QUERIES: usize = 2;
/// Number of priorities.
pub const PRIORITIES: usize = 8;
/// Largest number of obstacles.
pub const MAX_OBSTACLES: usize = 64;
/// Largest number of paths.
pub const MAX_PATHS: usize = 8;
/// Largest number of points of all paths together; a closed path counts its first point twice.
pub const MAX_POINTS: usize = 256;
/// Largest number of hills of a surface.
pub const MAX_HILLS: usize = 8;
/// Largest number of nodes of a flow field: 192 MiB of vectors.
pub const MAX_NODES: u64 = 1 << 24;
/// Least and greatest extent of the world along an axis, u.
pub const WORLD_SIZE: (f64, f64) = (1e-3, 1e7);
/// Words for what happens at the ends of an axis, in the order of [`super::Boundary`].
pub const BOUNDARIES: &[&str] = &["wrap", "contain", "open"];
/// Formulas for flow fields.
pub const FORMULAS: &[&str] = &["uniform", "vortex", "curl_noise", "planetary"];
/// Words for colors.
pub const COLORS: &[&str] = &["heading", "speed", "state", "winner"];
/// Words for the region in which agents start.
pub const SHAPES: &[&str] = &["box", "ball"];

const fn key(name: &'static str, unit: &'static str, value: Value, fallback: Fallback, summary: &'static str) -> Key {
    Key { name, unit, value, fallback, summary }
}

const fn number(
    name: &'static str,
    unit: &'static str,
    (min, max): (f64, f64),
    default: f64,
    doc: &'static str,
) -> Key {
    key(name, unit, Value::Number { min, max }, Fallback::Number(default), doc)
}

const fn whole(name: &'static str, (min, max): (u32, u32), fallback: Fallback, doc: &'static str) -> Key {
    key(name, "", Value::Whole { min, max }, fallback, doc)
}

const fn table(name: &'static str, value: Value, fallback: &'static str, doc: &'static str) -> Key {
    key(name, "", value, Fallback::Told(fallback), doc)
}

/// The top of the file.
pub const SCENE: &[Key] = &[
    whole("schema", (1, 1), Fallback::Required, "version of this layout"),
    key("name", "", Value::Name, Fallback::Told("the name of the file"), "short name, used for files and listings"),
    key("shows", "", Value::Text, Fallback::Text(""), "what the scene shows, in a sentence or two"),
    key("things_to_try", "", Value::Texts, Fallback::Told("none"), "things to try, one per entry"),
    whole("seed", (0, u32::MAX), Fallback::Number(1.0), "seed of every random number of the run"),
    key("dialect", "", Value::Choice(DIALECTS), Fallback::Text("canonical"), DIALECT_SUMMARY),
    number("dt", "s", (1e-6, 1.0), 1.0 / 60.0, "fixed time step"),
    key("mouse", "u", CENTER, Fallback::Number(0.0), "where the target `mouse` is until a pointer moves it"),
    key("world", "", Value::Table(WORLD), Fallback::Required, "the space the agents live in, centered on the origin"),
    table("camera", Value::Table(CAMERA), "frames the whole world", "where the picture is taken from"),
    table("field", Value::Table(FIELD), "no field", "the flow field that `flow_field` follows"),
    table("ground", Value::Table(GROUND), "no ground", "what `explore` and `forage` look at"),
    key("species", "", Value::Tables(SPECIES, MAX_SPECIES), Fallback::Required, "the kinds of agents, 1 to 32"),
    table("obstacles", Value::Tables(OBSTACLES, MAX_OBSTACLES), "none", "what agents avoid or stay within, up to 64"),
    table("paths", Value::Tables(PATHS, MAX_PATHS), "none", "what agents follow, up to 8"),
    table("surface", Value::Table(SURFACE), "none", "what agents move on, in a spatial world"),
];

/// Words for dialects, in the order of their table.
pub const DIALECTS: &[&str] = &["canonical", "reynolds99", "opensteer", "nature_of_code", "millington"];
const DIALECT_SUMMARY: &str = "whose defaults hold for the keys of species that the file does not give: see below";

const SIZE: Value = Value::Vector { min: WORLD_SIZE.0, max: WORLD_SIZE.1 };
const CENTER: Value = Value::Vector { min: -1e7, max: 1e7 };

/// `[world]`
pub const WORLD: &[Key] = &[
    key("size", "u", SIZE, Fallback::Required, "extent along x and y, or x, y and z; two numbers make a planar world"),
    key(
        "boundary",
        "",
        Value::Words(BOUNDARIES),
        Fallback::Text("wrap"),
        "at the ends of each axis: wrap joins them, contain turns agents back, open lets them go",
    ),
    number("margin", "u", (0.0, 1e6), 10.0, "distance from a contained wall at which agents start to turn back"),
];

/// `[ground]`
pub const GROUND: &[Key] = &[
    whole("resolution", (2, 512), Fallback::Number(64.0), "cells along the longest axis; at most 2^22 in all"),
    number("half_life", "s", (0.0, 1e6), 0.0, "time after which counts of visits are halved; 0 is never"),
    whole("patches", (0, 256), Fallback::Number(0.0), "round patches of a resource, at random places"),
    number("patch_radius", "u", (0.0, 1e6), 10.0, "radius of a patch"),
    whole("amount", (0, 1_000_000), Fallback::Number(100.0), "units of the resource in each cell of a patch"),
    number("intake", "1/s", (0.0, 1e4), 10.0, "units that an agent takes; one agent of a cell at a time"),
    number("regrowth", "1/s", (0.0, 1e4), 0.0, "units that grow back in each cell of a patch"),
];

/// `[camera]`
pub const CAMERA: &[Key] = &[
    key("center", "u", CENTER, Fallback::Number(0.0), "point at the center of the picture"),
    number("zoom", "", (1e-3, 1e6), 1.0, "1 frames the whole world, 2 shows half of its height"),
    number("yaw", "deg", (-360.0, 360.0), 30.0, "rotation about the vertical axis, in spatial worlds"),
    number("pitch", "deg", (-90.0, 90.0), 20.0, "elevation above the horizontal, in spatial worlds"),
];

/// `[field]`
pub const FIELD: &[Key] = &[
    key(
        "source",
        "",
        Value::Source(FORMULAS, &["png", "json"]),
        Fallback::Required,
        "a formula, or the path of an image (.png) or of a wind file (.json), relative to the scene file",
    ),
    number("scale", "", (-1e6, 1e6), 1.0, "factor on every vector; for wind files u/s per m/s"),
    number("speed", "u/s", (0.0, 1e6), 10.0, "peak speed of a formula or an image"),
    number("direction", "deg", (-360.0, 360.0), 0.0, "direction of `uniform`, counter-clockwise from +x"),
    number("wavelength", "u", (1e-3, 1e7), 50.0, "size of the eddies of `curl_noise`, at least four nodes"),
    whole("resolution", (8, 4096), Fallback::Number(128.0), "nodes of a formula's grid along the longest axis"),
];

/// Words for how accelerations are combined, in the order of [`super::Combine`].
pub const COMBINE: &[&str] = &["weighted", "normalized", "priority", "budget", "dithered"];
const COMBINE_SUMMARY: &str = "weighted: sum; normalized: each of unit length, then weighted; priority: the first that is \
                               not zero; budget: by priority within the largest acceleration; dithered: by chance";
const DITHER: Value = Value::Numbers { min: 0.0, max: 1.0, most: PRIORITIES };
/// Words for conditions of action selection, in the order of [`super::Condition`].
pub const CONDITIONS: &[&str] = &["nearer", "farther", "after", "field_above", "field_below", "load_above"];
const CONDITION_SUMMARY: &str = "nearer, farther: distance of the target; after: time in the state; field_above, \
                                 field_below: speed of the flow field here; load_above: carried resource";
/// Words for the shape of an obstacle, in the order of [`super::ObstacleShape`].
pub const OBSTACLE_SHAPES: &[&str] = &["sphere", "box", "plane"];
/// Words for the free side of an obstacle, in the order of [`super::SeenFrom`].
pub const SEEN_FROM: &[&str] = &["outside", "inside", "both"];
/// Words for the shape of a surface, in the order of [`super::Surface`].
pub const SURFACE_SHAPES: &[&str] = &["sphere", "plane", "height_field"];
const EXTENT: (f64, f64) = (1e-6, 1e7);
const EXTENTS: Value = Value::Vector { min: EXTENT.0, max: EXTENT.1 };
const RADIUS: Value = Value::Number { min: EXTENT.0, max: EXTENT.1 };
const NORMAL: Value = Value::Vector { min: -1e6, max: 1e6 };
const POINTS: Value = Value::Points { min: -1e7, max: 1e7, most: MAX_POINTS };
const OF_SPHERE: Fallback = Fallback::Told("required for a sphere");
const OF_BOX: Fallback = Fallback::Told("required for a box");
const OF_PLANE: Fallback = Fallback::Told("required for a plane");
const SEEN_FROM_SUMMARY: &str =
    "where agents are free: outside of the shape, inside of it, or on both sides of a thin shell";

/// `[[obstacles]]`
pub const OBSTACLES: &[Key] = &[
    key(
        "shape",
        "",
        Value::Choice(OBSTACLE_SHAPES),
        Fallback::Required,
        "a box lies along the axes, a plane has no end",
    ),
    key("center", "u", CENTER, Fallback::Number(0.0), "center; of a plane, a point on it"),
    key("radius", "u", RADIUS, OF_SPHERE, "radius of a sphere"),
    key("size", "u", EXTENTS, OF_BOX, "full extent of a box along each axis"),
    key("normal", "", NORMAL, OF_PLANE, "points from a plane to its free side; of any length but zero"),
    key("seen_from", "", Value::Choice(SEEN_FROM), Fallback::Text("outside"), SEEN_FROM_SUMMARY),
];

/// `[[paths]]`
pub const PATHS: &[Key] = &[
    key("name", "", Value::Text, Fallback::Told("path N"), "name, unique within the scene"),
    key("points", "u", POINTS, Fallback::Required, "its points in the direction of travel; all paths have at most 256"),
    key("closed", "", Value::Flag, Fallback::Told("false"), "true where the last point leads on to the first"),
    number("radius", "u", (0.0, 1e6), 1.0, "half of the width of the way"),
];

/// `[surface]`
pub const SURFACE: &[Key] = &[
    key("shape", "", Value::Choice(SURFACE_SHAPES), Fallback::Required, "a height field is level ground with hills"),
    key("center", "u", CENTER, Fallback::Number(0.0), "center of a sphere; a point of a plane"),
    key("radius", "u", RADIUS, OF_SPHERE, "radius of a sphere"),
    key("normal", "", NORMAL, Fallback::Told("[0, 1, 0]"), "points up from a plane; of any length but zero"),
    number("level", "u", (-1e7, 1e7), 0.0, "height (y) of a height field far from all hills"),
    table(
        "hills",
        Value::Tables(HILLS, MAX_HILLS),
        "none",
        "hills of a height field, up to 8; their heights are added",
    ),
];

/// `[[surface.hills]]`
pub const HILLS: &[Key] = &[
    number("x", "u", (-1e7, 1e7), 0.0, "middle along x"),
    number("z", "u", (-1e7, 1e7), 0.0, "middle along z"),
    number("height", "u", (-1e6, 1e6), 10.0, "height in the middle, at a distance r times 1 / (1 + r²/width²)²"),
    number("width", "u", (1e-3, 1e6), 20.0, "distance at which a quarter of the height is left"),
];

const COLOR: Value = Value::Color(COLORS);
const COLOR_SUMMARY: &str = "heading, speed: by those; state: by action state; winner: by the priority that decided, gray \
                             where none did; or one color as \"#rrggbb\"";
const COUNT: (u32, u32) = (0, MAX_AGENTS);
const CALLED: Fallback = Fallback::Told("species N");
const SPAWN_SPEED: Fallback = Fallback::Told("max_speed");

/// `[[species]]`
pub const SPECIES: &[Key] = &[
    key("name", "", Value::Text, CALLED, "name, unique within the scene"),
    whole("count", COUNT, Fallback::Required, "number of agents; all species together at most 2^30"),
    number("mass", "kg", (1e-6, 1e6), 1.0, "mass"),
    number("max_speed", "u/s", (0.0, 1e6), 20.0, "speed is never above this"),
    number("min_speed", "u/s", (0.0, 1e6), 0.0, "speed is never below this"),
    number("max_force", "kg·u/s²", (0.0, 1e9), 60.0, "the steering force is never longer than this"),
    number("radius", "u", (0.0, 1e6), 0.5, "body radius: half the length of the drawn triangle"),
    number("time_constant", "s", (0.0, 1e3), 0.25, "time to reach a desired velocity; 0 is update_every time steps"),
    key("color", "", COLOR, Fallback::Text("heading"), COLOR_SUMMARY),
    table("spawn", Value::Table(SPAWN), "the whole world", "where and how fast the agents start"),
    key("perceives", "", Value::Names, Fallback::Told("all species"), "names of the species that its agents perceive"),
    whole("k_nearest", (0, 16), Fallback::Number(0.0), "perceive only so many of the nearest agents; 0 is no limit"),
    key("combine", "", Value::Choice(COMBINE), Fallback::Text("weighted"), COMBINE_SUMMARY),
    key(
        "dither",
        "",
        DITHER,
        Fallback::Told("0.8 each"),
        "chance of each priority, from 0 on, where combine = dithered",
    ),
    whole(
        "update_every",
        (1, 64),
        Fallback::Number(1.0),
        "steer in every k-th step only, each agent at its own phase, and hold the steering between",
    ),
    number(
        "smoothing_time",
        "s",
        (0.0, 1e3),
        0.0,
        "steering follows what the behaviors say within this time; 0 is at once",
    ),
    key(
        "states",
        "",
        Value::Texts,
        Fallback::Told("one, without a name"),
        "action states; the first is that of the start",
    ),
    table(
        "rules",
        Value::Tables(RULES, MAX_RULES),
        "none",
        "when the action state changes: the first that holds does it",
    ),
    table("vehicle", Value::Table(VEHICLE), "a point mass", "how the body turns steering into motion"),
    table("behaviors", Value::Behaviors, "none", "how the agents steer: one table for each behavior"),
];

/// `[[species.rules]]`
pub const RULES: &[Key] = &[
    key("from", "", Value::Names, Fallback::Told("any state"), "states in which the rule counts"),
    key("to", "", Value::Text, Fallback::Required, "the state that it leads to"),
    key("when", "", Value::Choice(CONDITIONS), Fallback::Text("nearer"), CONDITION_SUMMARY),
    number("than", "u, s or u/s", (0.0, 1e9), 10.0, "what is compared with"),
    key("target", "", Value::Target, Fallback::Told("the mouse"), "whose distance counts"),
    key("unloads", "", Value::Flag, Fallback::Told("false"), "true where the agent then puts down what it carries"),
];

/// A target that is a table.
pub const TARGET: &[Key] = &[
    key("point", "u", CENTER, Fallback::Told("none"), "a fixed point"),
    key("agent", "", Value::Whole { min: 0, max: MAX_AGENTS }, Fallback::Told("none"), "the agent with this id"),
    key("nearest", "", Value::Text, Fallback::Told("none"), "the nearest perceived agent of a species"),
    number("perception_radius", "u", (0.0, 1e6), 20.0, "of `nearest`: agents farther away are not perceived"),
    number("field_of_view", "deg", (0.0, 360.0), 360.0, "of `nearest`: full angle in which agents are perceived"),
    key("leader", "", Value::Text, Fallback::Told("none"), "an agent of a species, the same at all times"),
    key("path", "", Value::Text, Fallback::Told("none"), "the nearest point of a path"),
];

/// `[species.spawn]`
pub const SPAWN: &[Key] = &[
    key("shape", "", Value::Choice(SHAPES), Fallback::Text("box"), "region of the start: box, or the ball within it"),
    number("extent", "", (0.0, 1.0), 1.0, "extent of that region as a fraction of the world"),
    key("speed", "u/s", Value::Number { min: 0.0, max: 1e6 }, SPAWN_SPEED, "starting speed, in a random direction"),
];

/// Words for how steering becomes motion, in the order of [`super::Locomotion`].
const LOCOMOTIONS: &[&str] = &["point_mass", "turn_first", "kinematic"];
const LOCOMOTION_SUMMARY: &str = "point_mass: a force moves a mass; turn_first: the heading turns to the desired velocity, \
                                  and the agent moves along its heading only; kinematic: the velocity is the desired one at once";
const INTEGRATORS: &[&str] = &["semi_implicit", "explicit"];
const INTEGRATOR_SUMMARY: &str = "semi_implicit: the position moves with the new velocity; explicit: with the old one";
const FACINGS: &[&str] = &["velocity", "independent"];
const FACING_SUMMARY: &str =
    "velocity: the heading follows the velocity; independent: it turns by angular behaviors alone";
const ORIENTATIONS: &[&str] = &["derived", "kept"];
const ORIENTATION_SUMMARY: &str = "kept: forward and up are remembered, so that an agent at rest keeps its heading; limits of \
                                   turns, banking, low_speed, turn_first and independent facing keep them anyway";
const FORWARD: &[&str] = &["variable", "constant"];
const FORWARD_SUMMARY: &str = "of turn_first, variable: toward the part of the desired velocity along the heading; constant: \
                               toward its whole speed";
const REVERSE: &[&str] = &["forbid", "allow"];

/// A number without which there is no limit.
const fn limit(name: &'static str, unit: &'static str, (min, max): (f64, f64), doc: &'static str) -> Key {
    key(name, unit, Value::Number { min, max }, Fallback::Told("no limit"), doc)
}

/// `[species.vehicle]`
pub const VEHICLE: &[Key] = &[
    key("locomotion", "", Value::Choice(LOCOMOTIONS), Fallback::Text("point_mass"), LOCOMOTION_SUMMARY),
    key("integrator", "", Value::Choice(INTEGRATORS), Fallback::Text("semi_implicit"), INTEGRATOR_SUMMARY),
    key("facing", "", Value::Choice(FACINGS), Fallback::Text("velocity"), FACING_SUMMARY),
    key("orientation", "", Value::Choice(ORIENTATIONS), Fallback::Text("derived"), ORIENTATION_SUMMARY),
    number(
        "linear_drag",
        "1/s",
        (0.0, 1e4),
        0.0,
        "deceleration per speed; terminal speed = acceleration / linear_drag",
    ),
    number("quadratic_drag", "1/u", (0.0, 1e4), 0.0, "deceleration per squared speed; terminal speed = its root"),
    number("angular_drag", "1/s", (0.0, 1e4), 0.0, "angular deceleration per angular speed"),
    limit("max_angular_speed", "deg/s", (0.0, 1e6), "the heading turns no faster; turn_first needs it"),
    limit("max_angular_acceleration", "deg/s²", (0.0, 1e9), "the angular speed changes no faster"),
    limit("moment_of_inertia", "kg·u²", (1e-6, 1e9), "resists turning, together with max_torque"),
    limit("max_torque", "kg·u²/s²", (0.0, 1e9), "the greatest angular acceleration is max_torque / moment_of_inertia"),
    number("low_speed", "u/s", (0.0, 1e6), 0.0, "below it, acceleration across the heading is reduced in proportion"),
    number(
        "turn_loss",
        "s",
        (0.0, 10.0),
        0.0,
        "of turn_first: turning at ω divides the speed by 1 + ω²·turn_loss·dt/2",
    ),
    key("forward_acceleration", "", Value::Choice(FORWARD), Fallback::Text("variable"), FORWARD_SUMMARY),
    key("reverse", "", Value::Choice(REVERSE), Fallback::Text("forbid"), "of turn_first: may it drive backward?"),
    key(
        "max_reverse_speed",
        "u/s",
        Value::Number { min: 0.0, max: 1e6 },
        Fallback::Told("max_speed"),
        "speed backward is never above this",
    ),
    key(
        "hugs_surface",
        "",
        Value::Flag,
        Fallback::Told("false"),
        "it moves on the surface of the scene, up is its normal",
    ),
    table("banking", Value::Table(BANKING), "none", "rolls into turns, in spatial worlds"),
];

/// `[species.vehicle.banking]`
pub const BANKING: &[Key] = &[
    number("righting", "", (0.0, 1e3), 0.2, "strength of the return to level flight"),
    number("leaning", "s²/u", (0.0, 1e3), 0.05, "strength of the roll into turns, per acceleration"),
    number("rate", "1/s", (0.0, 1e3), 3.0, "how fast it rolls"),
];

/// A key of a vehicle by its dotted name.
pub fn vehicle_key(name: &str) -> Option<&'static Key> {
    let (keys, name) = name.strip_prefix("banking.").map_or((VEHICLE, name), |name| (BANKING, name));
    keys.iter().find(|key| key.name == name)
}

/// Summary of the key `enabled` of every behavior.
pub const ENABLED_SUMMARY: &str = "true where the table is present; a behavior that is not enabled costs nothing";
/// Range of the key `weight` of every behavior.
pub const WEIGHT: Range = Range::Number { min: -1e6, max: 1e6 };
/// Summary of the key `weight` of every behavior.
pub const WEIGHT_SUMMARY: &str = "factor of its acceleration in the weighted sum";

/// Range of the key `floor` of every behavior.
pub const FLOOR: Range = Range::Number { min: 0.0, max: 1e6 };
/// Value of the key `floor` where the scene gives none, u/s².
pub const FLOOR_DEFAULT: f32 = 1e-3;
/// Summary of the key `floor` of every behavior.
pub const FLOOR_SUMMARY: &str = "a shorter acceleration counts as this long where combine = normalized";
/// Range of the key `priority` of every behavior.
pub const PRIORITY: Range = Range::Whole { min: 0, max: PRIORITIES as u32 - 1 };
/// Summary of the key `priority` of every behavior.
pub const PRIORITY_SUMMARY: &str =
    "smaller ones go first where combine = priority, budget or dithered; equal ones are summed";
/// Summary of the key `states` of every behavior.
pub const STATES_SUMMARY: &str = "action states in which it acts";

/// Keys of `[species.behaviors.NAME]`.
pub fn behavior_keys(spec: &BehaviorSpec) -> impl Iterator<Item = &'static str> {
    ["enabled", "weight", "floor", "priority", "states"].into_iter().chain(spec.parameters.iter().map(|p| p.name))
}
