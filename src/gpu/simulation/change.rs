//! Live changes: a running simulation goes on with another scene.

use super::{Holds, Simulation};
use crate::gpu::buffers::{Buffers, Textures, allocate, bind, made_bytes};
use crate::gpu::limits::check_limits;
use crate::gpu::pipelines::{Pipelines, Program};
use crate::gpu::{Gpu, GpuError};
use crate::model::ways::Awaited;
use crate::model::{BUFFERS, Buffer, BufferId, Change, CompiledScene, Snapshot, State};
use crate::scene::Scene;
use std::sync::{Arc, OnceLock};

impl Simulation {
    /// Go on as a simulation of another scene, whatever differs. Returns what had to be replaced. A change that fails
    /// leaves the simulation as it was.
    ///
    /// Numbers, behaviors and bodies may change while all agents go on; what agents remember stays. Where steering was neither held nor
    /// smoothed before and is now (`update_every`, `smoothing_time`), an agent has no steering to hold until the next step in which it
    /// steers: a point mass goes on as it moves, other bodies stop. Agents outside of a smaller world come in at the other side of its
    /// wrapped axes; agents that would be in a wall of a new map are put beside it. The ground stays, unless the scene's ground at the
    /// start is another, and the target `mouse` stays, unless the scene's is another. Blocks while shaders compile, if others are
    /// needed.
    ///
    /// # Errors
    /// A scene that breaks a rule, and what [`Simulation::new`] may fail with.
    pub fn change(&mut self, scene: &Scene) -> Result<Change, GpuError> {
        let prepared = self.prepare(scene).run()?;
        self.apply(prepared)
    }

    /// List events from now on, for [`Simulation::take_events`]. Events need passes of their own, so this blocks while they compile.
    ///
    /// # Errors
    /// What [`Simulation::new`] may fail with.
    pub fn list_events(&mut self) -> Result<(), GpuError> {
        let mut asked = self.prepare(&self.scene);
        asked.before.lists_events = true;
        let prepared = asked.run()?;
        self.apply(prepared).map(drop)
    }

    /// Begin a change in two parts, because compiling pipelines and finding walls and ways of a map may take seconds: first
    /// [`Preparation::run`], on any thread, while this simulation steps on; then [`Simulation::apply`].
    pub fn prepare(&self, scene: &Scene) -> Preparation {
        let (gpu, scene, before) = (self.gpu.clone(), scene.clone(), self.model.clone());
        let textures = self.bindings.textures.clone();
        Preparation { gpu, scene, before, pipelines: Arc::clone(&self.pipelines), textures }
    }

