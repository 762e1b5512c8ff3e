//! The reference: every stage of a simulation step in plain Rust, file by file the twin of the shaders.
//!
//! It uses the same operations in the same order as the shaders, so that on an adapter that rounds correctly both have
//! equal bits. It runs serially or in parallel, with equal bits too, because every agent is computed on its own.

pub mod behaviors;
pub mod brute_force;
pub mod common;
pub mod interpreter;
pub mod own;
pub mod sim;
mod watch;
mod why;

pub use why::{Aim, Choice, Fate, Near, Priority, Term, Why};

use crate::model::ways::crowding;
use crate::model::{
    BUFFERS, BufferId, Change, CompiledScene, Element, Events, FROZEN, GridChoice, GroundCell, ID_BITS, Memory,
    Observation, Pose, STAGES, Snapshot, StageId, State, StateError,
};
use crate::scene::{BehaviorKind, Scene, SceneError};
use crate::shaders::ShaderError;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;
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
    /// Call `f` with the index of every element and the element.
    pub fn for_each<T: Send>(self, items: &mut [T], f: impl Fn(usize, &mut T) + Sync + Send) {
        match self {
            Execution::Serial => items.iter_mut().enumerate().for_each(|(i, item)| f(i, item)),
            Execution::Parallel => items.par_iter_mut().with_min_len(256).enumerate().for_each(|(i, item)| f(i, item)),
        }
    }
}

