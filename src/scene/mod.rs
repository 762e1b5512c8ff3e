//! What a user writes: one TOML file describes one world.
//!
//! A [`Scene`] is always valid: every way to make one ([`Scene::open`], [`Scene::parse`]) checks types, ranges and
//! the rules that tie keys together, and reports a [`SceneError`] that names file, line, column, key, value and range.
//! Lengths are in world units (u), times in seconds, angles in degrees; the world is centered on the origin.

mod actions;
pub mod behavior_file;
mod behaviors;
mod build;
mod dialects;
mod error;
mod field;
mod keys;
mod lint;
mod parse;
mod presets;
mod read;
mod rules;
mod scenery;
mod schema;
mod target;
mod tree;
mod vehicle;

pub use actions::{ActionRule, Condition};
pub use behaviors::{
    BEHAVIORS, BehaviorKind, BehaviorSpec, DescriptionError, Functions, Parameter, Range, Stored, behavior_index,
};
pub use error::{SceneError, SourcePlace};
pub(crate) use error::{nearest, shorten, suggest};
pub use field::{Field, FieldGrid, FieldSource};
pub use lint::Lint;
pub use parse::{Override, SceneSource};
pub use presets::{PRESETS, Preset};
pub use scenery::{Hill, Obstacle, ObstacleShape, Path, Scenery, SeenFrom, Surface};
pub use schema::{reference, schema};
pub use target::Target;
pub use vehicle::{Banking, Facing, Integrator, Locomotion, Vehicle, VehicleNumber};

use glam::Vec3;
use std::path::PathBuf;

/// One world: its size, its agents, and how they steer.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// Short name, used for files and listings.
    pub name: String,
    /// What the scene shows, in a sentence or two.
    pub shows: String,
    /// Things to try, one per entry.
    pub things_to_try: Vec<String>,
    /// Seed of every random number of the run.
    pub seed: u32,
    /// Fixed time step, s.
    pub dt: f32,
    /// The space the agents live in.
    pub world: World,
    /// Where the picture is taken from.
    pub camera: Camera,
    /// Where the target `mouse` is until a pointer moves it, u.
    pub mouse: Vec3,
    /// The flow field, if the scene has one.
    pub field: Option<Field>,
    /// What agents explore and forage on, if the scene has it.
    pub ground: Option<Ground>,
    /// Obstacles, paths and the surface.
    pub scenery: Scenery,
    /// The kinds of agents, at least one. Agent ids are given in this order: species 0 has ids 0..count.
    pub species: Vec<Species>,
    /// The text the scene came from, for the record.
    pub source: SceneSource,
}

/// The space the agents live in, an axis-aligned box centered on the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct World {
    /// Extent along x, y, z, u. A planar world has z = 0.
    pub size: Vec3,
    /// True where the world has a third dimension.
    pub spatial: bool,
    /// What happens at the two ends of each axis. In a planar world the third entry is [`Boundary::Open`].
    pub boundary: [Boundary; 3],
    /// Distance from a contained wall at which agents start to turn back, u.
    pub margin: f32,
}

/// The ground: a coarse grid over the world that counts visits and holds a resource.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ground {
    /// Cells along the longest axis.
    pub resolution: u32,
    /// Time after which counts of visits are halved, s; 0 is never.
    pub half_life: f32,
    /// Round patches of the resource, at random places.
    pub patches: u32,
    /// Radius of a patch, u.
    pub patch_radius: f32,
    /// Units of the resource in each cell of a patch.
    pub amount: u32,
    /// Units that an agent takes in a second.
    pub intake: f32,
    /// Units that grow back in a second in each cell of a patch.
    pub regrowth: f32,
}

impl Ground {
    /// Most cells to each side that a search of the ground visits.
    pub fn reach(spatial: bool) -> u32 {
        if spatial { 6 } else { 16 }
    }
}

/// What happens at the two ends of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Boundary {
    /// The ends are joined; distances are minimum-image distances.
    Wrap,
    /// Agents steer back within the margin, and the wall itself stops them.
    Contain,
    /// Nothing happens; agents leave freely and still see each other outside.
    Open,
}

