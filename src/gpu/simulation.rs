//! A simulation on the GPU: the buffers of one world and the pipelines that step it.

use super::buffers::{allocate, bind, buffer, check_limits, sizes};
use super::pipelines::{Pass, Pipelines, specialize};
use super::shaders::Sources;
use super::{Gpu, GpuError};
use crate::model::{Extent, FROZEN, GridChoice, Model, OBSERVED_WORDS, Observation, STAGES, State, starting_poses};
use crate::scene::Scene;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Workgroups along the first dimension of a dispatch; a longer one gets a second dimension.
const WIDEST_DISPATCH: u32 = 65535;

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
    /// The shader files.
    pub shaders: Sources,
    /// Overrides that are set otherwise than the scene asks for: what tests break a pipeline with.
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
        Options { grid, clipped_rows: false, id_order: false, ..Default::default() }
    }
}

/// One world on a GPU.
#[derive(Debug)]
pub struct Simulation {
    gpu: Gpu,
    model: Model,
    options: Options,
    pipelines: Arc<Pipelines>,
    buffers: BTreeMap<&'static str, wgpu::Buffer>,
    /// One for each pass of the pipelines, and the last for `observe`.
    bind_groups: Vec<wgpu::BindGroup>,
    submitted: VecDeque<wgpu::SubmissionIndex>,
    steps: u64,
}

impl Simulation {
    /// A simulation of the scene that starts from this state.
    ///
    /// # Errors
    /// Too many agents for the adapter (checked before anything is allocated), a flow field or a shader that cannot be
    /// used, a state with another number of agents.
    pub fn new(gpu: &Gpu, scene: &Scene, state: &State, options: Options) -> Result<Self, GpuError> {
        state.check(scene)?;
        let model = Model::new(scene, options.grid)?;
        check_limits(gpu, &model)?;
        let pipelines = Arc::new(Pipelines::new(gpu, &model, &options)?);
        let buffers = allocate(gpu, &model, &pipelines);
        let bind_groups = bind(gpu, &pipelines, &buffers);
        let submitted = VecDeque::new();
        let mut simulation =
            Simulation { gpu: gpu.clone(), model, options, pipelines, buffers, bind_groups, submitted, steps: 0 };
        simulation.upload_parameters();
        simulation.set_state(state)?;
        gpu.check()?;
        Ok(simulation)
    }

    /// Would the scene fit this device? [`Simulation::new`] checks the same; this needs no state yet.
    ///
    /// # Errors
    /// Too many agents, or a flow field that cannot be read.
    pub fn check(gpu: &Gpu, scene: &Scene, options: &Options) -> Result<(), GpuError> {
        check_limits(gpu, &Model::new(scene, options.grid)?)
    }

    /// Replace the state of all agents.
    ///
    /// # Errors
    /// A state with another number of agents.
    pub fn set_state(&mut self, state: &State) -> Result<(), GpuError> {
        let agents = self.model.world.agent_count;
        if state.positions.len() != agents as usize {
            let found = state.positions.len();
            return Err(crate::model::StateError::Count { found, expected: agents }.into());
        }
        let components = self.model.components();
        let flat = |vectors: &[[f32; 3]]| -> Vec<f32> {
            vectors.iter().flat_map(|v| v[..components].iter().copied()).collect()
        };
        let id = |(id, frozen): (usize, &bool)| id as u32 | if *frozen { FROZEN } else { 0 };
        let ids: Vec<u32> = state.frozen.iter().enumerate().map(id).collect();
        self.write("position", bytemuck::cast_slice(&flat(&state.positions)));
        self.write("velocity", bytemuck::cast_slice(&flat(&state.velocities)));
        self.write("id", bytemuck::cast_slice(&ids));
        // Nobody is cut off yet.
        self.write("neighbors", bytemuck::cast_slice(&vec![0u32; ids.len() + 1]));
        self.write("ground", bytemuck::cast_slice(&self.model.ground));
        for (name, size) in sizes(&self.model, &self.pipelines) {
            if ["memory", "clock"].contains(&name) {
                self.write(name, &vec![0u8; size as usize]);
            }
        }
        if self.model.vehicles.pose {
            let poses = starting_poses(state, self.model.world.seed, self.model.spatial);
            self.write("pose", bytemuck::cast_slice(&poses));
        }
        Ok(())
    }