macro_rules! buffers {
    ($($(#[$about:meta])* $id:ident $name:ident: $element:ty),* $(,)?) => {
        /// The buffers of a simulation step, with the names that they have in the shaders.
        #[derive(Debug, Clone, Default)]
        pub struct Buffers {
            $($(#[$about])* pub $name: Vec<$element>,)*
            pub(crate) steering: Vec<sim::steer::Steering>,
            pub(crate) motion: Vec<sim::integrate::Moved>,
            /// True if agents remember anything. If false, `steer` does not touch `memory`, which is slow because it is indexed by id.
            pub(crate) remembers: bool,
            /// True if any angular behavior is active.
            pub(crate) turns: bool,
            /// True if agents of any species skip steps.
            pub(crate) skips: bool,
            /// The scene's own behaviors, if any are active.
            pub(crate) own: Option<Arc<own::OwnBehaviors>>,
        }

        impl Buffers {
            /// The words of a buffer; `None` if the reference does not have it. A vector has three words, also in a planar world.
            fn words(&self, buffer: BufferId) -> Option<&[u32]> {
                match buffer {
                    $(BufferId::$id => Some(bytemuck::cast_slice(&self.$name)),)*
                    _ => None,
                }
            }

            /// Replace the contents of a buffer, if the reference has it.
            fn set(&mut self, buffer: BufferId, words: &[u32]) {
                match buffer {
                    $(BufferId::$id => self.$name = bytemuck::cast_slice(words).to_vec(),)*
                    _ => {}
                }
            }
        }
    };
}

buffers! {
    /// Positions, u, by storage slot: in the sorted order of the last step.
    Position position: [f32; 3],
    /// Velocities, u/s, by storage slot.
    Velocity velocity: [f32; 3],
    /// Ids by storage slot. The top bit marks frozen agents; it and the next bit mark agents that are away.
    Id id: u32,
    /// The cell of each agent, by storage slot.
    Cell cell: u32,
    /// The rank of each agent within its cell, by storage slot.
    Rank rank: u32,
    /// Number of agents in each cell.
    Count count: u32,
    /// Number of agents that each cell shows, where it is crowded.
    Visible visible: u32,
    /// The first sorted index of each cell.
    CellStart cell_start: u32,
    /// Storage slots, sorted by cell.
    Order order: u32,
    /// Positions, u, by sorted index: sorted by cell, and by id within a cell.
    SortedPosition sorted_position: [f32; 3],
    /// Velocities, u/s, by sorted index.
    SortedVelocity sorted_velocity: [f32; 3],
    /// Ids by sorted index.
    SortedId sorted_id: u32,
    /// The combined steering by sorted index, u/s², before the force limit.
    Acceleration acceleration: [f32; 3],
    /// How far the bodies that overlap each body push it away, by sorted index, u.
    Pushes pushes: [f32; 3],
    /// Number of neighbors that at least one behavior perceives, by sorted index.
    Neighbors neighbors: u32,
    /// What an agent remembers, by id.
    Memory memory: Memory,
    /// The sorted index of each id.
    SortedIndexOf sorted_index_of: u32,
    /// The sorted indices that the four queries found, a row for each agent that has queries.
    Found found: [u32; 4],
    /// The number of the step, from 1.
    Clock clock: u32,
    /// 64-bit sums over all agents of the world, each as its low and its high word.
    CensusSums census_sums: u32,
    /// Which way an agent faces, by id.
    Pose pose: Pose,
    /// Crossings of each line since the start, two counts per line: from its left to its right, and back.
    Crossed crossed: u32,
    /// Empty unless events are listed. First the number of events since the list was last taken, and three zeros; then a row for each
    /// event, as in `common/events.wgsl`: step, id, what, and which way or by whom.
    Events events: [u32; 4],
    /// The cells of the ground.
    Ground ground: GroundCell,
    /// The trail of each cell of the ground after it has faded, but not yet spread, in this step.
    Faded faded: u32,
}

/// Why a reference simulation cannot be made.
#[derive(Debug, Error)]
pub enum CpuError {
    /// The scene's flow field cannot be read.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The state does not fit the scene.
    #[error(transparent)]
    State(#[from] StateError),
    /// A behavior of the scene's own cannot be used.
    #[error(transparent)]
    Shader(#[from] ShaderError),
    /// There is no agent of this id.
    #[error("there is no agent {id}; the scene has {agents}, and their ids begin with 0")]
    NoAgent {
        /// The id.
        id: u32,
        /// Agents of the scene.
        agents: u32,
    },
}

/// A simulation on the CPU.
#[derive(Debug, Clone)]
pub struct Simulation {
    scene: Scene,
    model: CompiledScene,
    buffers: Buffers,
    steps: u64,
    /// True from `bin` to the next `scan`: `count` is filled, and another `bin` has to clear it first.
    binned: bool,
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
        let model = CompiledScene::new(scene, grid)?;
        let start = Snapshot::start(&model, state);
        Self::begin(scene, model, &start, execution, grid)
    }

    /// A simulation of the scene that goes on from a snapshot, taken on any backend with this grid.
    pub(crate) fn resume(
        scene: &Scene,
        snapshot: &Snapshot,
        execution: Execution,
        grid: GridChoice,
    ) -> Result<Self, CpuError> {
        let model = CompiledScene::new(scene, grid)?;
        snapshot.check(&model)?;
        let whole = snapshot.clone().completed(&model);
        Self::begin(scene, model, &whole, execution, grid)
    }

    fn begin(
        scene: &Scene,
        model: CompiledScene,
        start: &Snapshot,
        execution: Execution,
        grid: GridChoice,
    ) -> Result<Self, CpuError> {
        let own = own::OwnBehaviors::new(&model)?.map(Arc::new);
        let (scene, buffers) = (scene.clone(), Buffers { own, ..Buffers::default() });
        let mut simulation = Simulation { scene, model, buffers, steps: 0, binned: false, execution, grid };
        simulation.write_snapshot(start);
        Ok(simulation)
    }

    /// Start anew from this state.
    ///
    /// # Errors
    /// A state with another number of agents.
    pub fn set_state(&mut self, state: &State) -> Result<(), CpuError> {
        state.check(&self.scene)?;
        self.write_snapshot(&Snapshot::start(&self.model, state));
        Ok(())
    }

    /// Start a scene anew from its own start, whatever ran before.
    ///
    /// # Errors
    /// As [`Simulation::change`].
    pub fn restart(&mut self, scene: &Scene) -> Result<(), CpuError> {
        self.change(scene)?;
        self.set_mouse(scene.mouse);
        self.set_state(&State::initial(scene))
    }

    /// The whole state.
    pub fn snapshot(&self) -> Snapshot {
        let kept = BUFFERS.iter().filter(|b| b.is_kept(&self.model));
        let columns = kept.map(|b| (b.id, self.contents(b.id).unwrap_or_default())).collect();
        Snapshot::from_storage(&self.model, self.steps, columns)
    }

    /// Go on from a snapshot of this scene, taken on any backend.
    ///
    /// # Errors
    /// A snapshot of another number of agents or dimensions, or one that was tampered with.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), CpuError> {
        snapshot.check(&self.model)?;
        self.write_snapshot(&snapshot.clone().completed(&self.model));
        Ok(())
    }

    fn write_snapshot(&mut self, snapshot: &Snapshot) {
        for buffer in BUFFERS {
            let count = match buffer.id {
                BufferId::Pose if !self.model.vehicles.pose => 0,
                _ => buffer.count(&self.model, 1) as usize,
            };
            let words = match snapshot.column(buffer.id) {
                Some(words) if buffer.element == Element::Vector => {
                    let vectors = words.chunks_exact(self.model.components());
                    vectors.flat_map(|v| [0, 1, 2].map(|axis| v.get(axis).copied().unwrap_or(0))).collect()
                }
                Some(words) => words.to_vec(),
                None if buffer.element == Element::Vector => vec![0; 3 * count],
                None => vec![0; buffer.whole_width(&self.model) * count],
            };
            self.buffers.set(buffer.id, &words);
        }
        let agents = self.model.world.agent_count as usize;
        let blank = self.buffers.memory.iter().all(|memory| *memory == Memory::default());
        self.buffers.remembers = self.model.remembers() || !blank;
        self.buffers.turns = self.model.active_behaviors.iter().any(|spec| spec.kind == BehaviorKind::Angular);
        self.buffers.skips = self.model.species.iter().any(|own| own.count > 0 && own.update_every > 1);
        let of_ways = [BufferId::CrowdCounts, BufferId::WayCosts].map(|id| snapshot.column(id).unwrap_or_default());
        self.model.restore_ways(of_ways[0], of_ways[1], snapshot.steps);
        self.begin_ways();
        self.buffers.steering = vec![Default::default(); agents];
        self.buffers.motion = vec![Default::default(); agents];
        self.steps = snapshot.steps;
    }

    /// Go on with another scene, whatever differs from the present one, by the same rules as the simulation on a GPU.
    /// Returns what had to be replaced.
    ///
    /// # Errors
    /// A scene that breaks a rule, or a flow field that cannot be read; then the simulation is as it was.
    pub fn change(&mut self, scene: &Scene) -> Result<Change, CpuError> {
        let mut model = self.model.followed_by(scene, self.grid)?;
        let own = own::OwnBehaviors::new(&model)?.map(Arc::new);
        let change = Change::between(&self.model, &model, &self.scene, scene);
        if change != Change::Restart && scene.mouse == self.scene.mouse {
            model.world.mouse = self.model.world.mouse;
        }
        let snapshot = match change {
            Change::Restart => Snapshot::start(&model, &State::initial(scene)),
            Change::State => self.snapshot().adapted(&self.model, &model, scene),
            Change::Numbers | Change::Pipelines => self.snapshot(),
        };
        let snapshot = match change {
            Change::Restart => snapshot,
            _ => snapshot.with_way_costs(self.model.way_costs_for_next(&model, self.steps)),
        };
        (self.model, self.scene) = (model, scene.clone());
        self.buffers.own = own;
        let events = std::mem::take(&mut self.buffers.events);
        self.write_snapshot(&snapshot);
        // Keep the list of events wherever the state is kept, as a simulation on a GPU does.
        if matches!(change, Change::Numbers | Change::Pipelines) && self.buffers.events.len() == events.len() {
            self.buffers.events = events;
        }
        self.compute_map_eagerly();
        Ok(change)
    }

    /// Start a thread that computes the awaited ways, if there are any, while steps go on. A call that needs them earlier
    /// waits for it.
    fn begin_ways(&self) {
        if let Some(ways) = self.model.awaited.as_ref().map(|awaited| Arc::clone(&awaited.ways)) {
            let compute = move || {
                ways.computed();
            };
            // If no thread can be started, the first call that needs the ways computes them.
            drop(std::thread::Builder::new().spawn(compute));
        }
    }

    /// Compute the map's walls and ways before the parallel loops over agents read them. Computed within such a loop, they
    /// could deadlock: while a thread of the pool waits for parts of that work it takes on other agents, which wait for it.
    fn compute_map_eagerly(&self) {
        if let Some(walls) = &self.model.nearest_walls {
            walls.texels();
        }
        if let Some(ways) = &self.model.ways {
            ways.computed();
        }
    }

    /// Before the next step, follow the awaited ways if they are due, and count the crowds for new ways if that is due.
    fn renew_ways(&mut self) {
        self.model.follow_awaited(self.steps);
        if self.model.crowding_due(self.steps)
            && let Some(ways) = self.model.ways.clone()
        {
            // Agents that are away or frozen are not counted.
            let there = self.buffers.id.iter().zip(&self.buffers.position).filter(|(word, _)| **word & !ID_BITS == 0);
            let counts = crowding::counts(&ways.walls, there.map(|(_, place)| place));
            self.model.await_ways_for(&counts, self.steps);
            self.begin_ways();
        }
        self.compute_map_eagerly();
    }

    /// Run one stage of a step.
    pub fn run_stage(&mut self, stage: StageId) {
        let binned = stage == StageId::Bin || self.binned && stage != StageId::Scan;
        let was_binned = std::mem::replace(&mut self.binned, binned);
        let run = match stage {
            StageId::Bin => {
                self.renew_ways();
                if was_binned {
                    self.buffers.count.fill(0);
                }
                sim::bin::bin
            }
            StageId::Crowd => sim::crowd::crowd,
            StageId::Scan => sim::scan::scan,
            StageId::Advance => return sim::advance::advance(&mut self.model, &self.buffers),
            StageId::Scatter => sim::scatter::scatter,
            StageId::Gather => sim::gather::gather,
            StageId::Census => sim::census::census,
            StageId::Schedule => sim::schedule::schedule,
            StageId::Search => sim::search::search,
            StageId::Notice => sim::notice::notice,
            StageId::Steer => sim::steer::steer,
            StageId::Integrate => sim::integrate::integrate,
            StageId::Collide => sim::collide::collide,
            StageId::Tally => sim::tally::tally,
            StageId::Ground => sim::ground::ground,
            StageId::Trail => sim::trail::trail,
            // `stride` and `arrange` have no twins; `Simulation::observe` runs the other two.
            StageId::Stride | StageId::Arrange | StageId::Observe | StageId::Measure => return,
        };
        run(&self.model, &mut self.buffers, self.execution);
        // `trail` is the last stage of a step.
        self.steps += u64::from(stage == StageId::Trail);
    }

    /// Run `steps` simulation steps.
    pub fn step(&mut self, steps: u32) {
        (0..steps).for_each(|_| STAGES.iter().for_each(|stage| self.run_stage(stage.id)));
    }

    /// Check that every call of the scene's own behaviors has had a result.
    ///
    /// # Errors
    /// Why a call had none, such as more operations than a call may take; the behavior contributed nothing there.
    pub fn check(&self) -> Result<(), CpuError> {
        self.buffers.own.as_ref().and_then(|own| own.fault()).map_or(Ok(()), |fault| Err(fault.into()))
    }

    /// The state of all agents, in the order of their ids.
    pub fn state(&self) -> State {
        let pose = self.model.vehicles.pose.then_some(BufferId::Pose);
        let columns = [BufferId::Position, BufferId::Velocity, BufferId::Id].into_iter().chain(pose);
        let columns = columns.map(|column| (column, self.contents(column).unwrap_or_default())).collect();
        Snapshot::from_storage(&self.model, self.steps, columns).state()
    }

    /// The state of the agents with these ids, in their order, without poses.
    ///
    /// # Errors
    /// An id that no agent has.
    pub fn motion(&self, ids: Range<u32>) -> Result<State, CpuError> {
        let agents = self.model.world.agent_count;
        if ids.end > agents && !ids.is_empty() {
            return Err(CpuError::NoAgent { id: ids.end - 1, agents });
        }
        let mut state = State::at_rest(ids.len());
        let rows = self.buffers.id.iter().zip(&self.buffers.position).zip(&self.buffers.velocity);
        for ((id, position), velocity) in rows.filter(|((id, _), _)| ids.contains(&(**id & ID_BITS))) {
            let row = ((id & ID_BITS) - ids.start) as usize;
            (state.positions[row], state.velocities[row]) = (*position, *velocity);
            state.frozen[row] = id & FROZEN != 0;
        }
        Ok(state)
    }

    /// Steps since the start.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The scene that it simulates, as of the start or the latest change.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Ids of the neighbors that the agent at this sorted index perceives, ascending. Valid after the stage
    /// `gather`, for the stage `steer` of the same step.
    ///
    /// # Panics
    /// An index that no agent has, and a call before the first `gather`.
    pub fn perceived_by(&self, sorted_index: usize) -> Vec<u32> {
        let mut ids = Vec::new();
        sim::steer::steer_one(&self.model, &self.buffers, sorted_index, &mut ids);
        ids.sort_unstable();
        ids
    }

    /// How the agents with these ids steer in the next step: what each behavior says, and what becomes of it. This consumes the
    /// simulation, because it stops in the middle of that step; call it on a clone if the simulation is to go on.
    ///
    /// ```
    /// use steerling::cpu::{Execution, Simulation};
    /// use steerling::{model::State, scene::Scene};
    ///
    /// let scene = Scene::open("flock", &[])?.with_agents(200)?;
    /// let mut simulation = Simulation::new(&scene, &State::initial(&scene), Execution::Parallel)?;
    /// simulation.step(50);
    /// let [why] = &simulation.clone().why(&[7])?[..] else { unreachable!("one was asked for") };
    /// assert!(why.adds_up());
    /// for term in &why.terms {
    ///     println!("{} {:.0} %: {:?}", term.behavior, 100.0 * term.share, term.part);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CpuError::NoAgent`].
    pub fn why(mut self, ids: &[u32]) -> Result<Vec<Why>, CpuError> {
        let agents = self.model.world.agent_count;
        if let Some(id) = ids.iter().copied().find(|id| *id >= agents) {
            return Err(CpuError::NoAgent { id, agents });
        }
        STAGES.iter().take_while(|stage| stage.id != StageId::Steer).for_each(|stage| self.run_stage(stage.id));
        let Simulation { scene, model, buffers, steps, .. } = &mut self;
        let place = |id: u32| buffers.sorted_id.iter().position(|word| word & ID_BITS == id);
        let places: Vec<usize> = ids.iter().filter_map(|id| place(*id)).collect();
        Ok(places.into_iter().map(|place| why::account(scene, model, buffers, *steps, place)).collect())
    }

    /// Digest and observables of the current state.
    pub fn observe(&self) -> Observation {
        let words = sim::observe::observe(&self.model, &self.buffers);
        let seen = Observation::from_words(&words, &self.model.counts(), self.model.world.top_speed);
        let seen = seen.with_crossed(&self.buffers.crossed);
        if !self.model.measures.any() {
            return seen;
        }
        seen.with_measured(&self.model.measures, &sim::measure::measure(&self.model, &self.buffers))
    }

    /// List events from now on, for [`Simulation::take_events`].
    pub fn list_events(&mut self) {
        self.model.lists_events = true;
        self.buffers.events.resize(BufferId::Events.row().count(&self.model, 1) as usize, [0; 4]);
    }

    /// Take the events listed since the last call, or since a state was set.
    pub fn take_events(&mut self) -> Events {
        let taken = Events::from_words(bytemuck::cast_slice(&self.buffers.events));
        self.buffers.events.iter_mut().take(1).for_each(|head| *head = [0; 4]);
        taken
    }

    /// The parameters that the simulation runs with.
    pub fn model(&self) -> &CompiledScene {
        &self.model
    }

    /// Move the target `mouse` to a point, u.
    pub fn set_mouse(&mut self, point: glam::Vec3) {
        self.model.world.mouse = self.model.store(point);
    }

    /// All buffers of a step.
    pub fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    /// The words of a buffer, in the layout that it has on the GPU; `None` if the reference does not have it.
    pub fn contents(&self, buffer: BufferId) -> Option<Vec<u32>> {
        let words = match buffer {
            BufferId::CrowdCounts => self.model.crowd_counts(),
            BufferId::WayCosts => return Some(self.model.way_costs(self.steps)),
            _ => self.buffers.words(buffer)?,
        };
        Some(match buffer.row().element {
            Element::Vector => words.chunks_exact(3).flat_map(|v| &v[..self.model.components()]).copied().collect(),
            Element::Memory => self.model.memory_words(&self.buffers.memory),
            _ => words.to_vec(),
        })
    }
}
