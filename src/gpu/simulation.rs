//! A simulation on the GPU: the buffers of one world and the pipelines that step it.

pub mod change;
mod reading;
mod steps;

use super::buffers::{Bindings, Buffers, Textures, allocate, bind, parameters, placeholder};
use super::limits::{check_limits, host_bytes, largest_binding};
use super::pipelines::{Pass, Pipelines, Program};
use super::{Gpu, GpuError, Options, traffic};
use crate::model::ways::Ways;
use crate::model::{BUFFERS, Buffer, BufferId, Change, CompiledScene, GridChoice, Life, Snapshot, State};
use crate::scene::Scene;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

/// One world on a GPU.
#[derive(Debug)]
pub struct Simulation {
    gpu: Gpu,
    scene: Scene,
    model: CompiledScene,
    pipelines: Arc<Pipelines>,
    buffers: Buffers,
    /// A small buffer that renderers bind in place of a buffer that the scene does not have.
    placeholder: wgpu::Buffer,
    /// The bind groups of all passes, and the textures.
    bindings: Bindings,
    /// The buffer with the storage slot of each id, made at first use.
    slots: OnceLock<wgpu::Buffer>,
    submitted: VecDeque<wgpu::SubmissionIndex>,
    /// Why a write by a method without a result failed. The next call that submits steps, changes the scene, sets the state or takes events
    /// returns this.
    refused: Option<GpuError>,
    steps: u64,
    holds: Holds,
    /// True if `cell_start` holds the cells of the latest step, on the present grid.
    holds_cell_starts: bool,
    /// True if steps keep accelerations: see [`Simulation::keep_accelerations`].
    keeps_accelerations: bool,
    /// True if `bin` ran alone and no `scan` has taken its counts yet.
    binned: bool,
    /// The awaited ways, and the thread that computes their texture.
    pending_ways: Option<PendingWays>,
}

/// Ways that another thread computes.
#[derive(Debug)]
struct PendingWays {
    ways: Arc<Ways>,
    work: JoinHandle<Result<wgpu::Texture, GpuError>>,
}

/// What the buffers hold beside the agents when all commands recorded so far are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// Nothing that the next step or a reader could use.
    Agents,
    /// The acceleration of each agent in the latest step.
    Accelerations,
    /// Each agent's cell in the next step, and the number of agents in each cell. The pass `stride` writes these, and no accelerations.
    Cells,
}

impl Simulation {
    /// A simulation of the scene that starts from this state. Blocks while shaders compile, which can take seconds. To avoid that, share
    /// the pipelines of another simulation, or call this on a thread of its own.
    ///
    /// # Errors
    /// Too many agents for the adapter (checked before anything is allocated), a flow field or a shader that cannot be
    /// used, a state with another number of agents.
    pub fn new(gpu: &Gpu, scene: &Scene, state: &State, options: Options) -> Result<Self, GpuError> {
        state.check(scene)?;
        let model = CompiledScene::new(scene, options.grid)?.bound_by(largest_binding(&gpu.device.limits()));
        let pipelines = Arc::new(Program::checked(gpu, &model, &options)?.compile(gpu, &options, &model)?);
        Simulation::assemble(gpu, scene, state, model, pipelines)
    }

