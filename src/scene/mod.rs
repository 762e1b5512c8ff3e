//! What a user writes: one TOML file describes one world.
//!
//! A [`Scene`] is always valid: every way to make one ([`Scene::open`], [`Scene::parse`], [`Scene::edit`],
//! [`Draft::validate`]) checks types, ranges and the rules that tie keys together, and reports a [`SceneError`] that names
//! file, line, column, key, value and range.
//! Lengths are in world units (u), times in seconds, angles in degrees; the world is centered on the origin.

#[macro_use]
mod keys;

mod actions;
pub mod behavior_file;
mod behaviors;
mod build;
pub mod calls;
pub mod dialects;
mod draft;
mod error;
mod facts;
mod field;
mod lint;
mod own;
mod parse;
mod presets;
mod read;
mod rules;
mod scatter;
mod scenery;
mod schema;
mod target;
mod tree;
mod vehicle;
mod write;

pub use actions::{Condition, Transition};
pub use behaviors::{BEHAVIORS, BehaviorKind, BehaviorSpec, Parameter, SYMBOLS, Stored, behavior_index};
pub use dialects::Dialect;
pub use error::{LONGEST, SceneError, SourcePlace, nearest, shorten, shown, suggest};
pub use facts::{Fact, Need, Wants, When};
pub use field::{Field, FieldGrid, FieldSource};
#[cfg(feature = "render")]
pub(crate) use keys::MAX_SPECIES;
pub use keys::{Key, Range, Table, behavior_keys};
pub use lint::Lint;
pub use own::OwnBehavior;
pub(crate) use own::{MOST_REMEMBERED, MOST_REMEMBERING, on_a_large_stack};
pub use parse::{Override, SceneSource};
pub use presets::{PRESETS, Preset};
pub use scenery::{Hill, Obstacle, ObstacleShape, Path, Scenery, SeenFrom, Surface, Trajectory};
pub use schema::reference;
#[cfg(feature = "schema")]
pub use schema::schema;
pub use target::Target;
pub use vehicle::{Banking, Facing, ForwardAcceleration, Integrator, Locomotion, Orientation, Vehicle};

use glam::Vec3;
use keys::{MAX_STATES, PRIORITIES};

/// A valid scene. Its fields are those of its [`Draft`], to be read; [`Scene::edit`] gives a changed scene.
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
        pub name: String = told(Range::Name, "the name of the file"),
        /// What the scene shows, in a sentence or two.
        pub shows: String = told(Range::Text, "").or(Fallback::Text("")),
        /// Things to try, one per entry.
        pub things_to_try: Vec<String> = told(Range::Texts, "none"),
        /// Seed of every random number of the run.
        pub seed: u32 = whole(0, u32::MAX, 1),
        /// Whose defaults hold for the keys of species that the file does not give: see below.
        pub dialect: Dialect = choice(Dialect::WORDS),
        /// Fixed time step.
        pub dt: f32 = number("s", 1e-6, 1.0, 1.0 / 60.0),
        /// Where the target `mouse` is until a pointer moves it.
        pub mouse: Vec3 = place(),
        /// The space the agents live in, centered on the origin.
        pub world: World = required(Range::Table(World::KEYS)),
        /// Where the picture is taken from.
        pub camera: Camera = told(Range::Table(Camera::KEYS), "frames the whole world"),
        /// How the picture looks.
        pub look: Look = told(Range::Table(Look::KEYS), "night"),
        /// What comes before the first picture.
        pub start: Start = told(Range::Table(Start::KEYS), "none"),
        /// The flow field that `flow_field` follows.
        pub field: Option<Field> = told(Range::Table(Field::KEYS), "no field"),
        /// What `explore`, `forage` and `follow_trail` look at.
        pub ground: Option<Ground> = told(Range::Table(Ground::KEYS), "no ground"),
        /// The kinds of agents, 1 to 32.
        ///
        /// Agent ids are given in this order: species 0 has ids 0..count.
        pub species: Vec<Species> = required(Range::Tables(Species::KEYS, MAX_SPECIES)),
        /// Behaviors of your own, up to 8, each a WGSL file.
        pub own_behaviors: Vec<OwnBehavior> =
            told(Range::Tables(OwnBehavior::KEYS, own::MAX_OWN), "none").named("behavior", ""),
        with
        /// Obstacles, paths and the surface.
        pub scenery: Scenery,
        beside
        /// The text the scene came from, for the record.
        pub source: SceneSource,
    }
}

