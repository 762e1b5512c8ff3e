//! The kinds of agents: bodies, how they start, and what they do.

use super::keys::{MAX_STATES, PRIORITIES};
use super::{BehaviorSpec, Path, Target, Transition, Vehicle, When};
use glam::Vec3;

table! {
    /// One kind of agent: its body, its vehicle and its behaviors.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Species {
        /// Name, unique within the scene.
        pub name: String = described(Range::Text, "species N"),
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
        pub variation: Variation = described(Range::Table(Variation::KEYS), "not at all"),
        /// Body radius: about half the length that is drawn, and half the width of a person.
        pub radius: f32 = number("u", 0.0, 1e6, 0.5),
        /// True: bodies that overlap are moved apart at the end of each step, and out of walls and obstacles, whatever the forces are.
        pub collide: bool = flag(),
        /// What is drawn, about as long as twice the radius, a person about as wide; from afar all are streaks.
        pub body: Body = choice(Body::WORDS),
        /// Time to reach a desired velocity; 0 is update_every time steps.
        pub time_constant: f32 = number("s", 0.0, 1e3, 0.25),
        /// Heading, speed: by these values; state: by action state; winner: by the priority that decided, gray where none did (all of
        /// one color where `combine` lets none decide);
        /// ink: the color that the look has for agents; species: one color for each species; or one color as "#rrggbb".
        pub color: Color = described(Range::Color(Color::WORDS), "").or(Fallback::Text("heading")),
        /// The goal of the map at which its agents leave: an agent that ends a step there is gone for good.
        pub leaves: Option<u32> = described(Range::Goal, "they stay"),
        /// Agents that enter per second, one after another by their ids, each where it would start; 0: all are there from the start.
        pub enters: f32 = number("1/s", 0.0, 1e6, 0.0),
        /// Where and how fast the agents start.
        pub spawn: Spawn = described(Range::Table(Spawn::KEYS), "the whole world"),
        /// Names of the species that its agents perceive.
        ///
        /// Bit s is set for species s. A behavior's own key `perceives` overrides it.
        pub perceives: u32 = described(Range::Species, "all species"),
        /// True: no behavior, target or rule perceives agents behind an obstacle or a wall of the map.
        pub line_of_sight: bool = flag(),
        /// Neighbors that each behavior takes: the nearest of those that it perceives, and all as near as the last; 0 is no limit.
        pub k_nearest: u32 = whole(0, 16, 0),
        /// Weighted: sum; normalized: each of unit length, then weighted; priority: the first that is not zero; budget: by
        /// priority within the largest acceleration; dithered: by chance.
        pub combine: Combine = choice(Combine::WORDS),
        /// How the behaviors of one priority are combined, where combine is by priority: weighted: sum; normalized: each of unit length,
        /// then weighted; first: the one of the smallest `rank` that is longer than `silence`, alone.
        ///
        /// One for each priority, from 0 on.
        pub combine_within: [CombineWithin; PRIORITIES] =
            described(Range::Words(CombineWithin::WORDS, PRIORITIES), "weighted"),
        /// A priority whose sum is shorter than this counts as zero, where combine = priority or dithered, and a behavior where
        /// combine_within = first; of angular behaviors, rad/s².
        pub silence: f32 = number("u/s²", 0.0, 1e6, 1e-3),
        /// Chance of each priority, from 0 on, where combine = dithered.
        pub dither: [f32; PRIORITIES] =
            described(Range::Numbers { min: 0.0, max: 1.0, most: PRIORITIES }, "0.8 each"),
        /// Steer in every k-th step only, each agent at its own phase, and hold the steering between.
        pub update_every: u32 = whole(1, 64, 1),
        /// Steering follows what the behaviors say within this time; 0 is at once. The turning of angular behaviors is not smoothed.
        pub smoothing_time: f32 = number("s", 0.0, 1e3, 0.0),
        /// Action states; agents start in the first.
        pub states: Vec<String> = described(Range::Names(MAX_STATES), "one, without a name"),
        /// Factor of max_speed in each action state, in their order; 1 beyond the end of the list.
        ///
        /// The speed is still never below min_speed.
        pub state_speeds: [f32; MAX_STATES] =
            described(Range::Numbers { min: 0.0, max: 100.0, most: MAX_STATES }, "1 each"),
        /// Factor of max_force in each action state.
        pub state_forces: [f32; MAX_STATES] =
            described(Range::Numbers { min: 0.0, max: 100.0, most: MAX_STATES }, "1 each"),
        /// Units that an agent lays on the trail of the ground, in the cell that it is in; in whole units.
        pub deposit: f32 = number("1/s", 0.0, 1e4, 0.0),
        /// Action states in which an agent lays its deposit.
        ///
        /// Bit s is set for state s.
        pub deposit_states: u32 = described(Range::States, "all"),
        /// Rules that change the action state: the first whose condition holds acts; up to 16.
        pub rules: Vec<Transition> = described(Range::Tables(Transition::KEYS, MAX_RULES), "none"),
        /// How the body turns steering into motion.
        pub vehicle: Vehicle = described(Range::Table(Vehicle::KEYS), "a point mass"),
        /// How the agents steer: one table for each behavior.
        ///
        /// One entry for each row of [`BEHAVIORS`](super::BEHAVIORS), in that order, then one for each of
        /// [`Draft::own_behaviors`](super::Draft::own_behaviors).
        pub behaviors: Vec<Behavior> = described(Range::Behaviors, "none"),
    }
}

