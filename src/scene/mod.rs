//! What a user writes: one TOML file describes one world.
//!
//! A [`Scene`] is always valid: every way to make one ([`Scene::open`], [`Scene::parse`], [`Scene::edit`],
//! [`Draft::validate`]) checks types, ranges and the rules that tie keys together, and reports a [`SceneError`] that names
//! file, line, column, key, value and range.
//! Lengths are in world units (u), times in seconds, angles in degrees; the world is centered on the origin.

#[macro_use]
mod tables;

mod actions;
pub mod behavior_file;
mod behaviors;
mod broken;
mod build;
pub mod calls;
mod data;
pub mod dialects;
mod draft;
mod error;
mod experiment;
mod facts;
mod field;
mod keys;
mod limits;
mod lint;
mod look;
mod map;
mod mesh;
mod names;
mod observables;
mod own;
mod parameters;
mod parse;
mod presets;
mod read;
mod rules;
mod scatter;
mod scenery;
mod schema;
mod species;
mod target;
mod trail;
mod tree;
mod trial;
mod values;
mod vehicle;
mod world;
mod write;

pub use actions::{Condition, Transition};
pub use behaviors::{BEHAVIORS, BehaviorKind, BehaviorSpec, SYMBOLS, behavior_index, behavior_keys};
pub use dialects::Dialect;
pub use error::{LONGEST, SceneError, SourcePlace, nearest, shorten, shown, suggest};
pub use experiment::{Experiment, Fixed, SetValue, Spaced, Varied};
pub use facts::{Fact, Need, Wants, When};
pub(crate) use field::Stamp;
pub use field::{Field, FieldGrid, FieldSource, MOST_FIELD_BYTES};
pub(crate) use keys::MAX_SPECIES;
pub use keys::{Key, MAX_AGENTS, Range};
pub use lint::Lint;
pub use look::{Camera, ColorBy, Look, LookName, Pattern};
pub use map::{Map, MapFile, MapGoal, MapSource, MapStroke, Measure, Walls};
pub use mesh::{MeshFile, MeshSource, Triangle};
pub use observables::{OBSERVABLES, Observable, Quantity, Requested, state_columns};
pub use own::OwnBehavior;
pub(crate) use own::{MOST_REMEMBERED, MOST_REMEMBERING, on_a_large_stack};
pub use parameters::{Parameter, Stored};
pub use presets::{PRESETS, Preset};
pub use scenery::{Hill, Line, Obstacle, ObstacleShape, Path, Scenery, SeenFrom, Surface, Trajectory};
pub use schema::reference;
#[cfg(feature = "schema")]
pub use schema::schema;
pub use species::{
    Behavior, Body, Color, Combine, CombineWithin, Distribution, Setting, Spawn, SpawnHeading, SpawnShape, Species,
    Variation,
};
pub use tables::Table;
pub use target::Target;
pub use trail::{MOST_TRAIL, TrailFile};
pub use tree::{Override, SceneSource, content};
pub(crate) use trial::{Invalid, reason, spirv_options, validate};
pub use vehicle::{Banking, Facing, ForwardAcceleration, Integrator, Locomotion, Orientation, Vehicle};
pub use world::{Boundary, Ground, World};

use glam::Vec3;

/// A valid scene. It dereferences to its [`Draft`], whose fields can be read; [`Scene::edit`] gives a changed scene.
///
/// ```
/// use steerling::scene::{Scene, Setting};
///
/// let scene = Scene::open("flock", &[])?;
/// let calm = scene.edit(|draft| {
///     draft.dt = 0.01;
///     draft.species[0].set("cohesion", "weight", 0.5)
/// })?;
/// assert_eq!(calm.species[0].get("cohesion", "weight")?, Setting::Number(0.5));
/// let wrong = scene.edit(|draft| draft.species[0].set("cohesion", "wieght", 0.5)).unwrap_err();
/// assert!(wrong.to_string().contains("did you mean `weight`?"));
/// # Ok::<(), steerling::scene::SceneError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Scene(Draft);

