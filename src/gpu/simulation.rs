//! A simulation on the GPU: the buffers of one world and the pipelines that step it.

use super::buffers::{Bindings, Buffers, allocate, bind, check_limits, largest_binding, nothing};
use super::find::{self, Agent};
use super::pipelines::{Pass, Pipelines, Program, integrate};
use super::readback::{Pending, Readback};
use super::{Gpu, GpuError, traffic};
use crate::fault;
use crate::model::{
    AGENTS_PER_LONG_SHARE, AGENTS_PER_SHARE, BUFFERS, Buffer, Change, CompiledScene, DispatchDomain, FROZEN,
    GATHER_COLUMNS, GridChoice, Life, OBSERVED_WORDS, Observation, STAGES, Snapshot, State, buffer,
};
use crate::scene::Scene;
use crate::shaders::Sources;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::RangeBounds;
use std::sync::{Arc, OnceLock};

/// Workgroups along the first dimension of a dispatch; a longer one gets a second dimension.
const WIDEST_DISPATCH: u32 = 65535;

/// Dispatch so many workgroups.
pub(super) fn dispatch(compute: &mut wgpu::ComputePass<'_>, groups: u32) {
    let width = groups.min(WIDEST_DISPATCH);
    compute.dispatch_workgroups(width, groups.div_ceil(width.max(1)), 1);
}

/// The passes of a step, as debuggers show them.
const STEP: wgpu::ComputePassDescriptor<'_> =
    wgpu::ComputePassDescriptor { label: Some("step"), timestamp_writes: None };

/// Submissions that may be under way at once.
const IN_FLIGHT: usize = 3;

/// How a simulation is built. The defaults are what the product runs and what `verify` verifies.
#[derive(Debug, Clone)]
pub struct Options {
    /// Load shaders so that floats are computed as written, where the device can.
    pub exact: bool,
    /// Invocations per workgroup of the stages that run over agents: 64, 128 or 256.
    pub workgroup_size: u32,
    /// How fine the grid is.
    pub grid: GridChoice,
    /// Clip rows of cells to the circle. Off only in the plain baseline.
    pub clipped_rows: bool,
    /// Order the agents of a cell by id. Off only in the plain baseline: without it, sums depend on timing.
    pub id_order: bool,
    /// Steer, integrate and bin for the next step in one pass, where the scene and the device can: see
    /// [`STRIDE`](crate::model::STRIDE). The bits are the same.
    pub stride: bool,
    /// The shader files.
    pub shaders: Sources,
    /// Overrides that are set otherwise than the scene needs, with which tests break a pipeline.
    pub forced: Vec<(String, f64)>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            exact: true,
            workgroup_size: 64,
            grid: GridChoice::default(),
            clipped_rows: true,
            id_order: true,
            stride: true,
            shaders: Sources::default(),
            forced: Vec::new(),
        }
    }
}

impl Options {
    /// The common design that the profiler compares with: cells as wide as the perception radius, whole rows, and the
    /// order of threads within a cell.
    pub fn plain() -> Self {
        let grid = GridChoice { cells_per_radius: 1, ..Default::default() };
        Options { grid, clipped_rows: false, id_order: false, stride: false, ..Default::default() }
    }

    /// May one pass stand for several? Not where a user wrote some of the shaders: each stage is then run as it is written.
    pub(super) fn strides(&self) -> bool {
        self.stride && self.shaders.strides
    }
}

/// One world on a GPU.
#[derive(Debug)]
pub struct Simulation {
    gpu: Gpu,
    scene: Scene,
    model: CompiledScene,
    pipelines: Arc<Pipelines>,
    buffers: Buffers,
    /// What a renderer binds in place of a buffer that the scene does not have.
    nothing: wgpu::Buffer,
    /// One for each pass of the pipelines, and behind those the ones for `observe`.
    bindings: Bindings,
    /// The storage slot of each id, once somebody asked for it.
    slots: OnceLock<wgpu::Buffer>,
    submitted: VecDeque<wgpu::SubmissionIndex>,
    /// Why something that has no result could not be written: the next call that has one returns it.
    refused: Option<GpuError>,
    steps: u64,
    /// Are the agents, as they are, in the cells of the next step already? Whatever else may move them clears this.
    binned: bool,
    /// Are accelerations wanted? A stride does not keep them.
    accelerates: bool,
    /// Did the latest step keep them?
    accelerated: bool,
}

impl Simulation {
    /// A simulation of the scene that starts from this state. Blocks while shaders compile, which can take seconds; the pipelines
    /// of another simulation, or [`Simulation::new`] on a thread of yours, spare that.
    ///
    /// # Errors
    /// Too many agents for the adapter (checked before anything is allocated), a flow field or a shader that cannot be
    /// used, a state with another number of agents.
    pub fn new(gpu: &Gpu, scene: &Scene, state: &State, options: Options) -> Result<Self, GpuError> {
        state.check(scene)?;
        let model = CompiledScene::new(scene, options.grid)?.bound_by(largest_binding(&gpu.device.limits()));
        let pipelines = Arc::new(Program::checked(gpu, &model, &options)?.compile(gpu, &options)?);
        Simulation::assemble(gpu, scene, state, model, pipelines)
    }