impl Species {
    /// Its behaviors, each with its description.
    pub fn described(&self) -> impl Iterator<Item = (&'static BehaviorSpec, &Behavior)> {
        self.behaviors.iter().map(|behavior| (behavior.spec, behavior))
    }

    /// The named behavior, active or not.
    pub fn behavior(&self, name: &str) -> Option<&Behavior> {
        self.behaviors.iter().find(|behavior| behavior.spec.name == name)
    }

    /// The named behavior, if it is active.
    pub fn active_behavior(&self, name: &str) -> Option<&Behavior> {
        self.behavior(name).filter(|behavior| behavior.is_active())
    }

    /// How the behaviors of this behavior's priority are combined.
    pub(crate) fn way_within(&self, behavior: &Behavior) -> CombineWithin {
        self.combine_within.get(behavior.priority as usize).copied().unwrap_or_default()
    }

    /// Is the behavior's acceleration brought to unit length before it is weighted?
    pub(crate) fn normalizes(&self, behavior: &Behavior) -> bool {
        self.combine == Combine::Normalized || self.way_within(behavior) == CombineWithin::Normalized
    }

    /// Speed at the start, u/s.
    pub fn start_speed(&self) -> f32 {
        self.spawn.speed.unwrap_or(self.max_speed)
    }

    /// Can its agents be away: do they leave, or enter one after another?
    pub fn can_be_away(&self) -> bool {
        self.count > 0 && (self.leaves.is_some() || self.enters > 0.0)
    }

    /// The targets of the active behaviors, and of the rules.
    pub fn targets(&self) -> impl Iterator<Item = Target> {
        self.keys_of_targets().map(|(_, target)| target)
    }

    /// As [`Species::targets`], with the key of each, such as `behaviors.seek.target` and `rules.0.target`.
    pub(super) fn keys_of_targets(&self) -> impl Iterator<Item = (String, Target)> {
        let acting = self.behaviors.iter().filter(|b| b.is_active());
        let settings =
            acting.flat_map(|b| b.spec.parameters.iter().zip(&b.parameters).map(|(p, set)| (b.spec, p, set)));
        let of_behaviors = settings.filter_map(|(spec, parameter, setting)| match setting {
            Setting::Target(target) => Some((format!("behaviors.{}.{}", spec.name, parameter.name), *target)),
            _ => None,
        });
        let of_rules = self.rules.iter().enumerate().map(|(row, rule)| (format!("rules.{row}.target"), rule.target));
        of_behaviors.chain(of_rules)
    }

    /// The index of the path that it follows: the first among the path parameters of its active behaviors, or else the first
    /// among their targets.
    pub fn path(&self) -> Option<u32> {
        let settings = || self.behaviors.iter().filter(|b| b.is_active()).flat_map(|b| &b.parameters);
        let follows = |setting: &Setting| if let Setting::Path(path) = setting { Some(*path) } else { None };
        let heads_for = |setting: &Setting| match setting {
            Setting::Target(Target::Path(path)) => Some(*path),
            _ => None,
        };
        settings().find_map(follows).or_else(|| settings().find_map(heads_for))
    }

    /// The index of the first goal of the map among its targets: those of its active behaviors, then those of its rules.
    pub fn goal(&self) -> Option<u32> {
        self.targets().find_map(|target| if let Target::Goal { index, .. } = target { Some(index) } else { None })
    }

    /// The greatest speed that any of its agents can have in any state, u/s.
    pub fn top_speed(&self) -> f32 {
        let farthest = self.variation.farthest();
        let fastest =
            self.state_speeds[..self.states.len().min(self.state_speeds.len())].iter().copied().fold(0.0, f32::max);
        let least = (self.min_speed + farthest * self.variation.min_speed).min(self.max_speed);
        ((self.max_speed + farthest * self.variation.max_speed) * fastest).max(least)
    }

    /// The largest radius that any of its bodies can have, u.
    pub fn largest_radius(&self) -> f32 {
        self.radius + self.variation.farthest() * self.variation.radius
    }