table! {
    /// The space the agents live in, an axis-aligned box centered on the origin.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct World {
        /// Extent along x and y, or x, y and z; two numbers make a planar world.
        ///
        /// A planar world has z = 0.
        pub size: Vec3 = required(Range::Vector { min: 1e-3, max: 1e7 }).in_unit("u"),
        /// At the ends of each axis: wrap joins them, contain turns agents back, open lets them go.
        ///
        /// In a planar world the third entry is [`Boundary::Open`].
        pub boundary: [Boundary; 3] = told(Range::Axes(Boundary::WORDS), "").or(Fallback::Text("wrap")),
        /// Distance from a contained wall at which agents start to turn back.
        pub margin: f32 = number("u", 0.0, 1e6, 10.0),
        /// A cell of the grid with more agents than this shows a sample of at least half as many or so; nobody perceives the
        /// others, which steer as all do. It bounds the cost of flocks that collapse. Where only one agent of n perceives others,
        /// it is n times as much, up to 16.
        pub crowd: u32 = whole(1, 16_777_216, 512),
        beside
        /// True where the world has a third dimension.
        pub spatial: bool,
    }
}

table! {
    /// The ground: a coarse grid over the world that counts visits and holds a resource and a trail.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Ground {
        /// Cells along the longest axis; at most 2^22 in all.
        pub resolution: u32 = whole(2, 512, 64),
        /// Time after which counts of visits are halved; 0 is never.
        pub half_life: f32 = number("s", 0.0, 1e6, 0.0),
        /// Round patches of a resource, at random places.
        pub patches: u32 = whole(0, 256, 0),
        /// Radius of a patch.
        pub patch_radius: f32 = number("u", 0.0, 1e6, 10.0),
        /// Units of the resource in each cell of a patch.
        pub amount: u32 = whole(0, 1_000_000, 100),
        /// Units that an agent takes; one agent of a cell at a time.
        pub intake: f32 = number("1/s", 0.0, 1e4, 10.0),
        /// Units that grow back in each cell of a patch.
        pub regrowth: f32 = number("1/s", 0.0, 1e4, 0.0),
        /// Time after which half of a trail has faded; 0 is never.
        pub trail_half_life: f32 = number("s", 0.0, 1e6, 10.0),
        /// How fast a trail spreads: its variance along each axis grows by twice this in a second. Whole units only go
        /// to the next cell, so a trail of few units stays where it is.
        pub trail_spread: f32 = number("u²/s", 0.0, 1e9, 0.0),
    }
}

impl Ground {
    /// Most cells to each side that a search of the ground visits.
    pub fn reach(spatial: bool) -> u32 {
        if spatial { 6 } else { 16 }
    }

    /// Cells along each axis: as square as whole numbers of them allow.
    pub fn cells(&self, world: &World) -> [u32; 3] {
        let along = |axis: usize| {
            (world.size[axis] / world.size.max_element() * self.resolution as f32).round().max(1.0) as u32
        };
        [along(0), along(1), if world.spatial { along(2) } else { 1 }]
    }

    /// The share of a cell's trail that each neighbor along an axis gets in a step, if the trail spreads by 1 u²/s; none
    /// where there is no neighbor.
    fn shares_of_one(&self, world: &World, dt: f32) -> [f64; 3] {
        let cells = self.cells(world);
        [0, 1, 2].map(|axis| {
            let cell = f64::from(world.size[axis]) / f64::from(cells[axis]);
            if cells[axis] > 1 { f64::from(dt) / (cell * cell) } else { 0.0 }
        })
    }