    /// Apply a prepared change, which may have been prepared many steps ago. What it replaces follows from the scene that the simulation has
    /// now: if that has other agents than the prepared one, because another change came between, this is a [`Change::Restart`]. Blocks until
    /// the state is read back if the result is [`Change::State`].
    ///
    /// # Errors
    /// A device that has no memory left, or failed, and an earlier write that it refused.
    pub fn apply(&mut self, change: PreparedChange) -> Result<Change, GpuError> {
        // Before anything is replaced: a change that fails leaves everything as it was.
        self.refused.take().map_or(Ok(()), Err)?;
        let PreparedChange { scene, mut model, pipelines, mut textures } = change;
        pipelines.check(&self.gpu, &model)?;
        // A buffer whose size changes is made anew and loses its contents, so the state then goes through a snapshot.
        let goes_on = |old: &wgpu::Buffer, b: &Buffer| old.size() == made_bytes(b, &model, &pipelines);
        let missing = |b: &&Buffer| {
            let old = self.buffers.get(&b.id);
            b.is_kept(&model) && pipelines.binds(b.id) && !old.is_some_and(|old| goes_on(old, b))
        };
        let change = match Change::between(&self.model, &model, &self.scene, &scene) {
            Change::Numbers if BUFFERS.iter().any(|b| missing(&b)) => Change::State,
            Change::Numbers if !Arc::ptr_eq(&self.pipelines, &pipelines) => Change::Pipelines,
            change => change,
        };
        if change != Change::Restart && scene.mouse == self.scene.mouse {
            model.world.mouse = self.model.world.mouse;
        }
        let listed = self.model.lists_events && !model.lists_events;
        let way_costs = self.model.way_costs_for_next(&model, self.steps);
        let snapshot = match change {
            Change::Restart => Some(Snapshot::start(&model, &State::initial(&scene))),
            Change::State => {
                let snapshot = self.snapshot()?.adapted(&self.model, &model, &scene);
                Some(snapshot.with_way_costs(way_costs.clone()))
            }
            Change::Numbers | Change::Pipelines => None,
        };
        if change != Change::Restart && way_costs.first().is_some_and(|left| *left > 0) {
            // The change may have been prepared many steps ago: until the next ways are due, agents follow the ways that they follow now.
            model.awaited = model.latest_ways().cloned().map(|ways| Awaited { ways, due: 0 });
            model.ways = self.model.ways.clone();
            // `None` if no pass bound the ways so far; then the texture is made below.
            textures.ways = self.bindings.textures.ways.clone();
            textures = Textures::new(&self.gpu, &model, &pipelines, Some(&textures))?;
        }
        let mut before = if change == Change::Restart { Buffers::new() } else { self.buffers.clone() };
        if self.holds == Holds::Cells && !pipelines.strides() {
            // `stride` has counted the agents for the next step already, and `bin` of the new pipelines would add to those counts.
            before.remove(&BufferId::Count);
        }
        let buffers = allocate(&self.gpu, &model, &pipelines, &before)?;
        let bindings = bind(&self.gpu, &model, &pipelines, &buffers, textures, Some(&self.bindings))?;
        self.gpu.alive()?;
        let counts = self.model.crowd_counts().to_vec();
        let grid = |model: &CompiledScene| (model.world.cells, model.world.cells_per_unit, model.world.cells_beyond);
        let starts = |buffers: &Buffers| buffers.get(&BufferId::CellStart).cloned();
        self.holds_cell_starts &= grid(&self.model) == grid(&model) && starts(&self.buffers) == starts(&buffers);
        // From here on only the device can fail.
        if change == Change::Restart {
            self.slots = OnceLock::new();
        }
        (self.scene, self.model, self.pipelines) = (scene, model, pipelines);
        (self.buffers, self.bindings) = (buffers, bindings);
        self.forget_cells();
        self.upload_parameters(0, &self.model.clone());
        match snapshot {
            Some(snapshot) => self.write_snapshot(&snapshot)?,
            // The change may have been prepared many steps ago: use the counts of crowds of now.
            None => self.update_ways(|model, steps| model.restore_ways(&counts, &way_costs, steps))?,
        }
        if listed {
            // The change was prepared before events were asked for.
            self.list_events()?;
        }
        self.refused.take().map_or(Ok(change), Err)
    }
}

/// The input of a change that is not prepared yet: see [`Simulation::prepare`].
#[derive(Debug)]
pub struct Preparation {
    gpu: Gpu,
    scene: Scene,
    before: CompiledScene,
    pipelines: Arc<Pipelines>,
    textures: Textures,
}

impl Preparation {
    /// Compile and compute what the change needs. Blocks while shaders compile and ways are computed, as long as for a new simulation. It
    /// may run on any thread.
    ///
    /// # Errors
    /// A scene that breaks a rule, and what [`Simulation::new`] may fail with.
    pub fn run(self) -> Result<PreparedChange, GpuError> {
        let Preparation { gpu, scene, before, mut pipelines, textures } = self;
        let model = before.followed_by(&scene, pipelines.options.grid)?;
        if pipelines.check(&gpu, &model).is_err() {
            let program = Program::checked(&gpu, &model, &pipelines.options)?;
            pipelines = Arc::new(program.compile(&gpu, &pipelines.options, &model)?);
        }
        let fits = check_limits(&gpu.device.limits(), &gpu.info, &model, &pipelines.bound);
        fits.map_err(|error| gpu.of_limits(error))?;
        let textures = Textures::new(&gpu, &model, &pipelines, Some(&textures))?;
        Ok(PreparedChange { scene, model, pipelines, textures })
    }
}

/// A change that is ready to be applied: see [`Simulation::apply`].
#[derive(Debug)]
pub struct PreparedChange {
    scene: Scene,
    model: CompiledScene,
    pipelines: Arc<Pipelines>,
    textures: Textures,
}