    /// Does any action state change what a body can do?
    pub fn states_change_bodies(&self) -> bool {
        let factors = self.state_speeds.iter().chain(&self.state_forces);
        factors.into_iter().any(|factor| *factor != 1.0)
    }

    /// The different lists of `state_weights` of its active behaviors. The first is the list of ones, which is always there.
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

table! {
    /// How far numbers differ from agent to agent. An agent's number is drawn by its id and the seed of the scene, and never changes.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Variation {
        /// Spread of max_speed, which is the mean; no agent's is below its own least speed.
        pub max_speed: f32 = number("u/s", 0.0, 1e6, 0.0),
        /// Spread of min_speed, which is the mean; no agent's is below 0, or above the species' max_speed.
        pub min_speed: f32 = number("u/s", 0.0, 1e6, 0.0),
        /// Spread of max_force, which is the mean.
        pub max_force: f32 = number("kg·u/s²", 0.0, 1e9, 0.0),
        /// Spread of mass, which is the mean; no agent's is below a tenth of that.
        pub mass: f32 = number("kg", 0.0, 1e6, 0.0),
        /// Spread of radius, which is the mean; no agent's is below a tenth of that.
        pub radius: f32 = number("u", 0.0, 1e6, 0.0),
        /// Spread of time_constant, which is the mean; no agent's is below a tenth of that.
        pub time_constant: f32 = number("s", 0.0, 1e3, 0.0),
        /// Spread of the vehicle's max_angular_speed, which is the mean; no agent's is below 0.
        pub max_angular_speed: f32 = number("deg/s", 0.0, 1e6, 0.0),
        /// Spread of the vehicle's max_angular_acceleration, which is the mean; drawn values below 0 become 0; the same holds for
        /// the rows below unless they say otherwise.
        pub max_angular_acceleration: f32 = number("deg/s²", 0.0, 1e9, 0.0),
        /// Spread of the vehicle's moment_of_inertia, which is the mean; no agent's is below a tenth of that.
        pub moment_of_inertia: f32 = number("kg·u²", 0.0, 1e9, 0.0),
        /// Spread of the vehicle's max_torque, which is the mean.
        pub max_torque: f32 = number("kg·u²/s²", 0.0, 1e9, 0.0),
        /// Spread of the vehicle's quadratic_drag, which is the mean.
        pub quadratic_drag: f32 = number("1/u", 0.0, 1e4, 0.0),
        /// Spread of the vehicle's low_speed, which is the mean.
        pub low_speed: f32 = number("u/s", 0.0, 1e6, 0.0),
        /// Spread of the vehicle's turn_loss, which is the mean.
        pub turn_loss: f32 = number("s", 0.0, 10.0, 0.0),
        /// Spread of the vehicle's max_reverse_speed, which is the mean; no agent is faster backward than its own max_speed.
        pub max_reverse_speed: f32 = number("u/s", 0.0, 1e6, 0.0),
        /// Spread of righting of the vehicle's banking, which is the mean.
        pub righting: f32 = number("", 0.0, 1e3, 0.0),
        /// Spread of leaning of the vehicle's banking, which is the mean.
        pub leaning: f32 = number("s²/u", 0.0, 1e3, 0.0),
        /// uniform: evenly up to the spread to both sides; normal: the spread is the standard deviation, and no number is farther than 3.5
        /// of them.
        pub distribution: Distribution = choice(Distribution::WORDS),
    }
}

words! {
    /// How drawn numbers are distributed around the mean.
    pub enum Distribution {
        /// Evenly, up to the spread to both sides.
        Uniform = "uniform",
        /// The spread is the standard deviation. A number is the sum of four uniform draws, so none is farther than 3.5 standard
        /// deviations.
        Normal = "normal",
    }
}

impl Variation {
    /// The greatest distance of a drawn number from the mean, in spreads.
    pub(crate) fn farthest(&self) -> f32 {
        if self.distribution == Distribution::Normal { 3.5 } else { 1.0 }
    }

    /// Do agents differ in any number?
    pub(crate) fn differs(&self) -> bool {
        self.bodies_differ() || self.vehicles_differ()
    }

    /// Do agents differ in a number that every body has, or in the greatest angular speed?
    pub(crate) fn bodies_differ(&self) -> bool {
        let Variation { max_speed, min_speed, max_force, mass, radius, time_constant, max_angular_speed, .. } = self;
        let spreads = [max_speed, min_speed, max_force, mass, radius, time_constant, max_angular_speed];
        spreads.into_iter().any(|spread| *spread > 0.0)
    }

