//! The state of all agents, in the order of their ids.

use super::blocks::Pose;
use super::boundary::wrap_coordinate;
use super::random::{self, STREAM_POSITION, STREAM_VELOCITY};
use super::ways;
pub use crate::constants::{AWAY, FROZEN, ID_BITS};
use crate::lock::lock;
use crate::scene::{Boundary, Scene, SpawnHeading, SpawnShape, Walls};
use glam::Vec3;
use rayon::prelude::*;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Mutex;
use thiserror::Error;

/// Length of the random vector that each agent adds to a shared starting heading, a unit vector.
const SPREAD: f32 = 0.15;

/// The most points that are drawn for an agent until one is a valid place to start from.
const TRIES: u32 = 1024;

/// Positions, velocities and orientations of all agents, in the order of their ids.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Position of each agent, u; z is 0 in a planar world.
    pub positions: Vec<[f32; 3]>,
    /// Velocity of each agent, u/s; z is 0 in a planar world.
    pub velocities: Vec<[f32; 3]>,
    /// Does the agent take no part, because its state was not finite, or because it is away?
    pub frozen: Vec<bool>,
    /// The pose of each agent, in scenes whose agents keep one. A state to start from may leave it empty: then
    /// each agent faces the direction of its velocity.
    pub poses: Vec<Pose>,
}