/// Where the picture is taken from. The camera frames the world; these adjust it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Point at the center of the picture, u.
    pub center: Vec3,
    /// 1 frames the whole world, 2 shows half of its height.
    pub zoom: f32,
    /// Rotation about the vertical axis, degrees (spatial worlds).
    pub yaw: f32,
    /// Elevation above the horizontal, degrees (spatial worlds).
    pub pitch: f32,
}

/// One kind of agent: its body, its vehicle and its behaviors.
#[derive(Debug, Clone, PartialEq)]
pub struct Species {
    /// Name, unique within the scene.
    pub name: String,
    /// Number of agents.
    pub count: u32,
    /// Mass, kg.
    pub mass: f32,
    /// Speed is never above this, u/s.
    pub max_speed: f32,
    /// Speed is never below this, u/s.
    pub min_speed: f32,
    /// Length of the steering force is never above this, kg·u/s².
    pub max_force: f32,
    /// Body radius, u: half the length of the drawn triangle.
    pub radius: f32,
    /// Time in which a desired velocity would be reached, s: acceleration = (desired − velocity) / time_constant.
    /// 0 means `update_every` time steps.
    pub time_constant: f32,
    /// How the agents are colored.
    pub color: Color,
    /// Where and how fast the agents start.
    pub spawn: Spawn,
    /// Bit s is set where agents perceive species s; a behavior's own key `perceives` goes before.
    pub perceives: u32,
    /// Only so many of the nearest agents are perceived (topological neighborhood); 0 is no limit.
    pub k_nearest: u32,
    /// How the accelerations of the behaviors become one.
    pub combine: Combine,
    /// Chance of each priority, 0 to 7, to be considered, where `combine` is dithered.
    pub dither: [f32; 8],
    /// Behaviors are evaluated in every k-th step only, at a phase of each agent's own; between, the last result holds.
    pub update_every: u32,
    /// Time in which steering follows what the behaviors say, s: a low-pass filter. 0 is at once.
    pub smoothing_time: f32,
    /// Names of the action states; the first is that of the start.
    pub states: Vec<String>,
    /// When the action state changes; the first rule that holds does it.
    pub rules: Vec<ActionRule>,
    /// How its body turns steering into motion.
    pub vehicle: Vehicle,
    /// One entry for each row of [`BEHAVIORS`], in that order.
    pub behaviors: Vec<Behavior>,
}

/// How the accelerations of the behaviors become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combine {
    /// Their weighted sum (Reynolds 1987).
    Weighted,
    /// Each is brought to unit length, then weighted (Reynolds 1999, flocking).
    Normalized,
    /// The first priority whose sum is not zero.
    Priority,
    /// By priority, as long as something of the largest acceleration is left (Buckland's running sum).
    Budget,
    /// The first priority that is drawn and whose sum is not zero (prioritized dithering).
    Dithered,
}

impl Combine {
    /// Does one priority decide alone?
    pub fn decides(self) -> bool {
        matches!(self, Combine::Priority | Combine::Dithered)
    }
}

/// How agents are colored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Color {
    /// By the direction of flight, on a cyclic color-blind-safe map.
    Heading,
    /// By speed between min_speed and max_speed, on a color-blind-safe map.
    Speed,
    /// One color, sRGB.
    Fixed([u8; 3]),
    /// By action state, in the order of the species' list.
    State,
    /// By the priority that decided in the latest step; gray where none did.
    Winner,
}

/// Where and how fast agents start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spawn {
    /// Shape of the region, centered on the origin.
    pub shape: SpawnShape,
    /// Extent of the region as a fraction of the world, 0 to 1.
    pub extent: f32,
    /// Starting speed, u/s, in a random direction.
    pub speed: f32,
}

/// Shape of the region in which agents start, uniformly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpawnShape {
    /// The world's box, scaled.
    Box,
    /// The ellipsoid inscribed in that box.
    Ball,
}

/// The settings of one behavior of one species.
#[derive(Debug, Clone, PartialEq)]
pub struct Behavior {
    /// A behavior that is not enabled costs nothing.
    pub enabled: bool,
    /// Factor of its acceleration.
    pub weight: f32,
    /// A shorter acceleration counts as this long where accelerations are normalized, u/s².
    pub floor: f32,
    /// 0 to 7; smaller ones go first where `combine` has an order.
    pub priority: u32,
    /// Bit s is set where the behavior acts in action state s.
    pub states: u32,
    /// One value for each parameter of its [`BehaviorSpec`], in that order.
    pub parameters: Vec<Setting>,
}

