//! The reference: every stage of a simulation step in plain Rust, file by file the twin of the shaders.
//!
//! It uses the same operations in the same order as the shaders, so that on an adapter that rounds correctly both have
//! equal bits. It runs serially or in parallel, with equal bits too, because every agent is computed on its own.

pub mod behaviors;
pub mod brute_force;
pub mod common;
pub mod interpreter;
pub mod sim;

use crate::model::{
    FROZEN, GridChoice, GroundCell, Memory, Model, Observation, Pose, STAGES, Stage, State, StateError, starting_poses,
};
use crate::scene::{Scene, SceneError};
use rayon::prelude::*;
use thiserror::Error;

/// Serial or parallel; the bits are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Execution {
    /// On the calling thread.
    Serial,
    /// On all cores.
    #[default]
    Parallel,
}

impl Execution {
    /// Call `f` with the index and the place of every element.
    pub fn for_each<T: Send>(self, items: &mut [T], f: impl Fn(usize, &mut T) + Sync + Send) {
        match self {
            Execution::Serial => items.iter_mut().enumerate().for_each(|(i, item)| f(i, item)),
            Execution::Parallel => items.par_iter_mut().with_min_len(256).enumerate().for_each(|(i, item)| f(i, item)),
        }
    }
}

/// The buffers of a simulation step, with the names that they have in the shaders.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)] // described where the shaders declare them
pub struct Buffers {
    pub position: Vec<[f32; 3]>,
    pub velocity: Vec<[f32; 3]>,
    pub id: Vec<u32>,
    pub cell: Vec<u32>,
    pub rank: Vec<u32>,
    pub count: Vec<u32>,
    pub cell_start: Vec<u32>,
    pub order: Vec<[u32; 2]>,
    pub sorted_position: Vec<[f32; 3]>,
    pub sorted_velocity: Vec<[f32; 3]>,
    pub sorted_id: Vec<u32>,
    pub acceleration: Vec<[f32; 3]>,
    pub neighbors: Vec<u32>,
    pub turning: Vec<[f32; 3]>,
    pub memory: Vec<Memory>,
    pub place_of: Vec<u32>,
    pub found: Vec<[u32; 2]>,
    pub clock: Vec<u32>,
    pub census_sums: Vec<u32>,
    pub pose: Vec<Pose>,
    pub ground: Vec<GroundCell>,
    pub(crate) steering: Vec<sim::steer::Steering>,
    pub(crate) motion: Vec<sim::integrate::Moved>,
}

/// Contents of a buffer, for comparison.
#[derive(Debug, Clone, PartialEq)]
pub enum Contents {
    /// Integers, as they lie in the buffer.
    Words(Vec<u32>),
    /// Vectors; in a planar world with two floats each.
    Floats(Vec<f32>),
}

/// Why a reference simulation cannot be made.
#[derive(Debug, Error)]
pub enum CpuError {
    /// The scene's flow field cannot be read.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The state is not one of the scene.
    #[error(transparent)]
    State(#[from] StateError),
}

/// A simulation on the CPU.
#[derive(Debug, Clone)]
pub struct Simulation {
    model: Model,
    buffers: Buffers,
    execution: Execution,
    grid: GridChoice,
}

impl Simulation {
    /// A simulation of the scene that starts from this state.
    ///
    /// # Errors
    /// A flow field that cannot be read, or a state with another number of agents.
    pub fn new(scene: &Scene, state: &State, execution: Execution) -> Result<Self, CpuError> {
        Self::with_grid(scene, state, execution, GridChoice::default())
    }

    /// [`Simulation::new`] with a grid of another fineness. The order of sums, and so the last bits, depend on it.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn with_grid(scene: &Scene, state: &State, execution: Execution, grid: GridChoice) -> Result<Self, CpuError> {
        state.check(scene)?;
        let model = Model::new(scene, grid)?;
        let mut simulation = Simulation { model, buffers: Buffers::default(), execution, grid };
        simulation.set_state(state);
        Ok(simulation)
    }

    /// Replace the state of all agents. It must have the scene's number of agents.
    pub fn set_state(&mut self, state: &State) {
        let agents = state.positions.len();
        let cells = self.model.world.cell_count as usize + 2;
        let features = &self.model.features;
        let id = |id: usize| id as u32 | if state.frozen[id] { FROZEN } else { 0 };
        self.buffers = Buffers {
            position: state.positions.clone(),
            velocity: state.velocities.clone(),
            id: (0..agents).map(id).collect(),
            cell: vec![0; agents],
            rank: vec![0; agents],
            count: vec![0; cells],
            cell_start: vec![0; cells],
            order: vec![[0; 2]; agents],
            sorted_position: vec![[0.0; 3]; agents],
            sorted_velocity: vec![[0.0; 3]; agents],
            sorted_id: vec![0; agents],
            acceleration: vec![[0.0; 3]; agents],
            // The last word is the GPU's, which remembers a driver that cut a loop off.
            neighbors: vec![0; agents + 1],
            turning: vec![[0.0; 3]; if features.turns { agents } else { 0 }],
            memory: vec![Memory::default(); if features.remembers { agents } else { 0 }],
            place_of: vec![0; if self.model.keeps("place_of") { agents } else { 0 }],
            found: vec![[0; 2]; self.model.askers() as usize],
            clock: vec![0],
            census_sums: vec![0; 2 * sim::census::SUMS],
            pose: match self.model.vehicles.pose {
                true => starting_poses(state, self.model.world.seed, self.model.spatial),
                false => Vec::new(),
            },
            ground: self.model.ground.clone(),
            steering: vec![Default::default(); agents],
            motion: vec![Default::default(); agents],
        };
    }