    /// How fast a trail can spread, u²/s: in a step a cell gives away no more than it has.
    pub(crate) fn fastest_spread(&self, world: &World, dt: f32) -> f64 {
        0.5 / self.shares_of_one(world, dt).iter().sum::<f64>()
    }

    /// The share of a cell's trail that each neighbor along an axis gets in a step.
    pub(crate) fn shares(&self, world: &World, dt: f32) -> [f64; 3] {
        let spread = f64::from(self.trail_spread).min(self.fastest_spread(world, dt));
        self.shares_of_one(world, dt).map(|share| share * spread)
    }
}

words! {
    /// What happens at the two ends of an axis.
    pub enum Boundary {
        /// The ends are joined; distances are minimum-image distances.
        Wrap = "wrap",
        /// Agents steer back within the margin, and the wall itself stops them.
        Contain = "contain",
        /// Nothing happens; agents leave freely and still see each other outside.
        Open = "open",
    }
}

table! {
    /// Where the picture is taken from. The camera frames the world; these adjust it.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Camera {
        /// Point at the center of the picture.
        pub center: Vec3 = place(),
        /// 1 frames the whole world, 2 shows half of its height.
        pub zoom: f32 = number("", 1e-3, 1e6, 1.0),
        /// Rotation about the vertical axis, in spatial worlds.
        pub yaw: f32 = number("deg", -360.0, 360.0, 30.0),
        /// Elevation above the horizontal, in spatial worlds; below zero it looks up.
        pub pitch: f32 = number("deg", -90.0, 90.0, 20.0),
        /// True where it follows the agents in place of the world, in spatial worlds: they fill two thirds of the picture.
        pub follow: bool = flag(),
        /// How fast it goes around, in spatial worlds.
        pub turn: f32 = number("deg/s", -360.0, 360.0, 0.0),
    }
}

table! {
    /// How the picture looks.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Look {
        /// The sky, the ink, and whether agents are light or dark: night, dusk, day, ink on paper, or the deep sea.
        pub name: LookName = choice(LookName::WORDS),
        /// What the color of all agents tells, in place of what their species say. Own: as the species say; heading, speed, species,
        /// state, winner: as there; neighbors: how many at least one behavior perceives; density: agents around, per area or
        /// volume; force: steering, of the largest that is allowed; depth: how near to the camera; error: how far the GPU's step is off the
        /// CPU reference's from the same state, as a share of max_speed. Neighbors, density, force and error are those of the
        /// latest step.
        pub color: ColorBy = choice(ColorBy::WORDS),
    }
}

words! {
    /// What the color of all agents tells.
    pub enum ColorBy {
        /// What their species say.
        Own = "own",
        /// The direction of flight.
        Heading = "heading",
        /// Speed, between the least and the greatest of the species.
        Speed = "speed",
        /// The species.
        Species = "species",
        /// The action state.
        State = "state",
        /// The priority that decided in the latest step.
        Winner = "winner",
        /// Neighbors that at least one behavior perceived in the latest step.
        Neighbors = "neighbors",
        /// Agents per area or volume around, as the latest step began.
        Density = "density",
        /// Length of the steering, as a share of the largest that the species allows.
        Force = "force",
        /// How near to the camera.
        Depth = "depth",
        /// How far the latest step of the GPU is off that of the CPU reference from the same state.
        Error = "error",
    }
}

impl ColorBy {
    /// Does it tell agents of this scene apart, in another way than their own colors do?
    pub fn tells(self, scene: &Draft) -> bool {
        let any = |has: fn(&Species) -> bool| scene.species.iter().any(has);
        match self {
            ColorBy::Own | ColorBy::Force | ColorBy::Error => true,
            ColorBy::Heading => any(|species| species.color != Color::Heading),
            ColorBy::Speed => any(|species| species.color != Color::Speed && species.max_speed > species.min_speed),
            ColorBy::Species => scene.species.len() > 1 && any(|species| species.color != Color::Species),
            ColorBy::State => any(|species| species.color != Color::State && !species.rules.is_empty()),
            ColorBy::Winner => any(|species| species.color != Color::Winner && species.combine.decides()),
            ColorBy::Neighbors | ColorBy::Density => any(|species| species.perception_radius() > 0.0),
            ColorBy::Depth => scene.world.spatial,
        }
    }