    /// As [`Simulation::new`], to be awaited. In a browser the device reports errors late, so only this function returns them. wgpu
    /// compiles shaders on the calling thread, so that part blocks here too.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub async fn new_async(gpu: &Gpu, scene: &Scene, state: &State, options: Options) -> Result<Self, GpuError> {
        let simulation = Simulation::new(gpu, scene, state, options)?;
        gpu.answered().await?;
        Ok(simulation)
    }

    /// As [`Simulation::new`], with the pipelines of another simulation, so that many small worlds compile only once. Pipelines fit where
    /// both scenes use the same behaviors in the same way; numbers, seeds, agents and sizes may differ. `gpu` must be the one that they
    /// were made with, or a clone of it.
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
        check_limits(&limits, &gpu.info, &model, &pipelines.bound).map_err(|error| gpu.of_limits(error))?;
        Simulation::assemble(gpu, scene, state, model, pipelines)
    }

    pub(super) fn assemble(
        gpu: &Gpu,
        scene: &Scene,
        state: &State,
        model: CompiledScene,
        pipelines: Arc<Pipelines>,
    ) -> Result<Self, GpuError> {
        let buffers = allocate(gpu, &model, &pipelines, &Buffers::new())?;
        let textures = Textures::new(gpu, &model, &pipelines, None)?;
        let bindings = bind(gpu, &model, &pipelines, &buffers, textures, None)?;
        let start = Snapshot::start(&model, state);
        let mut simulation = Simulation {
            gpu: gpu.clone(),
            scene: scene.clone(),
            model,
            pipelines,
            buffers,
            placeholder: gpu.caught(|| placeholder(gpu))?,
            bindings,
            slots: OnceLock::new(),
            submitted: VecDeque::new(),
            refused: None,
            steps: 0,
            holds: Holds::Agents,
            holds_cell_starts: false,
            keeps_accelerations: false,
            binned: false,
            pending_ways: None,
        };
        simulation.upload_parameters(0, &simulation.model.clone());
        simulation.write_snapshot(&start)?;
        gpu.alive()?;
        Ok(simulation)
    }

    /// Would the scene fit this device? [`Simulation::new`] checks the same; this needs no state yet.
    ///
    /// # Errors
    /// Too many agents, a flow field that cannot be read, or a shader that cannot be used.
    pub fn check(gpu: &Gpu, scene: &Scene, options: &Options) -> Result<(), GpuError> {
        Simulation::checked_host_bytes(gpu, scene, options).map(drop)
    }

    /// Host memory that a simulation of the scene takes, without its map, bytes. If it would not fit, the error is that of [`Simulation::check`].
    pub(crate) fn checked_host_bytes(gpu: &Gpu, scene: &Scene, options: &Options) -> Result<u64, GpuError> {
        let model = CompiledScene::new(scene, options.grid)?.bound_by(largest_binding(&gpu.device.limits()));
        let program = Program::checked(gpu, &model, options)?;
        Ok(host_bytes(&gpu.info, &model, &program.bound))
    }

    /// Start anew from this state. A large state is uploaded in parts, and this blocks until all parts but the last have arrived.
    ///
    /// # Errors
    /// A state with another number of agents, or a device that failed.
    pub fn set_state(&mut self, state: &State) -> Result<(), GpuError> {
        state.check(&self.scene)?;
        self.write_snapshot(&Snapshot::start(&self.model, state))
    }

    /// Restart with a scene from its own start, whatever ran before. The run is then the same as in a new simulation of the scene.
    ///
    /// # Errors
    /// As [`Simulation::change`].
    pub fn restart(&mut self, scene: &Scene) -> Result<(), GpuError> {
        if self.change(scene)? != Change::Restart {
            self.set_mouse(scene.mouse);
            self.set_state(&State::initial(scene))?;
        }
        Ok(())
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
        let cleared = self.upload_kept(0, &self.model, snapshot)?;
        self.gpu.caught(|| {
            let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
            cleared.iter().for_each(|buffer| encoder.clear_buffer(buffer, 0, None));
            self.gpu.queue.submit([encoder.finish()]);
        })?;
        (self.steps, self.holds, self.holds_cell_starts) = (snapshot.steps, Holds::Agents, false);
        let of_ways = [BufferId::CrowdCounts, BufferId::WayCosts].map(|id| snapshot.column(id).unwrap_or_default());
        self.update_ways(|model, steps| model.restore_ways(of_ways[0], of_ways[1], steps))?;
        self.refused.take().map_or(Ok(()), Err)
    }

    /// Apply `change` to the ways of the model at the current step. If it changes the followed ways, bind their texture; then begin to
    /// compute the ways that are awaited.
    fn update_ways(&mut self, change: impl FnOnce(&mut CompiledScene, u64) -> bool) -> Result<(), GpuError> {
        if self.model.ways.is_none() {
            return Ok(());
        }
        let mut model = self.model.clone();
        if change(&mut model, self.steps) {
            let mut known = self.bindings.textures.clone();
            let is_pending =
                |pending: &mut PendingWays| model.ways.as_ref().is_some_and(|ways| Arc::ptr_eq(ways, &pending.ways));
            // If that thread panicked, the ways are computed below, on this thread.
            if let Some(PendingWays { ways, work }) = self.pending_ways.take_if(is_pending)
                && let Ok(texture) = work.join()
            {
                known.ways = Some((texture?, Some(ways)));
            }
            let textures = Textures::new(&self.gpu, &model, &self.pipelines, Some(&known))?;
            self.bindings = bind(&self.gpu, &model, &self.pipelines, &self.buffers, textures, Some(&self.bindings))?;
        }
        self.model = model;
        self.begin_ways();
        Ok(())
    }

    /// Begin to compute the awaited ways on another thread, while steps go on.
    fn begin_ways(&mut self) {
        let is_pending =
            |ways: &Arc<Ways>| self.pending_ways.as_ref().is_some_and(|pending| Arc::ptr_eq(ways, &pending.ways));
        let awaited = self.model.awaited.as_ref().map(|awaited| Arc::clone(&awaited.ways));
        let Some(ways) = awaited.filter(|ways| !is_pending(ways)) else { return };
        let Some((texture, Some(followed))) = self.bindings.textures.ways.clone() else { return };
        let (gpu, of) = (self.gpu.clone(), Arc::clone(&ways));
        let compute = move || crate::gpu::ways::texture(&gpu, &of, Some((&texture, &*followed)));
        // If no thread can be started, they are computed when they are first followed.
        self.pending_ways = std::thread::Builder::new().spawn(compute).ok().map(|work| PendingWays { ways, work });
    }

    /// Upload the kept buffers of one world from a snapshot. Returns the buffers that have to start with zeros.
    fn upload_kept(
        &self,
        world: u32,
        model: &CompiledScene,
        snapshot: &Snapshot,
    ) -> Result<Vec<&wgpu::Buffer>, GpuError> {
        let mut cleared = Vec::new();
        for buffer in BUFFERS {
            if !self.buffers.contains_key(&buffer.id) || !matches!(buffer.life, Life::Kept | Life::Cleared) {
                continue;
            }
            let (made, widths) = self.parts(buffer.id);
            match snapshot.stored(buffer.id, model) {
                Some(words) => {
                    let first = self.start_of(world, buffer.id);
                    self.upload_parts(&made, &Buffer::split(&words, &widths), first)?;
                }
                None => cleared.extend(made),
            }
        }
        Ok(cleared)
    }

    /// The number of worlds in the buffers.
    fn worlds(&self) -> u32 {
        self.pipelines.world_layout.as_ref().map_or(1, |layout| layout.worlds)
    }

    /// Where a world begins in a buffer, words.
    fn start_of(&self, world: u32, buffer: BufferId) -> usize {
        let pitch = self.pipelines.world_layout.as_ref().and_then(|layout| layout.pitches.get(&buffer));
        pitch.map_or(0, |pitch| world as usize * (*pitch as usize / 4))
    }

    /// Upload the parameters and the start of one of several worlds.
    pub(super) fn upload_world(&mut self, world: u32, model: &CompiledScene, start: &Snapshot) -> Result<(), GpuError> {
        self.upload_parameters(world, model);
        self.upload_kept(world, model, start)?;
        self.refused.take().map_or(Ok(()), Err)
    }

    /// Move the target `mouse` to a point, u. Should the device refuse that, the next step returns why.
    pub fn set_mouse(&mut self, point: glam::Vec3) {
        self.model.world.mouse = self.model.store(point);
        let world = self.model.world;
        self.write(0, BufferId::World, bytemuck::bytes_of(&world));
    }

    fn upload_parameters(&mut self, world: u32, model: &CompiledScene) {
        for (buffer, words) in parameters(model) {
            self.write(world, buffer, bytemuck::cast_slice(&words));
        }
    }

    /// Overwrite a buffer, so that the next stage starts from these words. Does nothing if the simulation does not have the buffer. On an
    /// adapter with [`Gpu::texture_loads`] stages read sorted agents from a texture, which this does not change. If the device refuses the
    /// write, the next step returns why.
    pub fn write_words(&mut self, buffer: BufferId, words: &[u32]) {
        self.forget_cells();
        self.write(0, buffer, bytemuck::cast_slice(words));
    }

    fn write(&mut self, world: u32, buffer: BufferId, bytes: &[u8]) {
        let Some((whole, first)) = self.place(buffer) else { return };
        if bytes.is_empty() || !self.buffers.contains_key(&whole) {
            return;
        }
        let (made, widths) = self.parts(whole);
        let uploaded = self.upload_parts(
            &made,
            &Buffer::split(bytemuck::cast_slice(bytes), &widths),
            first + self.start_of(world, whole),
        );
        if let Err(error) = uploaded {
            self.refused.get_or_insert(error);
        }
    }

    /// Write words into the parts of a buffer, from word `first` of each part on. If `first` is not 0, the buffer has one part.
    fn upload_parts(&self, made: &[&wgpu::Buffer], parts: &[Cow<'_, [u32]>], first: usize) -> Result<(), GpuError> {
        let mut parts = made.iter().zip(parts);
        parts.try_for_each(|(made, part)| self.gpu.upload(made, 4 * first as u64, bytemuck::cast_slice(part)))
    }

    /// The parts of a buffer, and how many words of each element lie in each part.
    pub(crate) fn parts(&self, whole: BufferId) -> (Vec<&wgpu::Buffer>, Vec<usize>) {
        let parts = whole.row().parts(&self.model).into_iter();
        parts.map(|(part, width)| (self.buffer(part), width)).unzip()
    }

    /// The buffer on the device that holds the words of this one, and the first word there; `None` if the scene does not have it.
    fn place(&self, buffer: BufferId) -> Option<(BufferId, usize)> {
        let row = buffer.row();
        let (whole, first) = (row.used)(&self.model).then(|| row.place(&self.model))?;
        let (host, bytes) = self.pipelines.bound.place(whole, &self.model);
        Some((host, first + bytes as usize / 4))
    }

    /// Does the simulation have this buffer, by itself or as a part of another? Not what lies in a texture.
    pub fn has(&self, buffer: BufferId) -> bool {
        self.place(buffer).is_some_and(|(whole, _)| self.buffers.contains_key(&whole))
    }

    /// Length of a buffer without padding, words.
    fn length(&self, buffer: BufferId) -> usize {
        buffer.row().bytes(&self.model, self.pipelines.bound.scan_block) as usize / 4
    }

    pub(crate) fn buffer(&self, buffer: BufferId) -> &wgpu::Buffer {
        self.buffers.get(&buffer).unwrap_or(&self.placeholder)
    }

    /// Positions of all agents by storage slot, u: two floats each in a planar world, three in a spatial one. The slot
    /// of an agent changes from step to step; [`Simulation::id_buffer`] holds the id of the agent in each slot.
    pub fn position_buffer(&self) -> &wgpu::Buffer {
        self.buffer(BufferId::Position)
    }

    /// Velocities of all agents by storage slot, u/s, laid out as the positions.
    pub fn velocity_buffer(&self) -> &wgpu::Buffer {
        self.buffer(BufferId::Velocity)
    }

    /// Ids of all agents by storage slot, u32; the top bit marks frozen agents.
    pub fn id_buffer(&self) -> &wgpu::Buffer {
        self.buffer(BufferId::Id)
    }

    /// The combined steering of each agent, u/s², laid out as the positions but by sorted index: the agents of one cell
    /// lie together, and [`Simulation::sorted_id_buffer`] holds their ids. To be read, or added to, between
    /// [`Simulation::encode_steering`] and [`Simulation::encode_motion`]. What is added is limited together with the steering, to
    /// `max_force` / `mass`; kinematic and turn-first bodies take the sum for a desired velocity, as docs/vehicles.md says.
    pub fn acceleration_buffer(&self) -> &wgpu::Buffer {
        self.buffer(BufferId::Acceleration)
    }

    /// Ids of all agents by sorted index, as [`Simulation::id_buffer`]; valid after [`Simulation::encode_steering`].
    pub fn sorted_id_buffer(&self) -> &wgpu::Buffer {
        self.buffer(BufferId::SortedId)
    }

    /// Positions of all agents by sorted index, u, at the start of the step; valid after
    /// [`Simulation::encode_steering`].
    pub fn sorted_position_buffer(&self) -> &wgpu::Buffer {
        self.buffer(BufferId::SortedPosition)
    }

    /// Which way each agent faces, by id: see [`crate::model::Pose`]. Nearly empty in scenes whose agents keep no pose. If one binding
    /// cannot hold the poses of all agents, only the first words of each pose are here: see [`Buffer::parts`].
    pub fn pose_buffer(&self) -> &wgpu::Buffer {
        self.buffer(BufferId::Pose)
    }

    /// The cells of the ground: see [`crate::model::GroundCell`]. Nearly empty in scenes whose behaviors do not read it and whose
    /// agents lay no trail.
    pub fn ground_buffer(&self) -> &wgpu::Buffer {
        self.buffer(BufferId::Ground)
    }

    /// For each cell of the map, and of a border of open cells around it, the nearest cell of the other kind (wall or open), cell after
    /// cell in rows of 4,096 texels: see [`NearestWalls::texels`](crate::model::walls::NearestWalls::texels). `None` if no map has walls.
    pub fn wall_texture(&self) -> Option<&wgpu::Texture> {
        self.bindings.walls().filter(|_| self.model.features.walled)
    }

    /// What each agent remembers, by id, as far as the scene uses it: [`CompiledScene::memory_size`] words for each agent, whose meaning
    /// [`CompiledScene::memory_place`] gives. Nearly empty in scenes whose agents remember nothing. If one binding cannot hold the memory
    /// of all agents, only the first words of each are here: see [`Buffer::parts`].
    pub fn memory_buffer(&self) -> &wgpu::Buffer {
        self.buffer(BufferId::Memory)
    }

    /// The parameters that the simulation runs with.
    pub fn model(&self) -> &CompiledScene {
        &self.model
    }

    /// The grid that the options asked for.
    pub(crate) fn grid(&self) -> GridChoice {
        self.pipelines.options.grid
    }

    /// The scene that is simulated, as of the start or the latest change.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The pipelines of a step.
    pub fn pipelines(&self) -> &Arc<Pipelines> {
        &self.pipelines
    }

    /// The device that the simulation runs on.
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
        traffic::of_pass(&self.model, block, pass.id, pass.domain, &pass.bindings)
    }

    /// Allocated bytes of all buffers together, and of the texture that agents are loaded from.
    pub fn allocated_bytes(&self) -> u64 {
        self.buffers.values().map(wgpu::Buffer::size).sum::<u64>() + self.bindings.bytes()
    }
}
