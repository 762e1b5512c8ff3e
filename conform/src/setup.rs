//! Scenes and states of laws, put together case by case.

use super::draw::Draw;
use super::reference::Body;
use super::vector::{V, wide};
use bytemuck::Zeroable;
use std::fmt::{Debug, Display};
use std::ops::Range;
use steerling::model::{Pose, State};
use steerling::scene::{Override, Scene, SceneError};

/// Returns the overrides to apply to a scene of a law, given its text.
pub type Nudge<'a> = dyn Fn(&str) -> Vec<Override> + 'a;

/// A scene and a state, put together agent by agent.
#[derive(Debug, Clone)]
pub struct Setup {
    head: String,
    species: Vec<String>,
    apart: bool,
    state: State,
}

impl Setup {
    /// A scene from the lines of TOML before its species: `dt`, `seed`, `world`, `field` ...
    pub fn new(head: impl Into<String>) -> Setup {
        Setup { head: head.into(), species: Vec::new(), apart: false, state: State::default() }
    }

    /// A world without ends.
    pub fn open(spatial: bool, dt: f64) -> Setup {
        Setup::open_with(spatial, dt, "")
    }

    /// A world without ends, with more lines of TOML before its species.
    pub fn open_with(spatial: bool, dt: f64, more: impl Display) -> Setup {
        Setup::within(spatial, [400.0; 3], "open", dt, more)
    }

    /// A world with these sides, of which a planar one takes the first two, and with one boundary for all axes or a list with one for each.
    pub fn within(spatial: bool, sides: V, boundary: impl Debug, dt: f64, more: impl Display) -> Setup {
        let size = &sides[..if spatial { 3 } else { 2 }];
        Setup::new(format!("dt = {dt}\nworld.size = {size:?}\nworld.boundary = {boundary:?}\n{more}"))
    }

    /// Let every species perceive only itself, so that cases may overlap in space.
    pub fn apart(self) -> Setup {
        Setup { apart: true, ..self }
    }

    /// Draw a seed for this scene. Otherwise the scenes of a law share one.
    pub fn seeded(self, draw: &mut Draw) -> Setup {
        self.of_seed(draw.word() as u32)
    }

    /// Give this scene a seed of its own.
    pub fn of_seed(self, seed: u32) -> Setup {
        Setup { head: format!("seed = {seed}\n{}", self.head), ..self }
    }

    /// Name of the species that is added next.
    pub fn next(&self) -> String {
        format!("species {}", self.species.len())
    }

    /// Add a species, from the lines of TOML below `[[species]]` but for `count`. Returns the ids of its agents.
    pub fn species(&mut self, lines: &str, agents: &[Body]) -> Range<usize> {
        let first = self.state.positions.len();
        let perceives = if self.apart { format!("perceives = \"{}\"\n", self.next()) } else { String::new() };
        self.species.push(format!("[[species]]\ncount = {}\n{perceives}{lines}\n", agents.len()));
        let single = |v: V| v.map(|x| x as f32);
        self.state.positions.extend(agents.iter().map(|body| single(body.position)));
        self.state.velocities.extend(agents.iter().map(|body| single(body.velocity)));
        self.state.frozen.resize(first + agents.len(), false);
        // A heading that is NaN is replaced by the direction of the velocity.
        let unknown = Pose { forward: [f32::NAN; 3], ..Pose::zeroed() };
        self.state.poses.resize(first + agents.len(), unknown);
        first..first + agents.len()
    }

    /// This setup with another species.
    pub fn with(mut self, lines: &str, agents: &[Body]) -> Setup {
        self.species(lines, agents);
        self
    }

    /// Add a species with one agent. Returns its id.
    pub fn agent(&mut self, lines: &str, position: V, velocity: V) -> usize {
        self.species(lines, &[Body { position, velocity }]).start
    }

    /// As [`Setup::agent`]. Returns also how it starts, with the coordinates that f32 holds.
    pub fn placed(&mut self, lines: &str, position: V, velocity: V) -> (usize, Body) {
        let id = self.agent(lines, position, velocity);
        (id, self.body(id))
    }

    /// As [`Setup::species`]. Returns also how the agents start, with the coordinates that f32 holds.
    pub fn flock(&mut self, lines: &str, agents: &[Body]) -> (Range<usize>, Vec<Body>) {
        let ids = self.species(lines, agents);
        (ids.clone(), self.crowd(ids))
    }

    /// Let an agent start with another heading than that of its velocity, and with an angular velocity, rad/s.
    pub fn face(&mut self, id: usize, forward: V, up: V, spin: V) {
        let [forward, up, spin] = [forward, up, spin].map(|v| v.map(|x| x as f32));
        self.state.poses[id] = Pose { forward, up, spin, bank: [0.0; 3] };
    }

    /// An agent as it starts, with the coordinates that f32 holds.
    pub fn body(&self, id: usize) -> Body {
        Body::at(wide(self.state.positions[id])).moving(wide(self.state.velocities[id]))
    }

    /// All agents as they start.
    pub fn bodies(&self) -> Vec<Body> {
        (0..self.state.positions.len()).map(|id| self.body(id)).collect()
    }

    /// Some agents as they start.
    pub fn crowd(&self, ids: Range<usize>) -> Vec<Body> {
        ids.map(|id| self.body(id)).collect()
    }

    /// The state that it starts from.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The scene outside of a bench: with seed 1 unless its head names one.
    ///
    /// # Errors
    /// Lines that are not valid.
    pub fn scene(&self) -> Result<Scene, SceneError> {
        self.nudged(1, None)
    }

    /// The scene with the overrides of `nudge`, if given, and with this seed unless its head names one.
    ///
    /// # Errors
    /// Lines that are not valid.
    pub(super) fn nudged(&self, seed: u32, nudge: Option<&Nudge<'_>>) -> Result<Scene, SceneError> {
        let is_seeded = self.head.lines().any(|line| line.starts_with("seed ="));
        let seed = if is_seeded { String::new() } else { format!("seed = {seed}\n") };
        let text = format!("schema = 1\n{seed}{}\n{}", self.head, self.species.concat());
        let overrides = nudge.map_or(Vec::new(), |nudge| nudge(&text));
        Scene::parse(&text, "law.toml", &overrides)
    }
}

/// The position of case `index` of many, so that no case perceives another: on a square lattice around the origin.
pub fn lane(index: usize, spacing: f64) -> V {
    let (column, row) = (index % 8, index / 8);
    [(column as f64 - 3.5) * spacing, (row as f64 - 3.5) * spacing, 0.0]
}

/// The time step where a law needs no other, s: a power of two, so that times of whole steps are exact.
pub const DT: f64 = 1.0 / 64.0;

/// Limits that are never reached, as lines of TOML.
pub const FREE: &str = "max_speed = 1e6\nmax_force = 1e9\n";

/// Limits and time constant of a vehicle, as lines of TOML.
pub fn limits(speed: f64, force: f64, tau: f64) -> String {
    format!("max_speed = {speed}\nmax_force = {force}\ntime_constant = {tau}\n")
}

/// One behavior of a species that perceives all around, as a line of TOML.
pub fn all_around(behavior: &str, weight: f64, radius: f64) -> String {
    seeing(behavior, weight, radius, 360.0)
}

/// One behavior of a species with a field of view in degrees, as a line of TOML.
pub fn seeing(behavior: &str, weight: f64, radius: f64, field_of_view: f64) -> String {
    let view = format!("perception_radius = {radius}, field_of_view = {field_of_view}");
    format!("behaviors.{behavior} = {{ weight = {weight}, {view} }}\n")
}