    /// The next one that tells something of this scene, and after the last the first. The error of the GPU takes the reference's
    /// time, and comes only where it is asked for by name.
    pub fn next(self, scene: &Draft) -> ColorBy {
        let at = ColorBy::ALL.iter().position(|by| *by == self).unwrap_or(0);
        let mut following = ColorBy::ALL.iter().cycle().skip(at + 1);
        let wanted = |by: &&ColorBy| **by == self || (**by != ColorBy::Error && by.tells(scene));
        following.find(wanted).copied().unwrap_or_default()
    }
}

words! {
    /// The looks.
    pub enum LookName {
        /// Light on a dark ground, in a box of faint lines.
        Night = "night",
        /// Dark against an evening sky, over a low horizon.
        Dusk = "dusk",
        /// Dark against a bright sky.
        Day = "day",
        /// Ink on paper.
        Ink = "ink",
        /// Pale in deep water.
        Deep = "deep",
    }
}

impl LookName {
    /// The next one, and after the last the first.
    pub fn next(self) -> LookName {
        let at = LookName::ALL.iter().position(|look| *look == self).unwrap_or(0);
        LookName::ALL[(at + 1) % LookName::ALL.len()]
    }
}

table! {
    /// What comes before the first picture.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Start {
        /// Steps that `view` and `render` take before they show anything: the window as many as two seconds allow. `run` and
        /// `verify` begin at the beginning.
        pub steps: u32 = whole(0, 1_000_000, 0),
    }
}