    /// Run one stage; nothing happens where the scene does not use it.
    pub fn run_stage(&mut self, stage: &Stage) {
        if !(stage.used)(&self.model) {
            return;
        }
        let run = match stage.name {
            "bin" => sim::bin::bin,
            "scan" => sim::scan::scan,
            "scatter" => sim::scatter::scatter,
            "gather" => sim::gather::gather,
            "census" => sim::census::census,
            "steer" => sim::steer::steer,
            "integrate" => sim::integrate::integrate,
            "ground" => sim::ground::ground,
            other => unreachable!("stage {other} has no twin"),
        };
        run(&self.model, &mut self.buffers, self.execution);
    }

    /// Run `steps` simulation steps.
    pub fn step(&mut self, steps: u32) {
        for _ in 0..steps {
            STAGES.iter().for_each(|stage| self.run_stage(stage));
        }
    }

    /// The state of all agents, in the order of their ids.
    pub fn state(&self) -> State {
        let Buffers { position, velocity, id, .. } = &self.buffers;
        let agents = id.len();
        let mut state = State {
            positions: vec![[0.0; 3]; agents],
            velocities: vec![[0.0; 3]; agents],
            frozen: vec![false; agents],
            poses: self.buffers.pose.clone(),
        };
        for (slot, own_id) in id.iter().enumerate() {
            let agent = (own_id & !FROZEN) as usize;
            state.positions[agent] = position[slot];
            state.velocities[agent] = velocity[slot];
            state.frozen[agent] = own_id & FROZEN != 0;
        }
        state
    }

    /// Ids of the agents that the agent at this place of sorted order perceives, ascending. Valid after the stage
    /// `gather`, for the stage `steer` of the same step.
    pub fn perceived_by(&self, place: usize) -> Vec<u32> {
        let mut ids = Vec::new();
        sim::steer::steer_one(&self.model, &self.buffers, place, |other| ids.push(self.buffers.sorted_id[other]));
        ids.sort_unstable();
        ids
    }

    /// Digest and observables of the current state.
    pub fn observe(&self) -> Observation {
        let words = sim::observe::observe(&self.model, &self.buffers);
        Observation::from_words(&words, self.model.world.agent_count, self.model.world.top_speed)
    }

    /// The parameters that the simulation runs with.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Take over the numbers of a scene that differs only in numbers.
    pub fn set_parameters(&mut self, scene: &Scene) {
        self.model.update(scene, self.grid);
        let cells = self.model.world.cell_count as usize + 2;
        self.buffers.count.resize(cells, 0);
        self.buffers.cell_start.resize(cells, 0);
        // Columns that the scene did not need before; none goes away.
        let (agents, features) = (self.buffers.id.len(), &self.model.features);
        let rows = |needed: bool, has: usize| if needed { agents } else { has };
        let Buffers { turning, memory, place_of, found, .. } = &mut self.buffers;
        turning.resize(rows(features.turns, turning.len()), [0.0; 3]);
        memory.resize(rows(features.remembers, memory.len()), Memory::default());
        place_of.resize(rows(self.model.keeps("place_of"), place_of.len()), 0);
        found.resize(self.model.askers() as usize, [0; 2]);
        if self.buffers.ground.len() != self.model.ground.len() {
            self.buffers.ground = self.model.ground.clone();
        }
        if !self.model.vehicles.pose {
            self.buffers.pose.clear();
        } else if self.buffers.pose.is_empty() {
            self.buffers.pose = starting_poses(&self.state(), self.model.world.seed, self.model.spatial);
        }
    }

    /// Move the target `mouse` to a point, u.
    pub fn set_mouse(&mut self, point: glam::Vec3) {
        self.model.world.mouse = self.model.store(point);
    }

    /// All buffers of a step.
    pub fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    /// The contents of a buffer by its name in the shaders, in the layout that it has on the GPU.
    pub fn contents(&self, buffer: &str) -> Contents {
        let vectors = |vectors: &[[f32; 3]]| {
            let components = self.model.components();
            Contents::Floats(vectors.iter().flat_map(|v| v[..components].iter().copied()).collect())
        };
        let b = &self.buffers;
        match buffer {
            "position" => vectors(&b.position),
            "velocity" => vectors(&b.velocity),
            "sorted_position" => vectors(&b.sorted_position),
            "sorted_velocity" => vectors(&b.sorted_velocity),
            "acceleration" => vectors(&b.acceleration),
            "pose" => Contents::Floats(bytemuck::cast_slice(&b.pose).to_vec()),
            "id" => Contents::Words(b.id.clone()),
            "cell" => Contents::Words(b.cell.clone()),
            "count" => Contents::Words(b.count.clone()),
            "cell_start" => Contents::Words(b.cell_start.clone()),
            "order" => Contents::Words(b.order.as_flattened().to_vec()),
            "sorted_id" => Contents::Words(b.sorted_id.clone()),
            "neighbors" => Contents::Words(b.neighbors.clone()),
            "turning" => Contents::Floats(b.turning.as_flattened().to_vec()),
            "memory" => Contents::Words(bytemuck::cast_slice(&b.memory).to_vec()),
            "place_of" => Contents::Words(b.place_of.clone()),
            "found" => Contents::Words(b.found.as_flattened().to_vec()),
            "clock" => Contents::Words(b.clock.clone()),
            "census_sums" => Contents::Words(b.census_sums.clone()),
            "ground" => Contents::Words(bytemuck::cast_slice(&b.ground).to_vec()),
            other => unreachable!("the reference has no buffer {other}"),
        }
    }
}
