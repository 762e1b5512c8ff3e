//! Live changes: a simulation goes on as one of another scene.

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
    /// Numbers, behaviors and bodies may change while all agents go on; what agents remember stays. Where steering was
    /// neither held nor smoothed before and is now (`update_every`, `smoothing_time`), an agent holds none until the
    /// next step in which it steers. Agents outside of a smaller world come in at the other side of its wrapped axes; agents that would be
    /// in a wall of another map are put beside it.
    /// The ground stays, unless the scene has another at its start, and so does the target `mouse`. Blocks while shaders compile, where it
    /// needs others.
    ///
    /// # Errors
    /// A scene that breaks a rule, and what [`Simulation::new`] may fail with.
    pub fn change(&mut self, scene: &Scene) -> Result<Change, GpuError> {
        let prepared = self.prepare(scene).run()?;
        self.apply(prepared)
    }

    /// List events from now on, for [`Simulation::take_events`]. That takes passes of their own, so this blocks while they compile.
    ///
    /// # Errors
    /// What [`Simulation::new`] may fail with.
    pub fn list_events(&mut self) -> Result<(), GpuError> {
        let mut asked = self.prepare(&self.scene);
        asked.before.lists_events = true;
        let prepared = asked.run()?;
        self.apply(prepared).map(drop)
    }

    /// A change in two parts, because it may take seconds to compile pipelines and to find walls and ways of a map: [`Preparation::run`], on
    /// any thread, while this simulation steps on; then [`Simulation::apply`].
    pub fn prepare(&self, scene: &Scene) -> Preparation {
        let (gpu, scene, before) = (self.gpu.clone(), scene.clone(), self.model.clone());
        let textures = self.bindings.textures.clone();
        Preparation { gpu, scene, before, pipelines: Arc::clone(&self.pipelines), textures }
    }

    /// Take over a change that is prepared. It may have been prepared long ago. Blocks until the state is there, where
    /// [`Change::State`] is what it takes.
    ///
    /// # Errors
    /// A device that has no memory left, or failed.
    pub fn apply(&mut self, change: PreparedChange) -> Result<Change, GpuError> {
        let PreparedChange { scene, mut model, pipelines, mut textures } = change;
        pipelines.check(&self.gpu, &model)?;
        // One of another size is made anew, without its contents.
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
            // The change may have been prepared long ago: what is followed until the next ways are there is what is followed now.
            model.awaited = model.latest_ways().cloned().map(|ways| Awaited { ways, due: 0 });
            model.ways = self.model.ways.clone();
            // Where no pass has bound them so far, there is no texture of them.
            textures.ways = self.bindings.textures.ways.clone();
            textures = Textures::new(&self.gpu, &model, &pipelines, Some(&textures))?;
        }
        let mut before = if change == Change::Restart { Buffers::new() } else { self.buffers.clone() };
        if self.holds == Holds::Cells && !pipelines.strides() {
            // A stride has counted the agents for the next step, and these pipelines would add to that.
            before.remove(&BufferId::Count);
        }
        let buffers = allocate(&self.gpu, &model, &pipelines, &before)?;
        let bindings = bind(&self.gpu, &model, &pipelines, &buffers, textures, Some(&self.bindings))?;
        self.gpu.alive()?;
        let counts = self.model.crowd_counts().to_vec();
        // From here on nothing fails, unless the device does.
        if change == Change::Restart {
            self.slots = OnceLock::new();
        }
        (self.scene, self.model, self.pipelines) = (scene, model, pipelines);
        (self.buffers, self.bindings) = (buffers, bindings);
        self.forget_cells();
        self.upload_parameters(0, &self.model.clone());
        match snapshot {
            Some(snapshot) => self.write_snapshot(&snapshot)?,
            // The change may have been prepared many steps ago: ways heed the counts of now.
            None => self.have_ways(|model, steps| model.lead_as(&counts, &way_costs, steps))?,
        }
        if listed {
            // It was prepared before anybody asked for events.
            self.list_events()?;
        }
        self.refused.take().map_or(Ok(change), Err)
    }
}

/// A change of a simulation that has yet to be made: see [`Simulation::prepare`].
#[derive(Debug)]
pub struct Preparation {
    gpu: Gpu,
    scene: Scene,
    before: CompiledScene,
    pipelines: Arc<Pipelines>,
    textures: Textures,
}

impl Preparation {
    /// Make what the change needs. Blocks while shaders compile and ways are computed, as long as for a new simulation; it may run on any
    /// thread.
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
        check_limits(&gpu.device.limits(), &gpu.info, &model, &pipelines.bound)?;
        let textures = Textures::new(&gpu, &model, &pipelines, Some(&textures))?;
        Ok(PreparedChange { scene, model, pipelines, textures })
    }
}

/// A change that only has to be taken over: see [`Simulation::apply`].
#[derive(Debug)]
pub struct PreparedChange {
    scene: Scene,
    model: CompiledScene,
    pipelines: Arc<Pipelines>,
    textures: Textures,
}