table! {
    /// One kind of agent: its body, its vehicle and its behaviors.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Species {
        /// Name, unique within the scene.
        pub name: String = told(Range::Text, "species N"),
        /// Number of agents; all species together at most 2^30.
        pub count: u32 = required(Range::Whole { min: 0, max: MAX_AGENTS }),
        /// Mass.
        pub mass: f32 = number("kg", 1e-6, 1e6, 1.0),
        /// Speed is never above this.
        pub max_speed: f32 = number("u/s", 0.0, 1e6, 20.0),
        /// Speed is never below this.
        pub min_speed: f32 = number("u/s", 0.0, 1e6, 0.0),
        /// The steering force is never longer than this.
        pub max_force: f32 = number("kg·u/s²", 0.0, 1e9, 60.0),
        /// How the bodies of its agents differ.
        pub variation: Variation = told(Range::Table(Variation::KEYS), "not at all"),
        /// Body radius: half the length that is drawn.
        pub radius: f32 = number("u", 0.0, 1e6, 0.5),
        /// What is drawn: an arrow, a bird whose wings beat, or a fish; from afar all are streaks.
        pub body: Body = choice(Body::WORDS),
        /// Time to reach a desired velocity; 0 is update_every time steps.
        pub time_constant: f32 = number("s", 0.0, 1e3, 0.25),
        /// Heading, speed: by those; state: by action state; winner: by the priority that decided, gray where none did;
        /// ink: the one that the look has for it; species: one for each; or one color as "#rrggbb".
        pub color: Color = told(Range::Color(Color::WORDS), "").or(Fallback::Text("heading")),
        /// Where and how fast the agents start.
        pub spawn: Spawn = told(Range::Table(Spawn::KEYS), "the whole world"),
        /// Names of the species that its agents perceive.
        ///
        /// Bit s is set for species s; a behavior's own key `perceives` goes before.
        pub perceives: u32 = told(Range::Species, "all species"),
        /// Each behavior takes only so many of the nearest neighbors that it perceives; 0 is no limit.
        pub k_nearest: u32 = whole(0, 16, 0),
        /// Weighted: sum; normalized: each of unit length, then weighted; priority: the first that is not zero; budget: by
        /// priority within the largest acceleration; dithered: by chance.
        pub combine: Combine = choice(Combine::WORDS),
        /// A priority whose sum is shorter than this counts as zero, where combine = priority or dithered; of angular
        /// behaviors, rad/s².
        pub silence: f32 = number("u/s²", 0.0, 1e6, 1e-3),
        /// Chance of each priority, from 0 on, where combine = dithered.
        pub dither: [f32; PRIORITIES] =
            told(Range::Numbers { min: 0.0, max: 1.0, most: PRIORITIES }, "0.8 each"),
        /// Steer in every k-th step only, each agent at its own phase, and hold the steering between.
        pub update_every: u32 = whole(1, 64, 1),
        /// Steering follows what the behaviors say within this time; 0 is at once.
        pub smoothing_time: f32 = number("s", 0.0, 1e3, 0.0),
        /// Action states; the first is that of the start.
        pub states: Vec<String> = told(Range::Names(MAX_STATES), "one, without a name"),
        /// Factor of max_speed in each action state, in their order; 1 for those beyond the list.
        ///
        /// The speed is never below min_speed all the same.
        pub state_speeds: [f32; MAX_STATES] =
            told(Range::Numbers { min: 0.0, max: 100.0, most: MAX_STATES }, "1 each"),
        /// Factor of max_force in each action state.
        pub state_forces: [f32; MAX_STATES] =
            told(Range::Numbers { min: 0.0, max: 100.0, most: MAX_STATES }, "1 each"),
        /// Units that an agent lays on the trail of the ground, in the cell that it is in; in whole units.
        pub deposit: f32 = number("1/s", 0.0, 1e4, 0.0),
        /// Action states in which it does.
        ///
        /// Bit s is set for state s.
        pub deposit_states: u32 = told(Range::States, "all"),
        /// When the action state changes: the first that holds does it; up to 16.
        pub rules: Vec<Transition> = told(Range::Tables(Transition::KEYS, MAX_RULES), "none"),
        /// How the body turns steering into motion.
        pub vehicle: Vehicle = told(Range::Table(Vehicle::KEYS), "a point mass"),
        /// How the agents steer: one table for each behavior.
        ///
        /// One entry for each row of [`BEHAVIORS`], in that order, and then one for each of [`Draft::own_behaviors`].
        pub behaviors: Vec<Behavior> = told(Range::Behaviors, "none"),
    }
}