    /// Do agents differ in a number that only vehicles have?
    pub(crate) fn vehicles_differ(&self) -> bool {
        let Variation { max_angular_acceleration, moment_of_inertia, max_torque, quadratic_drag, .. } = self;
        let Variation { low_speed, turn_loss, max_reverse_speed, righting, leaning, .. } = self;
        let of_turns = [max_angular_acceleration, moment_of_inertia, max_torque, righting, leaning];
        let spreads = of_turns.into_iter().chain([quadratic_drag, low_speed, turn_loss, max_reverse_speed]);
        spreads.into_iter().any(|spread| *spread > 0.0)
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
    /// Does it go by priority?
    pub fn has_priorities(self) -> bool {
        matches!(self, Combine::Priority | Combine::Budget | Combine::Dithered)
    }

    /// Does one priority decide alone?
    pub fn decides(self) -> bool {
        matches!(self, Combine::Priority | Combine::Dithered)
    }
}

words! {
    /// How the behaviors of one priority become one.
    pub enum CombineWithin {
        /// Their weighted sum (Millington: priority groups of blends).
        Weighted = "weighted",
        /// Each is brought to unit length, then weighted.
        Normalized = "normalized",
        /// Only the first that is longer than `silence`, by rank, and among equal ranks in the order of behaviors.
        First = "first",
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
    /// By the priority that decided in the latest step, gray where none did; the color of the first where none can.
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
        /// A goal of the map, on whose open cells agents start in place of that region.
        pub goal: Option<u32> = described(Range::Goal, "none"),
        /// Starting speed.
        pub speed: Option<f32> = limit("u/s", 0.0, 1e6, "max_speed"),
        /// Directions of the start: random for each agent; or shared, almost the same level direction for all of the species.
        pub heading: SpawnHeading = choice(SpawnHeading::WORDS),
    }
}

words! {
    /// Which way agents start.
    pub enum SpawnHeading {
        /// Each in a direction of its own.
        Random = "random",
        /// All agents of a species in about the same direction: they start as a flock.
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
        /// Shoulders and a head, from above.
        Person = "person",
        /// With windows and lights.
        Car = "car",
        /// Three parts, six legs and feelers.
        Ant = "ant",
        /// A round body with a bill.
        Duck = "duck",
        /// With patches and horns.
        Cow = "cow",
        /// A slim one with ears and a tail.
        Hound = "hound",
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
    /// The description of the behavior.
    pub spec: &'static BehaviorSpec,
    /// A behavior that is not enabled costs nothing.
    pub enabled: bool,
    /// Factor of its acceleration.
    pub weight: f32,
    /// Spread of the weight from agent to agent, distributed as [`Species::variation`] says.
    pub weight_spread: f32,
    /// A shorter acceleration counts as this long where accelerations are normalized, u/s².
    pub floor: f32,
    /// 0 to 7; smaller ones go first where `combine` has an order.
    pub priority: u32,
    /// 0 to 7; smaller ones go first within their priority where `combine_within` is `first` there.
    pub rank: u32,
    /// Bit s is set where the behavior is active in action state s.
    pub states: u32,
    /// Factor of its weight in each action state.
    pub state_weights: [f32; MAX_STATES],
    /// Length of the random vector that is added to its acceleration, as a multiple of the acceleration's length.
    pub jitter: f32,
    /// Longest acceleration that it may ask for before its weight, u/s² (of angular behaviors rad/s²); 0 for any.
    pub limit: f32,
    /// One value for each parameter of its [`BehaviorSpec`], in that order.
    pub parameters: Vec<Setting>,
}

impl Behavior {
    /// Do all of these conditions hold for its parameters, in a scene with these paths?
    pub(super) fn meets(&self, when: &[When], paths: &[Path]) -> bool {
        let word = |parameter: usize| match self.parameters.get(parameter)? {
            Setting::Path(path) => Some(usize::from(paths.get(*path as usize)?.closed)),
            setting => Some(setting.number() as usize),
        };
        when.iter().all(|when| word(when.parameter).is_some_and(|word| (word == when.word) == when.is))
    }

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

/// The value of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Setting {
    /// A number; of a choice, its index.
    Number(f32),
    /// One number for each axis.
    Vector(Vec3),
    /// What the agent heads for.
    Target(Target),
    /// Bit s is set for species s; `None` where the species' own key `perceives` holds.
    Species(Option<u32>),
    /// Index of a path.
    Path(u32),
}

impl Setting {
    /// What it is, for messages.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Setting::Number(_) => "a number",
            Setting::Vector(_) => "a vector",
            Setting::Target(_) => "a target",
            Setting::Species(_) => "a set of species",
            Setting::Path(_) => "a path",
        }
    }

    /// The number of a [`Setting::Number`]; 0 for any other.
    pub fn number(self) -> f32 {
        match self {
            Setting::Number(number) => number,
            _ => 0.0,
        }
    }
}