table! {
    /// What a scene says, not yet checked: anything may be written into it, and [`Draft::validate`] makes a [`Scene`] of it.
    ///
    /// ```
    /// use steerling::scene::{Draft, Species};
    ///
    /// let mut birds = Species::new("birds", 1_000);
    /// birds.max_speed = 12.0;
    /// birds.enable("separation")?.enable("cohesion")?;
    /// birds.set("cohesion", "perception_radius", 8.0)?;
    /// let mut draft = Draft::new("starlings", [200.0, 100.0]);
    /// draft.species.push(birds);
    /// let scene = draft.validate()?;
    /// assert_eq!(scene.agent_count(), 1_000);
    /// # Ok::<(), steerling::scene::SceneError>(())
    /// ```
    #[derive(Debug, Clone, PartialEq)]
    pub struct Draft {
        /// Version of this layout.
        pub schema: u32 = required(Range::Whole { min: 1, max: 1 }),
        /// Short name, used for files and listings.
        pub name: String = described(Range::Name, "the name of the file"),
        /// What the scene shows, in a sentence or two.
        pub shows: String = described(Range::Text, "").or(Fallback::Text("")),
        /// Things to try, one per entry.
        pub things_to_try: Vec<String> = described(Range::Texts, "none"),
        /// Seed of every random number of the run.
        pub seed: u32 = whole(0, u32::MAX, 1),
        /// The dialect whose defaults hold for the keys of species that the file does not give: see below.
        pub dialect: Dialect = choice(Dialect::WORDS),
        /// Fixed time step.
        pub dt: f32 = number("s", 1e-6, 1.0, 1.0 / 60.0),
        /// Where the target `mouse` is until a pointer moves it.
        pub mouse: Vec3 = place(),
        /// The space the agents live in, centered on the origin.
        pub world: World = required(Range::Table(World::KEYS)),
        /// Where the picture is taken from.
        pub camera: Camera = described(Range::Table(Camera::KEYS), "frames the whole world"),
        /// How the picture looks.
        pub look: Look = described(Range::Table(Look::KEYS), "night"),
        /// Observables that each row of metrics holds in addition to the standard ones, by their names in docs/observables.md, such as
        /// "milling, groups:2.5"; the number is a distance, u.
        pub observe: String = described(Range::Text, "").or(Fallback::Text("")),
        /// What comes before the first picture.
        pub start: Start = described(Range::Table(Start::KEYS), "none"),
        /// The flow field that `flow_field` follows.
        pub field: Option<Field> = described(Range::Table(Field::KEYS), "no field"),
        /// Walls of any shape.
        pub map: Option<Map> = described(Range::Table(Map::KEYS), "no map"),
        /// The visits, the resource and the trail that `explore`, `forage` and `follow_trail` look at.
        pub ground: Option<Ground> = described(Range::Table(Ground::KEYS), "no ground"),
        /// The kinds of agents, 1 to 32.
        ///
        /// Agent ids are given in this order: species 0 has ids 0..count.
        pub species: Vec<Species> = required(Range::Tables(Species::KEYS, MAX_SPECIES)),
        /// Behaviors of your own, up to 8, each a WGSL file.
        pub own_behaviors: Vec<OwnBehavior> =
            described(Range::Tables(OwnBehavior::KEYS, own::MAX_OWN), "none").named("behavior", ""),
        with
        /// Obstacles, paths and the surface.
        pub scenery: Scenery,
        beside
        /// The text the scene came from, for the record.
        pub source: SceneSource,
    }
}

table! {
    /// What comes before the first picture.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Start {
        /// Steps that `view` and `render` take before they show anything; the window takes them for at most two seconds. `run` and
        /// `verify` start at step 0.
        pub steps: u32 = whole(0, 1_000_000, 0),
    }
}

impl Draft {
    /// All behaviors that the draft's species may have: the built-in ones, then those of `own_behaviors`.
    pub fn registry(&self) -> impl Iterator<Item = &'static BehaviorSpec> {
        BEHAVIORS.iter().chain(self.own_behaviors.iter().filter_map(OwnBehavior::spec))
    }
}

impl Scene {
    /// Number of agents of all species.
    pub fn agent_count(&self) -> u32 {
        self.species.iter().map(|s| s.count).sum()
    }

    /// The ids of the agents of the species with this index, which are consecutive. `None` if there is no such species.
    pub fn species_ids(&self, species: usize) -> Option<std::ops::Range<u32>> {
        let count = self.species.get(species)?.count;
        let first = self.species[..species].iter().map(|species| species.count).sum();
        Some(first..first + count)
    }

    /// The species of the agent with this id.
    pub fn species_of(&self, id: u32) -> Option<&Species> {
        let ends = self.species.iter().scan(0, |end, species| {
            *end += species.count;
            Some((*end, species))
        });
        ends.into_iter().find(|(end, _)| id < *end).map(|(_, species)| species)
    }

    /// Is the named behavior enabled, with a weight that is not zero, in any species?
    pub fn uses(&self, behavior: &str) -> bool {
        self.species.iter().any(|s| s.count > 0 && s.active_behavior(behavior).is_some())
    }

    /// Does any active behavior or rule have the target `mouse`?
    pub fn follows_mouse(&self) -> bool {
        self.species.iter().any(|s| s.targets().any(|target| target == Target::Mouse))
    }

    /// The largest perception radius of any active behavior, u; 0 where none perceives.
    pub fn perception_radius(&self) -> f32 {
        self.species.iter().map(Species::perception_radius).fold(0.0, f32::max)
    }

    /// The most agents that a grid cell may hold before it counts as crowded: [`World::crowd`] times the number of agents per
    /// perceiving agent (1 to 16), because agents that perceive nothing cost nothing.
    pub(crate) fn crowd(&self) -> u32 {
        let perceiving = self.species.iter().filter(|s| s.perception_radius() > 0.0).map(|s| s.count).sum::<u32>();
        self.world.crowd * (self.agent_count() / perceiving.max(1)).clamp(1, 16)
    }
}