table! {
    /// What of a body is drawn for each agent, by its id and the seed of the scene: it keeps it for all time.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Variation {
        /// Spread of max_speed, which is the mean; nobody's is below the own least speed.
        pub max_speed: f32 = number("u/s", 0.0, 1e6, 0.0),
        /// Spread of min_speed, which is the mean; nobody's is below 0, or above the species' max_speed.
        pub min_speed: f32 = number("u/s", 0.0, 1e6, 0.0),
        /// Spread of max_force, which is the mean.
        pub max_force: f32 = number("kg·u/s²", 0.0, 1e9, 0.0),
        /// Spread of mass, which is the mean; nobody's is below a tenth of that.
        pub mass: f32 = number("kg", 0.0, 1e6, 0.0),
        /// Spread of radius, which is the mean; nobody's is below a tenth of that.
        pub radius: f32 = number("u", 0.0, 1e6, 0.0),
        /// Spread of time_constant, which is the mean; nobody's is below a tenth of that.
        pub time_constant: f32 = number("s", 0.0, 1e3, 0.0),
        /// Spread of the vehicle's max_angular_speed, which is the mean; nobody turns backward.
        pub max_angular_speed: f32 = number("deg/s", 0.0, 1e6, 0.0),
        /// Spread of the vehicle's max_angular_acceleration, which is the mean; nobody's is below 0, as of all that follow.
        pub max_angular_acceleration: f32 = number("deg/s²", 0.0, 1e9, 0.0),
        /// Spread of the vehicle's moment_of_inertia, which is the mean; nobody's is below a tenth of that.
        pub moment_of_inertia: f32 = number("kg·u²", 0.0, 1e9, 0.0),
        /// Spread of the vehicle's max_torque, which is the mean.
        pub max_torque: f32 = number("kg·u²/s²", 0.0, 1e9, 0.0),
        /// Spread of the vehicle's quadratic_drag, which is the mean.
        pub quadratic_drag: f32 = number("1/u", 0.0, 1e4, 0.0),
        /// Spread of the vehicle's low_speed, which is the mean.
        pub low_speed: f32 = number("u/s", 0.0, 1e6, 0.0),
        /// Spread of the vehicle's turn_loss, which is the mean.
        pub turn_loss: f32 = number("s", 0.0, 10.0, 0.0),
        /// Spread of the vehicle's max_reverse_speed, which is the mean; nobody is faster backward than its own max_speed.
        pub max_reverse_speed: f32 = number("u/s", 0.0, 1e6, 0.0),
        /// Spread of righting of the vehicle's banking, which is the mean.
        pub righting: f32 = number("", 0.0, 1e3, 0.0),
        /// Spread of leaning of the vehicle's banking, which is the mean.
        pub leaning: f32 = number("s²/u", 0.0, 1e3, 0.0),
        /// uniform: evenly up to the spread to both sides; normal: the spread is the standard deviation, 3.5 of them the most.
        pub distribution: Distribution = choice(Distribution::WORDS),
    }
}

words! {
    /// How drawn numbers are spread.
    pub enum Distribution {
        /// Evenly, up to the spread to both sides.
        Uniform = "uniform",
        /// The spread is the standard deviation. The sum of four draws, so that none is farther than 3.5 of them.
        Normal = "normal",
    }
}

words! {
    /// How the accelerations of the behaviors become one.
    pub enum Combine {
        /// Their weighted sum (Reynolds 1987).
        Weighted = "weighted",
        /// Each is brought to unit length, then weighted (Reynolds 1999, flocking).
        Normalized = "normalized",
        /// The first priority whose sum is not zero.
        Priority = "priority",
        /// By priority, as long as something of the largest acceleration is left (Buckland's running sum).
        Budget = "budget",
        /// The first priority that is drawn and whose sum is not zero (prioritized dithering).
        Dithered = "dithered",
    }
}

impl Combine {
    /// Does one priority decide alone?
    pub fn decides(self) -> bool {
        matches!(self, Combine::Priority | Combine::Dithered)
    }
}

/// How agents are colored.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Color {
    /// By the direction of flight, on a cyclic color-blind-safe map.
    #[default]
    Heading,
    /// By speed between min_speed and max_speed, on a color-blind-safe map.
    Speed,
    /// By action state, in the order of the species' list.
    State,
    /// By the priority that decided in the latest step; gray where none did.
    Winner,
    /// The color that a look has for agents.
    Ink,
    /// One for each species, in their order.
    Species,
    /// One color, sRGB.
    Fixed([u8; 3]),
}

table! {
    /// Where and how fast agents start: in a region centered on the origin.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Spawn {
        /// Region of the start: box, or the ball within it.
        pub shape: SpawnShape = choice(SpawnShape::WORDS),
        /// Extent of that region as a fraction of the world.
        pub extent: f32 = number("", 0.0, 1.0, 1.0),
        /// Starting speed.
        pub speed: Option<f32> = limit("u/s", 0.0, 1e6, "max_speed"),
        /// Directions of the start: random for each agent, or one, level and almost the same, for all of the species.
        pub heading: SpawnHeading = choice(SpawnHeading::WORDS),
    }
}

words! {
    /// Which way agents start.
    pub enum SpawnHeading {
        /// Each in a direction of its own.
        Random = "random",
        /// All of a species about the same way: they start as a flock.
        Shared = "shared",
    }
}

