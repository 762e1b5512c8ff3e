//! What a key of a scene file is: name, unit, range, default and summary. The `table!` of each struct declares its keys, each
//! once. The parser, the checks of what a program writes, the JSON Schema, the reference and the sliders walk these tables.
//!
//! The parameters of behaviors stand in the registry, [`super::BEHAVIORS`]; [`super::behavior_keys`] makes keys of them.

use super::error::plain;

/// One key of a table of the scene file.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Its name in the file.
    pub name: &'static str,
    /// Unit, for documentation and sliders; empty for a pure number.
    pub unit: &'static str,
    /// Allowed values.
    pub range: Range,
    /// The default.
    pub(super) fallback: Fallback,
    pub(super) summary: &'static str,
}

/// Allowed values of a key. Numbers are between two bounds, both allowed.
#[derive(Debug, Clone, Copy)]
pub enum Range {
    /// A number.
    Number {
        /// Least value.
        min: f32,
        /// Greatest value.
        max: f32,
    },
    /// A whole number.
    Whole {
        /// Least value.
        min: u32,
        /// Greatest value.
        max: u32,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// One number for each axis.
    Vector {
        /// Least value.
        min: f32,
        /// Greatest value.
        max: f32,
    },
    /// What an agent heads for: a point, an agent, the nearest of a species, its leader, a path, a goal, the field, the mouse.
    Target,
    /// Names of species. Where the scene gives none: all species, or the ones that this species perceives.
    Species,
    /// Name of a path of the scene.
    Path,
    /// Name of a trajectory of the scene.
    Trajectory,
    /// Name of a goal of the map.
    Goal,
    /// Name of an action state of the species.
    State,
    /// Names of action states of the species.
    States,
    /// True or false; false where the file does not say.
    Flag,
    /// A text.
    Text,
    /// Letters, digits, `-` and `_`, because files are named after it.
    Name,
    /// A list of texts.
    Texts,
    /// A list of names, none twice, at most this many.
    Names(usize),
    /// A list of numbers, at most `most`.
    Numbers {
        /// Least value.
        min: f32,
        /// Greatest value.
        max: f32,
        /// Most numbers.
        most: usize,
    },
    /// One of these words, or a list of them, at most this many. A single word holds for all entries.
    Words(&'static [&'static str], usize),
    /// A list of points, each with one number for each axis.
    Points {
        /// Fewest points.
        least: usize,
        /// Least value.
        min: f32,
        /// Greatest value.
        max: f32,
        /// Most points.
        most: usize,
    },
    /// One of the words for all axes, or a list of one word for each axis.
    Axes(&'static [&'static str]),
    /// One of the words, or `#rrggbb`.
    Color(&'static [&'static str]),
    /// One of the words, or the path of a file with one of these extensions.
    Source(&'static [&'static str], &'static [&'static str]),
    /// A list of sources, each as in [`Range::Source`], at most this many.
    Sources(&'static [&'static str], &'static [&'static str], usize),
    /// A table with these keys.
    Table(&'static [Key]),
    /// A list of tables, `[[name]]`, at most this many.
    Tables(&'static [Key], usize),
    /// One table for each behavior of the registry.
    Behaviors,
}

/// The default of a key that the file does not have.
#[derive(Debug, Clone, Copy)]
pub enum Fallback {
    Required,
    /// Required where another key makes it necessary.
    RequiredFor(&'static str),
    /// The default of the field's type, described in these words.
    Described(&'static str),
    /// The number; for a choice of words of a behavior, the index of the word; for a vector, each component.
    Number(f32),
    Text(&'static str),
}

/// The keys of a table, together with the keys of a table that is written among them.
pub const fn all_keys<const N: usize>(own: &[Key], inner: &[Key]) -> [Key; N] {
    let mut all = [COMMON[0]; N];
    let mut index = 0;
    while index < N {
        all[index] = if index < own.len() { own[index] } else { inner[index - own.len()] };
        index += 1;
    }
    all
}

/// The dotted path of a key within a table.
pub fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

impl Key {
    /// What it means, as a phrase.
    pub fn summary(&self) -> String {
        let lines = self.summary.lines().map(str::trim).take_while(|line| !line.is_empty());
        let text = lines.collect::<Vec<_>>().join(" ");
        let mut letters = text.trim_end_matches('.').chars();
        letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
    }

    /// This key with a summary, and with the name of its field if it has no other.
    pub(super) const fn named(self, name: &'static str, summary: &'static str) -> Key {
        Key { name: if self.name.is_empty() { name } else { self.name }, summary, ..self }
    }

    /// The least and the greatest allowed number; `None` if the key is not a [`Range::Number`].
    pub fn bounds(&self) -> Option<(f32, f32)> {
        match self.range {
            Range::Number { min, max } => Some((min, max)),
            _ => None,
        }
    }

    pub(super) fn must_be_between(&self, min: f32, max: f32) -> String {
        let space = if self.unit.is_empty() { "" } else { " " };
        format!("must be between {} and {}{space}{}", plain(min), plain(max), self.unit)
    }
}

const fn key(unit: &'static str, range: Range, fallback: Fallback) -> Key {
    Key { name: "", unit, range, fallback, summary: "" }
}

pub(super) const fn number(unit: &'static str, min: f32, max: f32, default: f32) -> Key {
    key(unit, Range::Number { min, max }, Fallback::Number(default))
}

/// A number that may be absent.
pub(super) const fn limit(unit: &'static str, min: f32, max: f32, absent: &'static str) -> Key {
    key(unit, Range::Number { min, max }, Fallback::Described(absent))
}

pub(super) const fn whole(min: u32, max: u32, default: u32) -> Key {
    key("", Range::Whole { min, max }, Fallback::Number(default as f32))
}

pub(super) const fn choice(words: &'static [&'static str]) -> Key {
    key("", Range::Choice(words), Fallback::Text(words[0]))
}

/// A place or an extent; 0 where the file gives none.
pub(super) const fn vector(unit: &'static str, min: f32, max: f32) -> Key {
    key(unit, Range::Vector { min, max }, Fallback::Number(0.0))
}

pub(super) const fn place() -> Key {
    vector("u", -1e7, 1e7)
}

pub(super) const fn flag() -> Key {
    described(Range::Flag, "false")
}

pub(super) const fn described(range: Range, fallback: &'static str) -> Key {
    key("", range, Fallback::Described(fallback))
}

pub(super) const fn required_for(range: Range, why: &'static str) -> Key {
    key("", range, Fallback::RequiredFor(why))
}

pub(super) const fn required(range: Range) -> Key {
    key("", range, Fallback::Required)
}

impl Key {
    pub(super) const fn in_unit(self, unit: &'static str) -> Key {
        Key { unit, ..self }
    }

    pub(super) const fn or(self, fallback: Fallback) -> Key {
        Key { fallback, ..self }
    }
}

/// Largest number of agents, of all species together.
pub const MAX_AGENTS: u32 = 1 << 30;
/// Largest number of species.
pub const MAX_SPECIES: usize = 32;
/// Most action states of a species.
pub const MAX_STATES: usize = 32;
/// Most different lists of state weights of a species, including the list of ones.
pub const MAX_WEIGHT_ROWS: usize = 8;
/// Largest number of rules of action selection of a species.
pub const MAX_RULES: usize = 16;
/// Largest number of different targets `nearest` of a species.
pub const MAX_QUERIES: usize = 4;
/// Number of priorities.
pub const PRIORITIES: usize = 8;
/// Largest number of obstacles.
pub const MAX_OBSTACLES: usize = 1 << 14;
/// Largest number of paths.
pub const MAX_PATHS: usize = 8;
/// Largest number of points of all paths together; a closed path counts its first point twice.
pub const MAX_POINTS: usize = 256;
/// Largest number of trajectories.
pub const MAX_TRAJECTORIES: usize = 16;
/// Largest number of keys of a trajectory.
pub const MAX_TIMES: usize = 64;
/// Largest number of lines.
pub const MAX_LINES: usize = 16;
/// Largest number of goals of a map.
pub const MAX_GOALS: usize = 64;
/// Largest number of strokes over the plan of a map.
pub const MAX_STROKES: usize = 1024;
/// Largest number of hills of a surface.
pub const MAX_HILLS: usize = 8;
/// Largest number of nodes of a flow field, whose vectors then take 192 MiB, and of cells of a map.
pub const MAX_NODES: u64 = 1 << 24;

/// The keys of a target that is written as a table.
pub const TARGET: &[Key] = &[
    place().or(Fallback::Described("none")).named("point", "a fixed point"),
    described(Range::Whole { min: 0, max: MAX_AGENTS - 1 }, "none").named("agent", "the agent with this id"),
    described(Range::Text, "none").named(
        "nearest",
        "the nearest agent of a species, whatever `perceives` says; a species may have four different ones",
    ),
    number("u", 0.0, 1e6, 20.0).named("perception_radius", "of `nearest`: agents farther away are not perceived"),
    number("deg", 0.0, 360.0, 360.0).named("field_of_view", "of `nearest`: full angle in which agents are perceived"),
    described(Range::Text, "none").named("leader", "an agent of a species, the same at all times"),
    described(Range::Text, "none").named("path", "the nearest point of a path"),
    described(Range::Text, "none").named("trajectory", "where a trajectory is in this step"),
    described(Range::Text, "none").named("goal", "a goal of the map, by the way that leads there around all walls"),
    number("s", 0.0, 1e3, 0.0).named(
        "prediction_time",
        "of `goal`: how far ahead of the agent the way is read, where no wall of the map lies between",
    ),
];

/// Keys that every behavior has besides its parameters. [`super::behavior_keys`] puts in the behavior's own defaults of weight
/// and priority, and its unit of the weight.
pub const COMMON: [Key; 10] = [
    described(Range::Flag, "true")
        .named("enabled", "true where the table is present; a behavior that is not enabled costs nothing"),
    number("see below", -1e6, 1e6, 1.0).named("weight", "factor of its acceleration in the weighted sum"),
    number("see below", 0.0, 1e6, 0.0)
        .named("weight_spread", "how far its weight differs from agent to agent (`variation`); none changes its sign"),
    number("u/s²", 0.0, 1e6, 1e-3)
        .named("floor", "a shorter acceleration counts as this long where combine = normalized"),
    described(Range::Whole { min: 0, max: PRIORITIES as u32 - 1 }, "see below")
        .named("priority", "smaller ones go first where combine = priority, budget or dithered; equal ones as `combine_within` says"),
    whole(0, PRIORITIES as u32 - 1, 0).named(
        "rank",
        "smaller ones go first within their priority where combine_within = first; of equal ones those that look at neighbors, and then \
         in the order of this page",
    ),
    described(Range::States, "all").named("states", "action states in which it is active"),
    described(Range::Numbers { min: -1e3, max: 1e3, most: MAX_STATES }, "1 each").named(
        "state_weights",
        "factor of its weight in each action state, in their order; 1 for those beyond the list",
    ),
    number("", 0.0, 100.0, 0.0).named(
        "jitter",
        "noise: each time the agent steers, a vector in a random direction is added, this many times as long as the \
         behavior's acceleration",
    ),
    number("u/s²", 0.0, 1e6, 0.0).named(
        "limit",
        "a longer acceleration is cut to this length, before its weight; 0 cuts none. For angular behaviors in rad/s²",
    ),
];
