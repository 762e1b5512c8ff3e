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
    /// A word for all axes, or a list of one word for each axis.
    Words(&'static [&'static str]),
    /// One of the words, or `#rrggbb`.
    Color(&'static [&'static str]),
    /// One of the words, or the path of a file with one of these extensions.
    Source(&'static [&'static str], &'static [&'static str]),
    Table(&'static [Key]),
    /// A list of tables: `[[name]]`.
    Tables(&'static [Key]),
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
pub const MAX_SPECIES: usize = 64;
/// Largest number of nodes of a flow field: 192 MiB of vectors.
pub const MAX_NODES: u64 = 1 << 24;
/// Least and greatest extent of the world along an axis, u.
pub const WORLD_SIZE: (f64, f64) = (1e-3, 1e7);
/// Words for what happens at the ends of an axis, in the order of [`super::Boundary`].
pub const BOUNDARIES: &[&str] = &["wrap", "contain", "open"];
/// Formulas for flow fields.
pub const FORMULAS: &[&str] = &["uniform", "vortex", "curl_noise", "planetary"];
/// Words for colors.
pub const COLORS: &[&str] = &["heading", "speed"];
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
    number("dt", "s", (1e-6, 1.0), 1.0 / 60.0, "fixed time step"),
    key("world", "", Value::Table(WORLD), Fallback::Required, "the space the agents live in, centered on the origin"),
    table("camera", Value::Table(CAMERA), "frames the whole world", "where the picture is taken from"),
    table("field", Value::Table(FIELD), "no field", "the flow field that `flow_field` follows"),
    key("species", "", Value::Tables(SPECIES), Fallback::Required, "the kinds of agents, 1 to 64"),
];

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

const COLOR: Value = Value::Color(COLORS);
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
    number("time_constant", "s", (0.0, 1e3), 0.25, "time to reach a desired velocity; 0 is one time step"),
    key("color", "", COLOR, Fallback::Text("heading"), "by heading, by speed, or one color as \"#rrggbb\""),
    table("spawn", Value::Table(SPAWN), "the whole world", "where and how fast the agents start"),
    table("behaviors", Value::Behaviors, "none", "how the agents steer: one table for each behavior"),
];

/// `[species.spawn]`
pub const SPAWN: &[Key] = &[
    key("shape", "", Value::Choice(SHAPES), Fallback::Text("box"), "region of the start: box, or the ball within it"),
    number("extent", "", (0.0, 1.0), 1.0, "extent of that region as a fraction of the world"),
    key("speed", "u/s", Value::Number { min: 0.0, max: 1e6 }, SPAWN_SPEED, "starting speed, in a random direction"),
];

/// Summary of the key `enabled` of every behavior.
pub const ENABLED_SUMMARY: &str = "true where the table is present; a behavior that is not enabled costs nothing";
/// Range of the key `weight` of every behavior.
pub const WEIGHT: Range = Range::Number { min: -1e6, max: 1e6 };
/// Summary of the key `weight` of every behavior.
pub const WEIGHT_SUMMARY: &str = "factor of its acceleration in the weighted sum";

/// Keys of `[species.behaviors.NAME]`.
pub fn behavior_keys(spec: &BehaviorSpec) -> impl Iterator<Item = &'static str> {
    ["enabled", "weight"].into_iter().chain(spec.parameters.iter().map(|p| p.name))
}