/// The value of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Setting {
    /// A number; of a choice, its index.
    Number(f32),
    /// One number for each axis.
    Vector(Vec3),
    /// What the agent heads for.
    Target(Target),
    /// Bit s is set for species s; none where the species' own key `perceives` holds.
    Species(Option<u32>),
    /// Index of a path.
    Path(u32),
}

impl Setting {
    /// The number of a parameter that is one, or else 0.
    pub fn number(self) -> f32 {
        match self {
            Setting::Number(number) => number,
            _ => 0.0,
        }
    }
}

impl Scene {
    /// Number of agents of all species.
    pub fn agent_count(&self) -> u32 {
        self.species.iter().map(|s| s.count).sum()
    }

    /// Is the named behavior enabled, with a weight that is not zero, in any species?
    pub fn uses(&self, behavior: &str) -> bool {
        let row = behavior_index(behavior).expect("a behavior of the registry");
        self.species.iter().any(|s| s.count > 0 && s.behaviors[row].acts())
    }

    /// Does anything head for the mouse?
    pub fn follows_mouse(&self) -> bool {
        self.species.iter().any(|s| s.targets().any(|target| target == Target::Mouse))
    }

    /// The largest perception radius of any behavior that acts, u; 0 where none perceives.
    pub fn perception_radius(&self) -> f32 {
        self.species.iter().map(Species::perception_radius).fold(0.0, f32::max)
    }
}

impl Species {
    /// The settings of the named behavior. Panics on a name that is not in [`BEHAVIORS`].
    pub fn behavior(&self, name: &str) -> &Behavior {
        &self.behaviors[behavior_index(name).expect("a behavior of the registry")]
    }

    /// The value of a parameter of a behavior. Panics on names that are not in [`BEHAVIORS`].
    pub fn setting(&self, behavior: &str, parameter: &str) -> Setting {
        let row = behavior_index(behavior).expect("a behavior of the registry");
        let column = BEHAVIORS[row].parameters.iter().position(|p| p.name == parameter);
        self.behaviors[row].parameters[column.expect("a parameter of the behavior")]
    }

    /// The number of a parameter of a behavior; of a choice, its index. Panics on names that are not in [`BEHAVIORS`].
    pub fn parameter(&self, behavior: &str, parameter: &str) -> f32 {
        self.setting(behavior, parameter).number()
    }

    /// The targets of the behaviors that act, and of the rules.
    pub fn targets(&self) -> impl Iterator<Item = Target> {
        let acting = self.behaviors.iter().filter(|b| b.acts()).flat_map(|b| &b.parameters);
        let of_behaviors = acting.filter_map(|setting| match setting {
            Setting::Target(target) => Some(*target),
            _ => None,
        });
        of_behaviors.chain(self.rules.iter().map(|rule| rule.target))
    }

    /// The largest perception radius of any neighborhood behavior that acts, u; 0 where none does.
    pub fn neighborhood_radius(&self) -> f32 {
        let radius = |(spec, behavior): (&BehaviorSpec, &Behavior)| {
            let column = spec.parameters.iter().position(|p| p.name == "perception_radius")?;
            behavior.acts().then(|| behavior.parameters[column].number())
        };
        BEHAVIORS.iter().zip(&self.behaviors).filter_map(radius).fold(0.0, f32::max)
    }

    /// The largest perception radius of any behavior that acts and of any target, u; 0 where none perceives.
    pub fn perception_radius(&self) -> f32 {
        let of_targets = self.targets().filter_map(|target| match target {
            Target::Nearest { perception_radius, .. } => Some(perception_radius),
            _ => None,
        });
        of_targets.fold(self.neighborhood_radius(), f32::max)
    }
}

impl Behavior {
    /// Does it contribute at all? A weight of zero removes a behavior to the bit.
    pub fn acts(&self) -> bool {
        self.enabled && self.weight != 0.0
    }
}