    /// Take over the numbers of a scene that differs only in numbers, such as the weights. The state stays. Where steering was
    /// neither held nor smoothed before and is now (`update_every`, `smoothing_time`), an agent holds none until its next own step.
    ///
    /// # Errors
    /// As [`Simulation::new`], where pipelines or buffers have to be made anew.
    pub fn set_parameters(&mut self, scene: &Scene) -> Result<(), GpuError> {
        let (posed, cells) = (self.model.vehicles.pose, self.model.ground.len());
        self.model.update(scene, self.options.grid);
        if specialize(&self.model, &self.options) != self.pipelines.specialization {
            self.pipelines = Arc::new(Pipelines::new(&self.gpu, &self.model, &self.options)?);
        }
        // More cells, or a column that the scene did not need before.
        let outgrown = |(name, size): &(&'static str, u64)| self.buffers[name].size() < *size;
        let larger: Vec<_> = sizes(&self.model, &self.pipelines).into_iter().filter(outgrown).collect();
        if !larger.is_empty() {
            check_limits(&self.gpu, &self.model)?;
        }
        for (name, size) in larger {
            self.buffers.insert(name, buffer(&self.gpu, name, size));
        }
        if self.model.vehicles.pose && !posed {
            // Agents that did not remember which way they face go on in the direction of their velocity.
            let state = State { poses: Vec::new(), ..self.state()? };
            let poses = starting_poses(&state, self.model.world.seed, self.model.spatial);
            self.write("pose", bytemuck::cast_slice(&poses));
        }
        if self.model.ground.len() != cells {
            self.write("ground", bytemuck::cast_slice(&self.model.ground));
        }
        self.bind_groups = bind(&self.gpu, &self.pipelines, &self.buffers);
        self.upload_parameters();
        self.gpu.check()
    }

    /// Move the target `mouse` to a point, u.
    pub fn set_mouse(&mut self, point: glam::Vec3) {
        self.model.world.mouse = self.model.store(point);
        self.write("world", bytemuck::bytes_of(&self.model.world));
    }

    fn upload_parameters(&mut self) {
        self.write("world", bytemuck::bytes_of(&self.model.world));
        self.write("species", bytemuck::cast_slice(&self.model.species_words()));
        self.write("scenery", bytemuck::bytes_of(&self.model.scenery));
        let components = self.model.components();
        let field: Vec<f32> = self.model.field.vectors.iter().flat_map(|v| v[..components].iter().copied()).collect();
        self.write("field", bytemuck::cast_slice(&field));
    }

    /// Record one simulation step.
    pub fn encode_step(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for index in 0..self.pipelines.passes.len() {
            self.dispatch(&mut pass, index);
        }
        drop(pass);
        self.steps += 1;
    }

    /// Record one simulation step with a compute pass, and a pair of timestamps, for each dispatch: 2k and 2k + 1 for
    /// dispatch k, from `first`.
    pub fn encode_step_timed(&mut self, encoder: &mut wgpu::CommandEncoder, queries: &wgpu::QuerySet, first: u32) {
        for index in 0..self.pipelines.passes.len() {
            let begin = first + 2 * index as u32;
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
        self.steps += 1;
    }

    fn dispatch(&self, compute: &mut wgpu::ComputePass<'_>, index: usize) {
        let pass = self.pass(index);
        let groups = self.workgroups(pass);
        if groups == 0 {
            return;
        }
        compute.set_pipeline(&pass.pipeline);
        compute.set_bind_group(0, &self.bind_groups[index], &[]);
        if pass.extent == Extent::Due && self.model.features.skips {
            return compute.dispatch_workgroups_indirect(&self.buffers["due_groups"], 0);
        }
        let width = groups.min(WIDEST_DISPATCH);
        compute.dispatch_workgroups(width, groups.div_ceil(width), 1);
    }

    fn pass(&self, index: usize) -> &Pass {
        self.pipelines.passes.get(index).unwrap_or(&self.pipelines.observe)
    }

    fn workgroups(&self, pass: &Pass) -> u32 {
        match pass.extent {
            Extent::Askers if self.model.features.few_ask => self.model.askers().div_ceil(pass.workgroup_size),
            Extent::Agents | Extent::Askers | Extent::Due => self.model.world.agent_count.div_ceil(pass.workgroup_size),
            Extent::Blocks => (self.model.world.cell_count + 2).div_ceil(self.pipelines.scan_block),
            Extent::Ground => (self.model.ground.len() as u32).div_ceil(pass.workgroup_size),
            Extent::Single => 1,
        }
    }

    /// Run `steps` simulation steps. Returns when all are submitted and all but the last few are done.
    ///
    /// # Errors
    /// A device that failed.
    pub fn step(&mut self, steps: u32) -> Result<(), GpuError> {
        // Small worlds go in batches, because a submission costs about as much as such a step.
        let batch = (1 << 20) / self.model.world.agent_count.max(1 << 14);
        let mut left = steps;
        while left > 0 {
            let now = left.min(batch.max(1));
            let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
            for _ in 0..now {
                self.encode_step(&mut encoder);
            }
            self.submitted.push_back(self.gpu.queue.submit([encoder.finish()]));
            left -= now;
            if self.submitted.len() > IN_FLIGHT {
                let submission_index = self.submitted.pop_front();
                let timeout = Some(std::time::Duration::from_secs(300));
                let wait = wgpu::PollType::Wait { submission_index, timeout };
                self.gpu.device.poll(wait).map_err(|e| GpuError::Device(e.to_string()))?;
            }
            self.gpu.check()?;
        }
        Ok(())
    }

    /// Run the dispatches of one stage of [`STAGES`], with the very pipelines of a step.
    ///
    /// # Errors
    /// A device that failed.
    pub fn run_stage(&mut self, stage: usize) -> Result<(), GpuError> {
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let mut compute = encoder.begin_compute_pass(&Default::default());
        for index in 0..self.pipelines.passes.len() {
            if self.pipelines.passes[index].stage == stage {
                self.dispatch(&mut compute, index);
            }
        }
        drop(compute);
        self.gpu.queue.submit([encoder.finish()]);
        if stage + 1 == STAGES.len() {
            self.steps += 1;
        }
        self.gpu.wait()
    }

    /// Read the state of all agents, in the order of their ids.
    ///
    /// # Errors
    /// A device that failed.
    pub fn state(&self) -> Result<State, GpuError> {
        let agents = self.model.world.agent_count as usize;
        let components = self.model.components();
        let (positions, velocities, ids) = (self.words("position")?, self.words("velocity")?, self.words("id")?);
        let mut state = State {
            positions: vec![[0.0; 3]; agents],
            velocities: vec![[0.0; 3]; agents],
            frozen: vec![false; agents],
            poses: match self.model.vehicles.pose {
                true => bytemuck::cast_slice(&self.words("pose")?).to_vec(),
                false => Vec::new(),
            },
        };
        for slot in 0..agents {
            let agent = (ids[slot] & !FROZEN) as usize;
            for axis in 0..components {
                state.positions[agent][axis] = f32::from_bits(positions[slot * components + axis]);
                state.velocities[agent][axis] = f32::from_bits(velocities[slot * components + axis]);
            }
            state.frozen[agent] = ids[slot] & FROZEN != 0;
        }
        Ok(state)
    }

    /// Digest and observables of the current state, reduced on the GPU.
    ///
    /// # Errors
    /// A device that failed, or a step that the driver cut off.
    pub fn observe(&self) -> Result<Observation, GpuError> {
        let index = self.pipelines.passes.len();
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let mut compute = encoder.begin_compute_pass(&Default::default());
        self.dispatch(&mut compute, index);
        drop(compute);
        self.gpu.queue.submit([encoder.finish()]);
        let groups = self.workgroups(&self.pipelines.observe) as usize;
        let words = self.words("observed")?;
        let words = &words[..groups * OBSERVED_WORDS];
        let observation = Observation::from_words(words, self.model.world.agent_count, self.model.world.top_speed);
        if observation.ever_cut_off {
            return Err(self.cut_off(&observation)?);
        }
        Ok(observation)
    }

    fn cut_off(&self, observation: &Observation) -> Result<GpuError, GpuError> {
        let starts = self.words("cell_start")?;
        let starts = &starts[..self.model.world.cell_count as usize + 2];
        Ok(GpuError::CutOff {
            step: self.steps,
            agents: observation.cut_off,
            first: observation.first_bad,
            fullest: starts.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0),
            adapter: self.gpu.info.name.clone(),
        })
    }

    /// The words of a buffer by its name in the shaders, without padding.
    ///
    /// # Errors
    /// A device that failed. Panics on a name that no shader declares.
    pub fn words(&self, buffer: &str) -> Result<Vec<u32>, GpuError> {
        let size = sizes(&self.model, &self.pipelines).into_iter().find(|(name, _)| *name == buffer);
        let mut words = self.gpu.download(&self.buffers[buffer])?;
        words.truncate(size.expect("a buffer of the simulation").1 as usize / 4);
        Ok(words)
    }

    /// Overwrite a buffer, so that the next stage starts from these words.
    pub fn write_words(&mut self, buffer: &str, words: &[u32]) {
        self.write(buffer, bytemuck::cast_slice(words));
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.gpu.upload(&self.buffers[name], bytes);
        }
    }