words! {
    /// What is drawn of an agent that is large enough to be seen.
    pub enum Body {
        /// A triangle.
        Arrow = "arrow",
        /// Two wings that beat.
        Bird = "bird",
        /// A lens with a tail that swings.
        Fish = "fish",
    }
}

words! {
    /// Shape of the region in which agents start, uniformly.
    pub enum SpawnShape {
        /// The world's box, scaled.
        Box = "box",
        /// The ellipsoid inscribed in that box.
        Ball = "ball",
    }
}

/// The settings of one behavior of one species.
#[derive(Debug, Clone, PartialEq)]
pub struct Behavior {
    /// What describes it.
    pub spec: &'static BehaviorSpec,
    /// A behavior that is not enabled costs nothing.
    pub enabled: bool,
    /// Factor of its acceleration.
    pub weight: f32,
    /// How far that differs from agent to agent, as [`Species::variation`] says.
    pub weight_spread: f32,
    /// A shorter acceleration counts as this long where accelerations are normalized, u/s².
    pub floor: f32,
    /// 0 to 7; smaller ones go first where `combine` has an order.
    pub priority: u32,
    /// Bit s is set where the behavior is active in action state s.
    pub states: u32,
    /// Factor of its weight in each action state.
    pub state_weights: [f32; MAX_STATES],
    /// Length of the random vector that is added to what it says, as a share of that.
    pub jitter: f32,
    /// Longest acceleration that it may ask for before its weight, u/s² (of angular behaviors rad/s²); 0 for any.
    pub limit: f32,
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

    /// The ids of the agents of a species, by its index: they are in a row. None for an index that no species has.
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

    /// All behaviors that its species may have: the built-in ones, then its own.
    pub fn registry(&self) -> impl Iterator<Item = &'static BehaviorSpec> {
        BEHAVIORS.iter().chain(self.own_behaviors.iter().filter_map(OwnBehavior::spec))
    }

    /// Does any active behavior or rule have the target `mouse`?
    pub fn follows_mouse(&self) -> bool {
        self.species.iter().any(|s| s.targets().any(|target| target == Target::Mouse))
    }

    /// The largest perception radius of any active behavior, u; 0 where none perceives.
    pub fn perception_radius(&self) -> f32 {
        self.species.iter().map(Species::perception_radius).fold(0.0, f32::max)
    }

    /// Agents that a cell of the grid holds at most without being crowded: [`World::crowd`], times as many as there are to each that
    /// perceives, because the others cost nothing.
    pub(crate) fn crowd(&self) -> u32 {
        let perceiving = self.species.iter().filter(|s| s.perception_radius() > 0.0).map(|s| s.count).sum::<u32>();
        self.world.crowd * (self.agent_count() / perceiving.max(1)).clamp(1, 16)
    }
}

impl Variation {
    /// How far the farthest is from the mean, in spreads.
    pub(crate) fn farthest(&self) -> f32 {
        if self.distribution == Distribution::Normal { 3.5 } else { 1.0 }
    }

    /// Do any two agents differ?
    pub(crate) fn differs(&self) -> bool {
        self.bodies_differ() || self.vehicles_differ()
    }

    /// In what every body has, or in its greatest angular speed?
    pub(crate) fn bodies_differ(&self) -> bool {
        let Variation { max_speed, min_speed, max_force, mass, radius, time_constant, max_angular_speed, .. } = self;
        let spreads = [max_speed, min_speed, max_force, mass, radius, time_constant, max_angular_speed];
        spreads.into_iter().any(|spread| *spread > 0.0)
    }

    /// In what only vehicles have?
    pub(crate) fn vehicles_differ(&self) -> bool {
        let Variation { max_angular_acceleration, moment_of_inertia, max_torque, quadratic_drag, .. } = self;
        let Variation { low_speed, turn_loss, max_reverse_speed, righting, leaning, .. } = self;
        let of_turns = [max_angular_acceleration, moment_of_inertia, max_torque, righting, leaning];
        let spreads = of_turns.into_iter().chain([quadratic_drag, low_speed, turn_loss, max_reverse_speed]);
        spreads.into_iter().any(|spread| *spread > 0.0)
    }
}