    /// As [`Simulation::new`], to be awaited: in a browser, which answers late, only this hears of what the device refuses. wgpu
    /// compiles shaders on the thread that calls, so that part blocks here too.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub async fn new_async(gpu: &Gpu, scene: &Scene, state: &State, options: Options) -> Result<Self, GpuError> {
        let simulation = Simulation::new(gpu, scene, state, options)?;
        gpu.answered().await?;
        Ok(simulation)
    }

    /// As [`Simulation::new`], with the pipelines of another simulation: many small worlds need not compile each. They fit
    /// where both scenes use the same behaviors in the same way; numbers, seeds, agents and sizes may differ. `gpu` must be the
    /// one that they were made with, or a clone of it.
    ///
    /// # Errors
    /// As [`Simulation::new`], and [`GpuError::OtherPipelines`] where they do not fit.
    pub fn with_pipelines(
        gpu: &Gpu,
        scene: &Scene,
        state: &State,
        pipelines: Arc<Pipelines>,
    ) -> Result<Self, GpuError> {
        state.check(scene)?;
        let limits = gpu.device.limits();
        let model = CompiledScene::new(scene, pipelines.options.grid)?.bound_by(largest_binding(&limits));
        pipelines.check(gpu, &model)?;
        check_limits(&limits, &gpu.info, &model, &pipelines.bound)?;
        Simulation::assemble(gpu, scene, state, model, pipelines)
    }

    fn assemble(
        gpu: &Gpu,
        scene: &Scene,
        state: &State,
        model: CompiledScene,
        pipelines: Arc<Pipelines>,
    ) -> Result<Self, GpuError> {
        let buffers = allocate(gpu, &model, &pipelines.bound, &Buffers::new())?;
        let bindings = gpu.guarded(|| bind(gpu, &model, &pipelines, &buffers, None))?;
        let start = Snapshot::start(&model, state);
        let mut simulation = Simulation {
            gpu: gpu.clone(),
            scene: scene.clone(),
            model,
            pipelines,
            buffers,
            nothing: gpu.caught(|| nothing(gpu))?,
            bindings,
            slots: OnceLock::new(),
            submitted: VecDeque::new(),
            refused: None,
            steps: 0,
            binned: false,
            accelerates: false,
            accelerated: false,
        };
        simulation.upload_parameters();
        simulation.write_snapshot(&start)?;
        gpu.alive()?;
        Ok(simulation)
    }

    /// Would the scene fit this device? [`Simulation::new`] checks the same; this needs no state yet.
    ///
    /// # Errors
    /// Too many agents, a flow field that cannot be read, or a shader that cannot be used.
    pub fn check(gpu: &Gpu, scene: &Scene, options: &Options) -> Result<(), GpuError> {
        let model = CompiledScene::new(scene, options.grid)?.bound_by(largest_binding(&gpu.device.limits()));
        Program::checked(gpu, &model, options).map(drop)
    }

    /// Start anew from this state. Large states are sent in parts, and this blocks until all but the last have come.
    ///
    /// # Errors
    /// A state with another number of agents, or a device that failed.
    pub fn set_state(&mut self, state: &State) -> Result<(), GpuError> {
        state.check(&self.scene)?;
        self.write_snapshot(&Snapshot::start(&self.model, state))
    }

    /// Start a scene anew from its own start, whatever ran before: what follows is what a new simulation of it does.
    ///
    /// # Errors
    /// As [`Simulation::change`].
    pub fn restart(&mut self, scene: &Scene) -> Result<(), GpuError> {
        if self.change(scene)? != Change::Restart {
            self.set_state(&State::initial(scene))?;
        }
        Ok(())
    }

    /// The whole state, as it is when the steps submitted so far are done. Blocks until then.
    ///
    /// # Errors
    /// A device that failed.
    pub fn snapshot(&self) -> Result<Snapshot, GpuError> {
        self.read_snapshot().wait()
    }

    /// As [`Simulation::snapshot`], without waiting.
    pub fn read_snapshot(&self) -> Pending<Snapshot> {
        let has = |b: &&Buffer| self.buffers.contains_key(b.name) && (b.name != "pose" || self.model.vehicles.pose);
        let kept = BUFFERS.iter().filter(|b| b.life == Life::Kept).filter(has);
        self.read_columns(kept.map(|buffer| buffer.name).collect())
    }

    fn read_columns(&self, names: Vec<&'static str>) -> Pending<Snapshot> {
        let (model, steps) = (self.model.clone(), self.steps);
        let lengths: Vec<usize> = names.iter().map(|name| self.length(name)).collect();
        let (buffers, widths): (Vec<_>, Vec<_>) = names.iter().map(|name| self.parts(name)).unzip();
        Pending::new(self.gpu.read(&buffers.concat()), move |parts| {
            let mut parts = parts.into_iter();
            let columns = names.into_iter().zip(widths).zip(lengths).map(|((name, widths), length)| {
                let mut words = Buffer::joined(parts.by_ref().take(widths.len()).collect(), &widths);
                words.truncate(length);
                (name, words)
            });
            Snapshot::from_storage(&model, steps, columns.collect())
        })
    }

    /// Go on from a snapshot of this scene, taken on any backend. Blocks as [`Simulation::set_state`] does.
    ///
    /// # Errors
    /// A snapshot of another number of agents or dimensions, or one that was tampered with.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), GpuError> {
        snapshot.check(&self.model)?;
        self.write_snapshot(&snapshot.clone().completed(&self.model))?;
        self.gpu.alive()
    }

    fn write_snapshot(&mut self, snapshot: &Snapshot) -> Result<(), GpuError> {
        let mut cleared = Vec::new();
        for buffer in BUFFERS {
            if !self.buffers.contains_key(buffer.name) || !matches!(buffer.life, Life::Kept | Life::Cleared) {
                continue;
            }
            let (made, widths) = self.parts(buffer.name);
            match snapshot.stored(buffer.name, &self.model) {
                Some(words) => self.upload_parts(&made, &Buffer::split(&words, &widths), 0)?,
                None => cleared.extend(made),
            }
        }
        self.gpu.caught(|| {
            let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
            cleared.iter().for_each(|buffer| encoder.clear_buffer(buffer, 0, None));
            self.gpu.queue.submit([encoder.finish()]);
        })?;
        (self.steps, self.binned, self.accelerated) = (snapshot.steps, false, false);
        self.refused.take().map_or(Ok(()), Err)
    }

    /// Go on as a simulation of another scene, whatever differs. Returns what had to be replaced. A change that fails
    /// leaves the simulation as it was.
    ///
    /// Numbers, behaviors and bodies may change while all agents go on; what agents remember stays. Where steering was
    /// neither held nor smoothed before and is now (`update_every`, `smoothing_time`), an agent holds none until the
    /// next step in which it steers. Agents outside of a smaller world come in at the other side of its wrapped axes.
    /// The ground stays, unless the scene has another at its start. Blocks while shaders compile, where it needs others.
    ///
    /// # Errors
    /// A scene that breaks a rule, and what [`Simulation::new`] may fail with.
    pub fn change(&mut self, scene: &Scene) -> Result<Change, GpuError> {
        let prepared = self.prepare(scene).run()?;
        self.apply(prepared)
    }

    /// A change in two parts, because pipelines may take seconds to compile: [`Preparation::run`], on any thread, while this
    /// simulation steps on; then [`Simulation::apply`].
    pub fn prepare(&self, scene: &Scene) -> Preparation {
        let (gpu, scene, before) = (self.gpu.clone(), scene.clone(), self.model.clone());
        Preparation { gpu, scene, before, pipelines: Arc::clone(&self.pipelines) }
    }

    /// Take over a change that is prepared. It may have been prepared long ago. Blocks until the state is there, where
    /// [`Change::State`] is what it takes.
    ///
    /// # Errors
    /// A device that has no memory left, or failed.
    pub fn apply(&mut self, change: PreparedChange) -> Result<Change, GpuError> {
        let PreparedChange { scene, model, pipelines } = change;
        pipelines.check(&self.gpu, &model)?;
        let missing =
            |b: &&Buffer| b.life == Life::Kept && pipelines.binds(b.name) && !self.buffers.contains_key(b.name);
        let change = match Change::between(&self.model, &model, &self.scene, &scene) {
            Change::Numbers if BUFFERS.iter().any(|b| missing(&b)) => Change::State,
            Change::Numbers if !Arc::ptr_eq(&self.pipelines, &pipelines) => Change::Pipelines,
            change => change,
        };
        let snapshot = match change {
            Change::Restart => Some(Snapshot::start(&model, &State::initial(&scene))),
            Change::State => Some(self.snapshot()?.adapted(&self.model, &model, &scene)),
            Change::Numbers | Change::Pipelines => None,
        };
        let none = Buffers::new();
        let before = if change == Change::Restart { &none } else { &self.buffers };
        let buffers = allocate(&self.gpu, &model, &pipelines.bound, before)?;
        let bindings = self.gpu.guarded(|| bind(&self.gpu, &model, &pipelines, &buffers, Some(&self.bindings)))?;
        self.gpu.alive()?;
        // From here on nothing fails, unless the device does.
        if change == Change::Restart {
            self.slots = OnceLock::new();
        }
        (self.scene, self.model, self.pipelines) = (scene, model, pipelines);
        (self.buffers, self.bindings, self.binned) = (buffers, bindings, false);
        self.upload_parameters();
        if let Some(snapshot) = snapshot {
            self.write_snapshot(&snapshot)?;
        }
        self.refused.take().map_or(Ok(change), Err)
    }

    /// Move the target `mouse` to a point, u. Should the device refuse that, the next step returns why.
    pub fn set_mouse(&mut self, point: glam::Vec3) {
        self.model.world.mouse = self.model.store(point);
        let world = self.model.world;
        self.write("world", bytemuck::bytes_of(&world));
    }

    fn upload_parameters(&mut self) {
        let model = self.model.clone();
        self.write("world", bytemuck::bytes_of(&model.world));
        self.write("species", bytemuck::cast_slice(&model.species_words()));
        self.write("scenery", bytemuck::bytes_of(&model.scenery));
        self.write("pieces", bytemuck::cast_slice(&model.pieces));
        let components = model.components();
        let field: Vec<f32> = model.field.vectors.iter().flat_map(|v| v[..components].iter().copied()).collect();
        self.write("field", bytemuck::cast_slice(&field));
    }

    /// Record one simulation step into the caller's commands. It counts when [`Simulation::submitted`] is told of it.
    pub fn encode_step(&self, encoder: &mut wgpu::CommandEncoder) {
        self.encode_stages(encoder, ..);
    }

    /// Record the first part of a step: all that steering takes. Then [`Simulation::acceleration_buffer`] holds the
    /// combined steering of each agent, and a pass of the caller may add to it before [`Simulation::encode_motion`].
    pub fn encode_steering(&self, encoder: &mut wgpu::CommandEncoder) {
        self.encode_stages(encoder, ..integrate());
    }

    /// Record the rest of a step: the agents move as [`Simulation::acceleration_buffer`] says.
    pub fn encode_motion(&self, encoder: &mut wgpu::CommandEncoder) {
        self.encode_stages(encoder, integrate()..);
    }

    /// Record some stages of [`STAGES`], by their indices.
    pub fn encode_stages(&self, encoder: &mut wgpu::CommandEncoder, stages: impl RangeBounds<usize>) {
        self.encode_passes(encoder, stages, |_| true);
    }

    fn encode_passes(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        stages: impl RangeBounds<usize>,
        wanted: impl Fn(&Pass) -> bool,
    ) {
        if stages.contains(&0) && self.pipelines.strides() {
            // `bin` counts from zero, also where a stride counted the agents already.
            encoder.clear_buffer(self.buffer("count"), 0, None);
        }
        let mut compute = encoder.begin_compute_pass(&STEP);
        for (index, pass) in self.pipelines.passes.iter().enumerate() {
            let stage = STAGES.iter().position(|stage| stage.name == pass.stage.name);
            if stage.is_some_and(|stage| stages.contains(&stage)) && wanted(pass) {
                self.dispatch(&mut compute, index);
            }
        }
    }

    /// Record a step that the steps before and after it are in a row with.
    pub(super) fn encode_in_row(&mut self, encoder: &mut wgpu::CommandEncoder) {
        if !self.in_strides() {
            self.binned = false;
            return self.encode_passes(encoder, .., |pass| pass.name != GATHER_COLUMNS);
        }
        self.encode_entry(encoder);
        let mut compute = encoder.begin_compute_pass(&STEP);
        self.row().iter().for_each(|index| self.dispatch(&mut compute, *index));
    }

    /// Keep the acceleration of each agent in every step from now on, for [`Simulation::acceleration_buffer`]? That takes passes of
    /// their own. For pictures that show it.
    pub fn keep_accelerations(&mut self, keep: bool) {
        self.accelerates = keep;
    }

    /// Does [`Simulation::acceleration_buffer`] hold those of the latest step?
    pub fn has_accelerations(&self) -> bool {
        self.accelerated
    }

    /// The indices of the passes of a step in a row of steps.
    fn row(&self) -> &[usize] {
        if self.model.is_small() { &self.pipelines.small_row } else { &self.pipelines.row }
    }

    /// The dispatches of a step in a row of steps, in order.
    pub fn of_step(&self) -> impl Iterator<Item = &Pass> {
        self.row().iter().map(|index| &self.pipelines.passes[*index])
    }

    /// Does one pass stand for several in the steps to come?
    pub(super) fn in_strides(&self) -> bool {
        self.pipelines.strides() && !self.accelerates
    }

    /// Record what the first of a row of steps needs: the agents enter their cells, if they have not.
    pub(super) fn encode_entry(&mut self, encoder: &mut wgpu::CommandEncoder) {
        if self.pipelines.strides() && !self.binned {
            self.encode_stages(encoder, ..1);
            self.binned = true;
        }
    }

    /// Record one dispatch of a step in a row of steps, by its index in [`Simulation::of_step`].
    pub(super) fn encode_pass(&self, encoder: &mut wgpu::CommandEncoder, index: usize) {
        if let Some(index) = self.row().get(index) {
            self.dispatch(&mut encoder.begin_compute_pass(&Default::default()), *index);
        }
    }

    /// Count steps that the caller recorded and submitted. To be called, with 0, by a caller whose own passes moved agents,
    /// too.
    pub fn submitted(&mut self, steps: u32) {
        self.stepped(steps);
        self.binned = false;
        self.accelerated |= steps > 0;
    }

    pub(super) fn stepped(&mut self, steps: u32) {
        self.steps += u64::from(steps);
        if steps > 0 {
            self.accelerated = !self.in_strides();
        }
    }

    /// Record one step in a row of steps with a compute pass, and a pair of timestamps, for each dispatch: 2k and 2k + 1 for
    /// dispatch k, from `first`.
    pub(super) fn encode_step_timed(&self, encoder: &mut wgpu::CommandEncoder, queries: &wgpu::QuerySet, first: u32) {
        for (place, &index) in self.row().iter().enumerate() {
            let begin = first + 2 * place as u32;
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some(self.pipelines.passes[index].name),
                timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                    query_set: queries,
                    beginning_of_pass_write_index: Some(begin),
                    end_of_pass_write_index: Some(begin + 1),
                }),
            });
            self.dispatch(&mut pass, index);
        }
    }

    fn dispatch(&self, compute: &mut wgpu::ComputePass<'_>, index: usize) {
        let pass = self.pass(index);
        let groups = self.workgroups(pass);
        if groups == 0 {
            return;
        }
        compute.push_debug_group(pass.name);
        compute.set_pipeline(&pass.pipeline);
        compute.set_bind_group(0, &self.bindings.groups[index], &[]);
        if pass.domain == DispatchDomain::ActiveList && self.model.features.skips {
            compute.dispatch_workgroups_indirect(self.buffer("active_groups"), 0);
        } else {
            dispatch(compute, groups);
        }
        compute.pop_debug_group();
    }

    fn pass(&self, index: usize) -> &Pass {
        let Pipelines { passes, observe, .. } = &*self.pipelines;
        passes.get(index).unwrap_or_else(|| &observe[index - passes.len()])
    }

    fn workgroups(&self, pass: &Pass) -> u32 {
        match pass.domain {
            DispatchDomain::QueryingAgents if self.model.features.few_queries => {
                self.model.querying_agents().div_ceil(pass.workgroup_size)
            }
            // The clock ticks in an empty world too.
            DispatchDomain::Agents | DispatchDomain::QueryingAgents | DispatchDomain::ActiveList => {
                self.model.world.agent_count.max(1).div_ceil(pass.workgroup_size)
            }
            DispatchDomain::Blocks => (self.model.world.frozen_cell() + 2).div_ceil(self.pipelines.bound.scan_block),
            DispatchDomain::Ground => (self.model.ground.len() as u32).div_ceil(pass.workgroup_size),
            DispatchDomain::Shares => {
                let share = if self.gpu.software() { AGENTS_PER_LONG_SHARE } else { AGENTS_PER_SHARE };
                self.model.world.agent_count.max(1).div_ceil(pass.workgroup_size * share)
            }
            DispatchDomain::Few => self.model.world.agent_count.max(1).div_ceil(pass.workgroup_size).min(64),
            DispatchDomain::Single => 1,
        }
    }

    /// Steps in one submission: small worlds go in batches, because a submission costs about as much as such a step.
    fn batch(&self) -> u32 {
        ((1 << 20) / self.model.world.agent_count.max(1 << 14)).max(1)
    }

    /// Run `steps` simulation steps. Blocks until all are submitted and all but the last few are done; [`Simulation::encode_step`]
    /// never does.
    ///
    /// # Errors
    /// A device that failed, or refused this. Other simulations go on unless it is lost.
    pub fn step(&mut self, steps: u32) -> Result<(), GpuError> {
        let batch = self.batch();
        let mut left = steps;
        while left > 0 {
            if fault::strikes("lost", "the device") {
                self.gpu.device.destroy();
            }
            let now = left.min(batch);
            let submitted =
                self.submit(|simulation, encoder| (0..now).for_each(|_| simulation.encode_in_row(encoder)))?;
            self.submitted.push_back(submitted);
            self.stepped(now);
            left -= now;
            if self.submitted.len() > IN_FLIGHT {
                self.gpu.wait_for(self.submitted.pop_front())?;
            }
            self.gpu.alive()?;
        }
        Ok(())
    }

    /// Submit what is recorded, unless something was or is refused.
    pub(super) fn submit(
        &mut self,
        record: impl FnOnce(&mut Self, &mut wgpu::CommandEncoder),
    ) -> Result<wgpu::SubmissionIndex, GpuError> {
        let gpu = self.gpu.clone();
        let submitted = self.refused.take().map_or(Ok(()), Err).and_then(|()| {
            gpu.caught(|| {
                let mut encoder = gpu.device.create_command_encoder(&Default::default());
                record(self, &mut encoder);
                gpu.queue.submit([encoder.finish()])
            })
        });
        if submitted.is_err() {
            // What was recorded never ran.
            self.binned = false;
        }
        submitted
    }

    /// Run the dispatches of one stage of [`STAGES`], with the very pipelines of a step. Blocks until they are done.
    ///
    /// # Errors
    /// A device that failed.
    pub fn run_stage(&mut self, stage: usize) -> Result<(), GpuError> {
        self.submit(|simulation, encoder| simulation.encode_stages(encoder, stage..=stage))?;
        self.submitted(u32::from(stage + 1 == STAGES.len()));
        self.gpu.wait_for(None)
    }

    /// Read the state of all agents, in the order of their ids. Blocks until the steps submitted so far are done.
    ///
    /// # Errors
    /// A device that failed.
    pub fn state(&self) -> Result<State, GpuError> {
        self.read_state().wait()
    }

    /// As [`Simulation::state`], without waiting.
    pub fn read_state(&self) -> Pending<State> {
        self.read_columns(self.state_columns()).map(|snapshot| snapshot.state())
    }

    /// Positions and velocities of all agents, in the order of their ids, and who is frozen; no poses. It takes less memory than
    /// the whole state. Blocks until they are there.
    ///
    /// # Errors
    /// A device that failed.
    pub fn motion(&self) -> Result<State, GpuError> {
        let (agents, components) = (self.model.world.agent_count as usize, self.model.components());
        let ids = self.gpu.download(self.buffer("id"))?;
        let vectors = |name: &str| -> Result<Vec<[f32; 3]>, GpuError> {
            let mut vectors = vec![[0.0; 3]; agents];
            self.gpu.download_parts(self.buffer(name), |first, part| {
                let ids = ids.iter().take(agents).skip(first / components);
                for (words, id) in part.chunks_exact(components).zip(ids) {
                    // A user's shaders may write ids that nobody has.
                    if let Some(vector) = vectors.get_mut((id & !FROZEN) as usize) {
                        vector.iter_mut().zip(words).for_each(|(axis, word)| *axis = f32::from_bits(*word));
                    }
                }
            })?;
            Ok(vectors)
        };
        let (positions, velocities) = (vectors("position")?, vectors("velocity")?);
        let mut frozen = vec![false; agents];
        for id in ids.into_iter().take(agents) {
            if let Some(frozen) = frozen.get_mut((id & !FROZEN) as usize) {
                *frozen = id & FROZEN != 0;
            }
        }
        Ok(State { positions, velocities, frozen, poses: Vec::new() })
    }

    fn state_columns(&self) -> Vec<&'static str> {
        let pose = self.model.vehicles.pose.then_some("pose");
        ["position", "velocity", "id"].into_iter().chain(pose).collect()
    }

    /// Run so many times `every` steps, and keep the state after each. Of small worlds many go into one submission, because that,
    /// and waiting for it, takes longer than such a step. Blocks until all are there.
    ///
    /// # Errors
    /// A device that failed.
    pub fn states(&mut self, moments: u32, every: u32) -> Result<Vec<State>, GpuError> {
        let (names, at_once) = (self.state_columns(), (self.batch() / every.max(1)).max(1));
        let (model, mut states) = (self.model.clone(), Vec::with_capacity(moments as usize));
        while states.len() < moments as usize {
            let now = at_once.min(moments - states.len() as u32);
            let column = |name: &&str| self.buffer(name).clone();
            let columns: Vec<wgpu::Buffer> = names.iter().map(column).collect();
            let columns: Vec<&wgpu::Buffer> = columns.iter().collect();
            let gpu = self.gpu.clone();
            let copied = gpu.read_recorded(|gpu, encoder| {
                let staging = Readback::staging(gpu, &columns, now);
                for moment in 0..now {
                    (0..every).for_each(|_| self.encode_in_row(encoder));
                    Readback::copy(encoder, &columns, &staging, moment);
                }
                staging
            });
            self.stepped(now * every);
            let words = copied.wait()?;
            for moment in 0..now as usize {
                let part = |(name, words): (&&'static str, &Vec<u32>)| {
                    let start = moment * words.len() / now as usize;
                    (*name, words[start..start + self.length(name)].to_vec())
                };
                let columns = names.iter().zip(&words).map(part).collect();
                states.push(Snapshot::from_storage(&model, self.steps, columns).state());
            }
        }
        Ok(states)
    }

    /// Digest and observables of the current state, reduced on the GPU. Blocks until they are there.
    ///
    /// # Errors
    /// A device that failed, or a step that the driver cut off.
    pub fn observe(&self) -> Result<Observation, GpuError> {
        self.judged(self.read_observation().wait()?)
    }

    /// As [`Simulation::observe`], without waiting. A step that the driver cut off is no error here: see
    /// [`Observation::ever_cut_off`].
    pub fn read_observation(&self) -> Pending<Observation> {
        self.read_observed(self.pipelines.passes.len(), &[])
    }

    /// As [`Simulation::read_observation`], right behind a whole step: where sorted agents are loaded from a texture nobody needs them then,
    /// so the columns are copied there and loaded from it.
    fn read_row(&self) -> Pending<Observation> {
        let Pipelines { passes, observe, .. } = &*self.pipelines;
        if observe.len() < 2 {
            return self.read_observation();
        }
        let column = |name| (self.buffer(name), self.length(name));
        self.read_observed(passes.len() + 1, &["position", "velocity", "id", "neighbors"].map(column))
    }

    /// What a pass of `observe` says, by its index, once these columns are copied for it.
    fn read_observed(&self, pass: usize, columns: &[(&wgpu::Buffer, usize)]) -> Pending<Observation> {
        let observed = self.buffer("observed");
        let readback = self.gpu.read_recorded(|gpu, encoder| {
            self.bindings.copy_to_texture(encoder, columns);
            self.dispatch(&mut encoder.begin_compute_pass(&Default::default()), pass);
            let staging = Readback::staging(gpu, &[observed], 1);
            Readback::copy(encoder, &[observed], &staging, 0);
            staging
        });
        let used = self.workgroups(self.pass(pass)) as usize * OBSERVED_WORDS;
        let (agents, top_speed) = (self.model.world.agent_count, self.model.world.top_speed);
        Pending::new(readback, move |words| Observation::from_words(&words[0][..used], agents, top_speed))
    }

    /// Run so many times `every` steps, and observe after each, which holds up no step. Blocks until all is done.
    ///
    /// # Errors
    /// As [`Simulation::observe`].
    pub fn observations(&mut self, moments: u32, every: u32) -> Result<Vec<Observation>, GpuError> {
        let mut coming = Vec::with_capacity(moments as usize);
        for _ in 0..moments {
            self.step(every)?;
            coming.push(if every > 0 { self.read_row() } else { self.read_observation() });
        }
        coming.into_iter().map(|pending| self.judged(pending.wait()?)).collect()
    }

    fn judged(&self, observation: Observation) -> Result<Observation, GpuError> {
        if observation.ever_cut_off { Err(self.cut_off(&observation)?) } else { Ok(observation) }
    }

    fn cut_off(&self, observation: &Observation) -> Result<GpuError, GpuError> {
        let starts = self.words("cell_start")?;
        let starts = &starts[..self.model.world.frozen_cell() as usize + 2];
        Ok(GpuError::CutOff {
            step: self.steps,
            agents: observation.cut_off,
            first: observation.first_bad,
            // Those of a user's shader may be anything.
            fullest: starts.windows(2).map(|w| w[1].saturating_sub(w[0])).max().unwrap_or(0),
            radius: self.scene.perception_radius(),
            candidates: self.scene.agents_within(self.scene.perception_radius()),
            adapter: self.gpu.info.name.clone(),
        })
    }

    /// The words of a buffer by its name in the shaders, without padding. Blocks until they are there.
    ///
    /// # Errors
    /// A device that failed, or a buffer that the simulation does not have.
    pub fn words(&self, buffer: &str) -> Result<Vec<u32>, GpuError> {
        self.read_words(buffer)?.wait()
    }

    /// As [`Simulation::words`], without waiting.
    ///
    /// # Errors
    /// A buffer that the simulation does not have.
    pub fn read_words(&self, buffer: &str) -> Result<Pending<Vec<u32>>, GpuError> {
        let (place, length) = (self.place(buffer), self.length(buffer));
        let place = place.filter(|(whole, _)| self.buffers.contains_key(whole));
        let (whole, first) = place.ok_or_else(|| GpuError::NoBuffer { name: buffer.to_owned() })?;
        let (parts, widths) = self.parts(whole);
        Ok(Pending::new(self.gpu.read(&parts), move |parts| {
            let mut words = Buffer::joined(parts, &widths);
            words.truncate(first + length);
            words.split_off(first)
        }))
    }

    /// Overwrite a buffer, so that the next stage starts from these words. Nothing happens where there is no such buffer. Of
    /// sorted agents, an adapter with [`Gpu::texture_loads`] goes on with those that `gather` wrote. Should the device refuse it, the
    /// next step returns why.
    pub fn write_words(&mut self, buffer: &str, words: &[u32]) {
        self.binned = false;
        self.write(buffer, bytemuck::cast_slice(words));
    }

    fn write(&mut self, name: &str, bytes: &[u8]) {
        let Some((whole, first)) = self.place(name) else { return };
        if bytes.is_empty() || !self.buffers.contains_key(whole) {
            return;
        }
        let (made, widths) = self.parts(whole);
        let uploaded = self.upload_parts(&made, &Buffer::split(bytemuck::cast_slice(bytes), &widths), first);
        if let Err(error) = uploaded {
            self.refused.get_or_insert(error);
        }
    }

    /// Overwrite the parts of a buffer, of one that lies in a single part from some word on.
    fn upload_parts(&self, made: &[&wgpu::Buffer], parts: &[Cow<'_, [u32]>], first: usize) -> Result<(), GpuError> {
        let mut parts = made.iter().zip(parts);
        parts.try_for_each(|(made, part)| self.gpu.upload(made, 4 * first as u64, bytemuck::cast_slice(part)))
    }

    /// The buffers that the words of one lie in, and how many of each element lie there.
    pub(crate) fn parts(&self, name: &str) -> (Vec<&wgpu::Buffer>, Vec<usize>) {
        let parts = buffer(name).map(|buffer| buffer.parts(&self.model)).unwrap_or_default();
        parts.into_iter().map(|(name, width)| (self.buffer(name), width)).unzip()
    }

    /// Read some agents by their ids, without waiting and without reading the others.
    ///
    /// # Errors
    /// [`GpuError::NoAgent`].
    pub fn read_agents(&self, ids: &[u32]) -> Result<Pending<Vec<Agent>>, GpuError> {
        let agents = self.model.world.agent_count;
        if let Some(id) = ids.iter().copied().find(|id| *id >= agents) {
            return Err(GpuError::NoAgent { id, agents });
        }
        let (finder, slots) = (self.finder()?, self.slots()?);
        let head = self.head();
        let columns = ["id", "position", "velocity", "neighbors", "acceleration"].map(|name| self.buffer(name));
        let (asked, accelerated, posed) = (ids.len(), self.accelerated, self.model.vehicles.pose);
        let poses = if posed { self.parts("pose") } else { Default::default() };
        let readback =
            self.gpu.read_recorded(|gpu, encoder| finder.find(gpu, encoder, head, slots, columns, poses, ids));
        Ok(Pending::new(readback, move |words| find::agents(&words[0], asked, accelerated, posed)))
    }

    /// Record a pass that writes the storage slot of each agent, by its id, into the buffer that is returned: one u32 each. It is the
    /// same buffer every time as long as the agents are the same. The ids of a species are [`Scene::species_ids`], so with this each
    /// species can be drawn by itself.
    ///
    /// # Errors
    /// A device that has no memory left, or failed.
    pub fn encode_slots(&self, encoder: &mut wgpu::CommandEncoder) -> Result<&wgpu::Buffer, GpuError> {
        let slots = self.slots()?;
        let finder = self.finder()?;
        self.gpu.caught(|| finder.number(&self.gpu, encoder, self.head(), self.id_buffer(), slots))?;
        Ok(slots)
    }

    fn head(&self) -> find::Head {
        find::Head { components: self.model.components(), agents: self.model.world.agent_count }
    }

    fn finder(&self) -> Result<&find::Finder, GpuError> {
        made_once(&self.gpu.finder, || find::Finder::new(&self.gpu))
    }

    fn slots(&self) -> Result<&wgpu::Buffer, GpuError> {
        made_once(&self.slots, || find::slots(&self.gpu, self.model.world.agent_count))
    }

    /// Where the words of a buffer lie; nowhere, where the scene has none.
    fn place(&self, name: &str) -> Option<(&'static str, usize)> {
        buffer(name).filter(|buffer| (buffer.used)(&self.model)).map(|buffer| buffer.place(&self.model))
    }

    /// Does it have this buffer, or the one that it is a part of?
    pub fn has(&self, name: &str) -> bool {
        self.place(name).is_some_and(|(whole, _)| self.pipelines.binds(whole))
    }

    /// Words of a buffer without padding.
    fn length(&self, name: &str) -> usize {
        let bytes = buffer(name).map_or(0, |b| b.bytes(&self.model, self.pipelines.bound.scan_block));
        bytes as usize / 4
    }

    pub(crate) fn buffer(&self, name: &str) -> &wgpu::Buffer {
        self.buffers.get(name).unwrap_or(&self.nothing)
    }

    /// Positions of all agents by storage slot, u: two floats each in a planar world, three in a spatial one. The slot
    /// of an agent changes from step to step; [`Simulation::id_buffer`] holds the id of the agent in each slot.
    pub fn position_buffer(&self) -> &wgpu::Buffer {
        self.buffer("position")
    }

    /// Velocities of all agents by storage slot, u/s, laid out as the positions.
    pub fn velocity_buffer(&self) -> &wgpu::Buffer {
        self.buffer("velocity")
    }

    /// Ids of all agents by storage slot, u32; the top bit marks frozen agents.
    pub fn id_buffer(&self) -> &wgpu::Buffer {
        self.buffer("id")
    }

    /// The combined steering of each agent, u/s², laid out as the positions but by sorted index: the agents of one cell
    /// lie together, and [`Simulation::sorted_id_buffer`] holds their ids. To be read, or added to, between
    /// [`Simulation::encode_steering`] and [`Simulation::encode_motion`].
    pub fn acceleration_buffer(&self) -> &wgpu::Buffer {
        self.buffer("acceleration")
    }

    /// Ids of all agents by sorted index, as [`Simulation::id_buffer`]; valid after [`Simulation::encode_steering`].
    pub fn sorted_id_buffer(&self) -> &wgpu::Buffer {
        self.buffer("sorted_id")
    }

    /// Positions of all agents by sorted index, u, at the start of the step; valid after
    /// [`Simulation::encode_steering`].
    pub fn sorted_position_buffer(&self) -> &wgpu::Buffer {
        self.buffer("sorted_position")
    }

    /// Which way each agent faces, by id: see [`crate::model::Pose`]. Nearly empty in scenes whose agents keep no pose. Of more
    /// agents than one binding holds, only the first words of each: see [`Buffer::parts`].
    pub fn pose_buffer(&self) -> &wgpu::Buffer {
        self.buffer("pose")
    }

    /// The cells of the ground: see [`crate::model::GroundCell`]. Nearly empty in scenes whose behaviors do not read it and whose
    /// agents lay no trail.
    pub fn ground_buffer(&self) -> &wgpu::Buffer {
        self.buffer("ground")
    }

    /// What each agent remembers, by id, of that what the scene uses: [`CompiledScene::memory_size`] words each, and
    /// [`CompiledScene::memory_place`] says which is which. Nearly empty in scenes whose agents remember nothing. Of more agents than
    /// one binding holds, only the first words of each: see [`Buffer::parts`].
    pub fn memory_buffer(&self) -> &wgpu::Buffer {
        self.buffer("memory")
    }

    /// The parameters that the simulation runs with.
    pub fn model(&self) -> &CompiledScene {
        &self.model
    }

    /// How fine its grid was wanted.
    pub(crate) fn grid(&self) -> GridChoice {
        self.pipelines.options.grid
    }

    /// The scene that it simulates, as of the start or the latest change.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The pipelines of a step.
    pub fn pipelines(&self) -> &Arc<Pipelines> {
        &self.pipelines
    }

    /// The device that it runs on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Steps since the start, as far as they are submitted.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The least bytes that a pass can move here: see [`traffic`].
    pub fn least_traffic(&self, pass: &Pass) -> u64 {
        let block = self.pipelines.bound.scan_block;
        traffic::of_pass(&self.model, block, (pass.stage.name, pass.name), pass.domain, &pass.bindings)
    }

    /// Allocated bytes of all buffers together, and of the texture that agents are loaded from.
    pub fn allocated_bytes(&self) -> u64 {
        self.buffers.values().map(wgpu::Buffer::size).sum::<u64>() + self.bindings.bytes()
    }
}