    /// Positions of all agents in storage order, u: two floats each in a planar world, three in a spatial one. The
    /// order changes from step to step; [`Simulation::id_buffer`] says who is where.
    pub fn position_buffer(&self) -> &wgpu::Buffer {
        &self.buffers["position"]
    }

    /// Velocities of all agents in storage order, u/s, laid out as the positions.
    pub fn velocity_buffer(&self) -> &wgpu::Buffer {
        &self.buffers["velocity"]
    }

    /// Ids of all agents in storage order, u32; the top bit marks frozen agents.
    pub fn id_buffer(&self) -> &wgpu::Buffer {
        &self.buffers["id"]
    }

    /// Which way each agent faces, by id: see [`crate::model::Pose`]. Nearly empty in scenes whose agents do not
    /// remember it.
    pub fn pose_buffer(&self) -> &wgpu::Buffer {
        &self.buffers["pose"]
    }

    /// The cells of the ground: see [`crate::model::GroundCell`]. Nearly empty in scenes whose agents do not look at it.
    pub fn ground_buffer(&self) -> &wgpu::Buffer {
        &self.buffers["ground"]
    }

    /// What each agent remembers, by id: see [`crate::model::Memory`]. Nearly empty in scenes whose agents remember
    /// nothing.
    pub fn memory_buffer(&self) -> &wgpu::Buffer {
        &self.buffers["memory"]
    }

    /// The parameters that the simulation runs with.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The pipelines of a step.
    pub fn pipelines(&self) -> &Pipelines {
        &self.pipelines
    }

    /// The device that it runs on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Steps since the start.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The least bytes that a pass can move: each buffer that it binds, once, and of a search for few their share. Neighbors are
    /// read many times, but from caches.
    pub fn least_traffic(&self, pass: &Pass) -> u64 {
        let sizes: BTreeMap<_, _> = sizes(&self.model, &self.pipelines).into_iter().collect();
        let all: u64 = pass.bindings.iter().map(|b| sizes[b.name.as_str()]).sum();
        match pass.extent {
            Extent::Askers if self.model.features.few_ask => {
                all * u64::from(self.model.askers()) / u64::from(self.model.world.agent_count.max(1))
            }
            _ => all,
        }
    }

    /// Bytes of all buffers together.
    pub fn memory(&self) -> u64 {
        self.buffers.values().map(wgpu::Buffer::size).sum()
    }
}