impl Species {
    /// Its behaviors, each with its description.
    pub fn described(&self) -> impl Iterator<Item = (&'static BehaviorSpec, &Behavior)> {
        self.behaviors.iter().map(|behavior| (behavior.spec, behavior))
    }

    /// The named behavior, if it is active.
    pub fn active_behavior(&self, name: &str) -> Option<&Behavior> {
        self.behaviors.iter().find(|behavior| behavior.spec.name == name && behavior.is_active())
    }

    /// Speed at the start, u/s.
    pub fn start_speed(&self) -> f32 {
        self.spawn.speed.unwrap_or(self.max_speed)
    }

    /// The targets of the active behaviors, and of the rules.
    pub fn targets(&self) -> impl Iterator<Item = Target> {
        let acting = self.behaviors.iter().filter(|b| b.is_active()).flat_map(|b| &b.parameters);
        let of_behaviors = acting.filter_map(|setting| match setting {
            Setting::Target(target) => Some(*target),
            _ => None,
        });
        of_behaviors.chain(self.rules.iter().map(|rule| rule.target))
    }

    /// The greatest speed that any of its agents can have in any state, u/s.
    pub fn top_speed(&self) -> f32 {
        let farthest = self.variation.farthest();
        let fastest =
            self.state_speeds[..self.states.len().min(self.state_speeds.len())].iter().copied().fold(0.0, f32::max);
        let least = (self.min_speed + farthest * self.variation.min_speed).min(self.max_speed);
        ((self.max_speed + farthest * self.variation.max_speed) * fastest).max(least)
    }

    /// Does any action state change what a body can do?
    pub fn states_change_bodies(&self) -> bool {
        let factors = self.state_speeds.iter().chain(&self.state_forces);
        factors.into_iter().any(|factor| *factor != 1.0)
    }

    /// The different lists of `state_weights` of its active behaviors, but for those that change nothing: the first is 1.
    pub(crate) fn weight_rows(&self) -> Vec<[f32; MAX_STATES]> {
        let mut rows = vec![[1.0; MAX_STATES]];
        for behavior in self.behaviors.iter().filter(|behavior| behavior.is_active()) {
            if !rows.contains(&behavior.state_weights) {
                rows.push(behavior.state_weights);
            }
        }
        rows
    }

    /// The largest perception radius of any neighborhood behavior that acts, u; 0 where none does.
    pub fn neighborhood_radius(&self) -> f32 {
        let radius = |(spec, behavior): (&BehaviorSpec, &Behavior)| {
            let column = spec.parameters.iter().position(|p| p.name == "perception_radius")?;
            behavior.is_active().then(|| behavior.parameters.get(column).map_or(0.0, |setting| setting.number()))
        };
        self.described().filter_map(radius).fold(0.0, f32::max)
    }

    /// The largest perception radius of any active behavior and of any target, u; 0 where none perceives.
    pub fn perception_radius(&self) -> f32 {
        let of_targets = self.targets().filter_map(|target| match target {
            Target::Nearest { perception_radius, .. } => Some(perception_radius),
            _ => None,
        });
        of_targets.fold(self.neighborhood_radius(), f32::max)
    }
}

impl Behavior {
    /// Is it active: enabled, with a weight that is not zero? A weight of zero removes a behavior to the bit.
    pub fn is_active(&self) -> bool {
        self.enabled && self.weight != 0.0
    }

    /// The value of a parameter that it is known to have; see [`Species::get`] for any other.
    pub(crate) fn setting(&self, parameter: &str) -> Setting {
        let column = self.spec.parameters.iter().position(|p| p.name == parameter);
        self.parameters[column.expect("a parameter of the behavior")]
    }

    /// The number of a parameter that it is known to have; of a choice, its index.
    pub(crate) fn number(&self, parameter: &str) -> f32 {
        self.setting(parameter).number()
    }
}