/// What is made when somebody asks for it first.
fn made_once<T>(cell: &OnceLock<T>, make: impl FnOnce() -> Result<T, GpuError>) -> Result<&T, GpuError> {
    if let Some(made) = cell.get() {
        return Ok(made);
    }
    let made = make()?;
    Ok(cell.get_or_init(|| made))
}

/// A change of a simulation that has yet to be made: see [`Simulation::prepare`].
#[derive(Debug)]
pub struct Preparation {
    gpu: Gpu,
    scene: Scene,
    before: CompiledScene,
    pipelines: Arc<Pipelines>,
}

impl Preparation {
    /// Make what the change needs. Blocks while shaders compile, as long as for a new simulation; it may run on any thread.
    ///
    /// # Errors
    /// A scene that breaks a rule, and what [`Simulation::new`] may fail with.
    pub fn run(self) -> Result<PreparedChange, GpuError> {
        let Preparation { gpu, scene, before, mut pipelines } = self;
        let model = before.followed_by(&scene, pipelines.options.grid)?;
        if pipelines.check(&gpu, &model).is_err() {
            let program = Program::checked(&gpu, &model, &pipelines.options)?;
            pipelines = Arc::new(program.compile(&gpu, &pipelines.options)?);
        }
        check_limits(&gpu.device.limits(), &gpu.info, &model, &pipelines.bound)?;
        Ok(PreparedChange { scene, model, pipelines })
    }
}

/// A change that only has to be taken over: see [`Simulation::apply`].
#[derive(Debug)]
pub struct PreparedChange {
    scene: Scene,
    model: CompiledScene,
    pipelines: Arc<Pipelines>,
}