/// Why a state does not fit a scene.
#[derive(Debug, Error)]
pub enum StateError {
    /// The numbers of agents differ.
    #[error(
        "the state has {found} agents, the scene {expected}; give the scene as many: by the count of a \
         species, such as species.0.count, in the same world, or by the number of agents, which scales the world"
    )]
    Count {
        /// Agents of the state.
        found: usize,
        /// Agents of the scene.
        expected: u32,
    },
    /// There are orientations, but not one for each agent.
    #[error("the state has {found} orientations for {agents} agents; there must be one for each, or none")]
    Poses {
        /// Orientations of the state.
        found: usize,
        /// Agents of the state.
        agents: usize,
    },
    /// A column of a snapshot is not one of the scene.
    #[error("the column `{name}` of the state {reason}")]
    Column {
        /// The column.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl State {
    /// A number of agents at rest at the origin.
    pub(crate) fn at_rest(agents: usize) -> State {
        let zero = vec![[0.0; 3]; agents];
        State { positions: zero.clone(), velocities: zero, frozen: vec![false; agents], poses: Vec::new() }
    }

    /// The scene's starting state: each agent's position and velocity are a hash of (seed, id, stream). No agent starts in a wall where its
    /// region has open ground.
    pub fn initial(scene: &Scene) -> State {
        let count = scene.agent_count() as usize;
        let mut state = State {
            positions: Vec::with_capacity(count),
            velocities: Vec::with_capacity(count),
            frozen: vec![false; count],
            poses: Vec::new(),
        };
        let walls = scene.map.as_ref().map(|map| map.walls(&scene.world, scene.seed));
        let mut id = 0;
        for (index, species) in scene.species.iter().enumerate() {
            let shared = random::hash4([scene.seed, index as u32, 1, STREAM_VELOCITY]);
            let level = random::unit_direction(false, shared[0], shared[1]);
            let course = if scene.world.spatial { Vec3::new(level.x, 0.0, level.y) } else { level };
            let extent = scene.world.size * species.spawn.extent;
            let fits = |at: &Vec3| species.spawn.shape == SpawnShape::Box || at.length_squared() <= 0.25;
            let is_free = |place: &Vec3| walls.as_ref().is_none_or(|walls| !walls.in_wall(*place));
            let open: OnceCell<Vec<Vec3>> = OnceCell::new();
            let goal = species.spawn.goal.and_then(|goal| scene.map.as_ref()?.goals.get(goal as usize));
            let cells = goal.zip(walls.as_deref()).map_or(Vec::new(), |(goal, walls)| ways::cells_of(goal, walls));
            for _ in 0..species.count {
                let in_region = || {
                    let points = (0..TRIES).map(|attempt| in_box(scene, id, attempt)).filter(fits);
                    points.map(|at| at * extent).find(is_free).unwrap_or_else(|| {
                        // No try hit an open place: hardly any of the region is open.
                        let ball = species.spawn.shape == SpawnShape::Ball;
                        let places = || walls.iter().flat_map(|walls| walls.open_places(extent, ball)).collect();
                        let open = open.get_or_init(places);
                        open.get(id as usize % open.len().max(1)).copied().unwrap_or(Vec3::ZERO)
                    })
                };
                let at_goal = walls.as_ref().filter(|_| !cells.is_empty());
                let place = at_goal.map_or_else(in_region, |walls| in_cells(scene, id, walls, &cells));
                let hash = random::hash4([scene.seed, id, 0, STREAM_VELOCITY]);
                let own = random::unit_direction(scene.world.spatial, hash[0], hash[1]);
                let heading = match species.spawn.heading {
                    SpawnHeading::Random => own,
                    SpawnHeading::Shared => (course + own * SPREAD).normalize_or(course),
                };
                state.positions.push(place.to_array());
                state.velocities.push((heading * species.start_speed()).to_array());
                id += 1;
            }
        }
        state.confine(scene);
        state
    }

    /// Bring every agent into the world along wrapped axes, and set z to 0 in a planar world. An agent that is in the
    /// world already keeps its bits.
    pub fn confine(&mut self, scene: &Scene) {
        let half = scene.world.size * 0.5;
        for (position, velocity) in self.positions.iter_mut().zip(&mut self.velocities) {
            if !scene.world.spatial {
                (position[2], velocity[2]) = (0.0, 0.0);
            }
            for axis in 0..3 {
                let inside = (-half[axis]..half[axis]).contains(&position[axis]);
                if scene.world.boundary[axis] == Boundary::Wrap && position[axis].is_finite() && !inside {
                    position[axis] = wrap_coordinate(position[axis], scene.world.size[axis], half[axis]);
                }
            }
        }
    }

    /// Make a state that was written earlier, or elsewhere, one to start the scene from: agents that are in a wall are put beside it, and
    /// those of a species that enters, but are marked as frozen, get the place that the scene has for them. The rest is as in
    /// [`State::confine`]. Return how many were in a wall. Whether the state has as many agents as the scene is left to [`State::check`].
    pub fn settle(&mut self, scene: &Scene) -> usize {
        let mut first = 0;
        let of_species = scene.species.iter().flat_map(|species| {
            let ids = first..first + species.count as usize;
            first = ids.end;
            ids.filter(|_| species.enters > 0.0)
        });
        let agents = self.positions.len().min(self.velocities.len());
        let entering: Vec<usize> =
            of_species.filter(|id| *id < agents && self.frozen.get(*id) == Some(&true)).collect();
        if !entering.is_empty() {
            let start = State::initial(scene);
            for id in entering {
                (self.positions[id], self.velocities[id]) = (start.positions[id], start.velocities[id]);
                self.frozen[id] = false;
            }
        }
        self.confine(scene);
        let walls = scene.map.as_ref().map(|map| map.walls(&scene.world, scene.seed));
        walls.map_or(0, |walls| self.leave_walls(&walls, scene))
    }

    /// Put agents that are in a wall beside it. Return how many.
    pub(super) fn leave_walls(&mut self, walls: &Walls, scene: &Scene) -> usize {
        let way_out = |place: Vec3| walls.way_out(place, scene.world.size);
        // Many agents may be in one cell deep inside a wall: that there is no way out is found once, from the middle of the cell.
        let known: Mutex<BTreeMap<(i32, i32), bool>> = Mutex::default();
        let is_deep = |place: Vec3| {
            let (column, row) = walls.cell_of(place);
            let mut known = lock(&known);
            *known.entry((column, row)).or_insert_with(|| way_out(walls.center(column, row)).is_none())
        };
        let inside = self.positions.par_iter_mut().map(|at| (Vec3::from(*at), at)).filter(|(at, _)| walls.in_wall(*at));
        let found = inside.filter(|(place, _)| !is_deep(*place));
        let moved = found.filter_map(|(place, at)| way_out(place).map(|near| *at = near.to_array()));
        moved.count()
    }

    /// Does the state have one entry per agent of the scene?
    ///
    /// # Errors
    /// [`StateError::Count`] if the number of positions is wrong, [`StateError::Poses`] if that of orientations is, [`StateError::Column`]
    /// if that of another column is.
    pub fn check(&self, scene: &Scene) -> Result<(), StateError> {
        let (agents, poses) = (self.positions.len(), self.poses.len());
        if agents != scene.agent_count() as usize {
            return Err(StateError::Count { found: agents, expected: scene.agent_count() });
        }
        for (name, found) in [("velocities", self.velocities.len()), ("frozen", self.frozen.len())] {
            if found != agents {
                let reason = format!("has {found} entries for {agents} agents");
                return Err(StateError::Column { name: name.into(), reason });
            }
        }
        if poses != 0 && poses != agents {
            return Err(StateError::Poses { found: poses, agents });
        }
        Ok(())
    }
}

/// The random place of an agent in one of these cells.
fn in_cells(scene: &Scene, id: u32, walls: &Walls, cells: &[u32]) -> Vec3 {
    let cell = cells[random::hash4([scene.seed, id, TRIES, STREAM_POSITION])[0] as usize % cells.len()];
    // A little less than the cell, so that rounding puts no agent into the next one.
    let within = in_box(scene, id, 0) * Vec3::new(0.98 * walls.cell, 0.98 * walls.cell, scene.world.size.z);
    walls.center((cell % walls.columns) as i32, (cell / walls.columns) as i32) + within
}

/// A point of the unit box, centered on the origin.
fn in_box(scene: &Scene, id: u32, attempt: u32) -> Vec3 {
    let hash = random::hash4([scene.seed, id, attempt, STREAM_POSITION]);
    let at = Vec3::from_array([0, 1, 2].map(|axis| random::unit_interval(hash[axis]) - 0.5));
    if scene.world.spatial { at } else { at.with_z(0.0) }
}
