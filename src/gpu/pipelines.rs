//! The compute pipelines of a scene: immutable, built once, usable by several worlds.

use super::compiled::CachedPass;
use super::context::{debugs, most_limits, prefers_texture};
use super::limits::{Bound, check_limits, fewer_parts, largest_binding, largest_bytes, software, texture_holds};
use super::of_many::{WorldLayout, of_many};
use super::options::Options;
use super::reflect::{Binding, EntryPoint};
use super::resources::pipeline;
use super::{Gpu, GpuError, precise};
use crate::lock::lock;
use crate::model::observation::TAILS;
use crate::model::{BufferId, CompiledScene, Dispatch, DispatchDomain, PassId, STAGES, Stage, StageId};
use crate::scene::Scene;
use crate::shaders::{ShaderError, Sources, calls};
use rayon::prelude::*;
use std::collections::{BTreeSet, VecDeque};
use std::iter::repeat_n;
use std::sync::{Arc, Mutex};

/// One dispatch of a step.
#[derive(Debug)]
pub struct Pass {
    /// The pass's id.
    pub id: PassId,
    /// The stage that the pass belongs to.
    pub stage: &'static Stage,
    /// The name of its entry point in WGSL.
    pub name: &'static str,
    cached: Arc<CachedPass>,
    /// The buffers that its entry point binds, as the shader declares them.
    pub bindings: Vec<Binding>,
    pub(super) domain: DispatchDomain,
    /// Invocations per workgroup.
    pub workgroup_size: u32,
}

impl Pass {
    pub(super) fn layout(&self) -> &wgpu::BindGroupLayout {
        &self.cached.layout
    }

    /// The pipeline, compiled at first use. If that fails, return a pipeline for this recording alone, whose errors go to the error scopes
    /// around it.
    pub(super) fn pipeline(&self, gpu: &Gpu) -> wgpu::ComputePipeline {
        self.ready(gpu).cloned().unwrap_or_else(|_| self.compile(gpu))
    }

    /// The pipeline, compiled at first use and kept.
    ///
    /// # Errors
    /// What the device refuses.
    fn ready(&self, gpu: &Gpu) -> Result<&wgpu::ComputePipeline, GpuError> {
        match self.cached.pipeline.get() {
            Some(cached) => Ok(cached),
            None => gpu.caught(|| self.compile(gpu)).map(|cached| self.cached.pipeline.get_or_init(|| cached)),
        }
    }

    #[cfg(test)]
    pub(super) fn is_compiled(&self) -> bool {
        self.cached.pipeline.get().is_some()
    }

    fn compile(&self, gpu: &Gpu) -> wgpu::ComputePipeline {
        let words = self.cached.words.as_ref().expect("what has no words was made at once");
        let module = precise::load(&gpu.device, self.name, self.workgroup_size, words);
        pipeline(&gpu.device, self.name, &self.cached.layout, &module)
    }
}

/// The fewest agents with which `observe_texels` is used. Below, a row of metrics costs little, and compiling the pass takes a fifth of the
/// start of such a world.
const MANY: u32 = 1 << 14;

/// True if shaders are specialized and compiled one after another, not in parallel: on a software driver with 2^19 agents or more. There
/// memory matters more than half a second at the start, and what each compiling thread allocates never goes back to the system.
fn compiles_serially(model: &CompiledScene, software: bool) -> bool {
    software && model.world.agent_count >= 1 << 19
}

/// Map `make` over `all`, in parallel, or one after another if `serially`. The results keep the order.
fn try_map<T: Send, U: Send, E: Send>(
    all: Vec<T>,
    serially: bool,
    make: impl Fn(T) -> Result<U, E> + Sync + Send,
) -> Result<Vec<U>, E> {
    if serially { all.into_iter().map(make).collect() } else { all.into_par_iter().map(make).collect() }
}

/// All passes of a step, in order, and the stages `observe` and `measure`. Several simulations may share them.
#[derive(Debug)]
pub struct Pipelines {
    /// The dispatches of a step, stage by stage. Where there are fused passes too, `arrange` comes first, and `stride` after
    /// `integrate`.
    pub passes: Vec<Pass>,
    /// The passes that each of several steps in a row dispatches: indices in `passes`, in order.
    pub(super) sequence: Vec<usize>,
    /// As `sequence`, for small worlds.
    pub(super) small_sequence: Vec<usize>,
    /// The pass `observe`, then `observe_texels` if sorted agents are loaded from a texture and there are [`MANY`] or more.
    pub(super) observe: Vec<Pass>,
    /// The passes of `measure`, in order.
    pub(super) measure: Vec<Pass>,
    pub(super) bound: Bound,
    /// How several worlds share the buffers; `None` for pipelines of a single world.
    pub(super) world_layout: Option<WorldLayout>,
    pub(super) options: Options,
    gpu: Gpu,
    /// What the pipelines are specialized to. Equal specializations give equal pipelines.
    specialization: Specialization,
}

/// What pipelines are specialized to: the values of the overrides, and the calls of the behaviors.
#[derive(Debug, Clone, PartialEq)]
struct Specialization {
    overrides: Vec<(String, f64)>,
    calls: String,
    /// The texts of the scene's own behaviors.
    own: Vec<&'static str>,
    /// The stages of a step.
    stages: Vec<StageId>,
    /// The passes of the stage `measure` that the scene's observables need.
    measures: Vec<PassId>,
    spatial: bool,
}

impl Pipelines {
    /// Compile the stages, specialized to what the model uses.
    ///
    /// # Errors
    /// A shader that does not compile, at the place in its file.
    pub fn new(gpu: &Gpu, model: &CompiledScene, options: &Options) -> Result<Self, GpuError> {
        let model = model.clone().bound_by(largest_binding(&gpu.device.limits()));
        Program::checked(gpu, &model, options)?.compile(gpu, options, &model)
    }

    /// Compile all pipelines now, in parallel, also those that steps in a row do not run. By default these are compiled when they are first
    /// recorded, since drivers take long to compile.
    ///
    /// # Errors
    /// What the device refuses.
    pub fn make_all(&self) -> Result<(), GpuError> {
        self.passes.par_iter().try_for_each(|pass| pass.ready(&self.gpu).map(drop))
    }

    /// Does one pass steer, integrate and bin for the next step?
    pub fn strides(&self) -> bool {
        self.passes.iter().any(|pass| pass.id == PassId::Stride)
    }

    /// Does a pass bind this buffer?
    pub fn binds(&self, buffer: BufferId) -> bool {
        self.bound.buffers.contains(&buffer)
    }

    /// Can a simulation of this model use these pipelines? `gpu` must be the [`Gpu`] that they were made with, or a clone of it.
    ///
    /// # Errors
    /// [`GpuError::OtherPipelines`], with the first thing that differs.
    pub fn check(&self, gpu: &Gpu, model: &CompiledScene) -> Result<(), GpuError> {
        let differs = |what: String| Err(GpuError::OtherPipelines { what });
        if !gpu.same_as(&self.gpu) {
            return differs("the device".to_owned());
        }
        let given = &self.specialization;
        let texels = gpu.texture_loads.unwrap_or_else(|| self.binds(BufferId::SortedAgents));
        let holds = texture_holds(&gpu.device.limits(), model.world.agent_count);
        let wanted = specialize(model, &self.options, texels && holds, gpu.software());
        if wanted.spatial != given.spatial {
            return differs("the number of dimensions".to_owned());
        }
        let mut overrides = wanted.overrides.iter().zip(&given.overrides);
        if let Some(((name, needed), (_, given))) = overrides.find(|(a, b)| a != b) {
            return differs(format!("`{name}`, {given} instead of {needed}"));
        }
        if wanted.calls != given.calls || wanted.own != given.own {
            return differs("the set of behaviors that act, or the form in which they do,".to_owned());
        }
        if wanted.measures != given.measures {
            return differs("what is observed".to_owned());
        }
        if wanted.stages != given.stages {
            return differs("the stages of a step".to_owned());
        }
        Ok(())
    }
}

/// The entry points of a step before a device has seen them: specialized and reflected.
pub(super) struct Program {
    pub entries: Vec<(&'static Stage, &'static Dispatch, EntryPoint)>,
    pub bound: Bound,
    world_layout: Option<WorldLayout>,
    specialization: Specialization,
    /// True if shaders are compiled with bounds checks.
    checked: bool,
    /// The WGSL text of the module; `None` unless a debugger wants it.
    source: Option<String>,
}

impl Program {
    /// The program for this device, checked against its limits.
    ///
    /// # Errors
    /// A shader that cannot be used, or what the device cannot do: see [`Program::check`].
    pub fn checked(gpu: &Gpu, model: &CompiledScene, options: &Options) -> Result<Program, GpuError> {
        let limits = gpu.device.limits();
        let program = Program::fitting(&limits, &gpu.info, gpu.texture_loads, model, options)?;
        program.check(&limits, &gpu.info, model).map_err(|error| gpu.of_limits(error))?;
        Ok(program)
    }

    /// The program for a device with these limits, not yet checked against them: see [`Program::check`]. `texture_loads` is
    /// [`Gpu::texture_loads`].
    pub fn fitting(
        limits: &wgpu::Limits,
        info: &wgpu::AdapterInfo,
        texture_loads: Option<bool>,
        model: &CompiledScene,
        options: &Options,
    ) -> Result<Program, GpuError> {
        let holds = texture_holds(limits, model.world.agent_count);
        let software = software(info);
        let program = Program::new(model, options, holds && texture_loads == Some(true), software)?;
        let most = limits.max_storage_buffers_per_shader_stage as usize;
        let binds_more =
            |(stage, _, entry): &(&Stage, _, EntryPoint)| !is_fused(stage) && entry.storage_buffers() > most;
        if holds && texture_loads.is_none() && program.entries.iter().any(binds_more) {
            return Program::new(model, options, true, software);
        }
        Ok(program)
    }

    /// The program that loads sorted agents from a texture if `texture_loads`, for a driver that computes on the CPU if `software`.
    pub fn new(
        model: &CompiledScene,
        options: &Options,
        texture_loads: bool,
        software: bool,
    ) -> Result<Program, GpuError> {
        if ![64, 128, 256].contains(&options.workgroup_size) {
            return Err(GpuError::WorkgroupSize { found: options.workgroup_size });
        }
        let specialization = specialize(model, options, texture_loads, software);
        let known = |name: &String| specialization.overrides.iter().any(|(known, _)| known == name);
        if let Some((name, _)) = options.forced.iter().find(|(name, _)| !known(name)) {
            return Err(GpuError::UnknownOverride { name: name.clone() });
        }
        let overrides = specialization.overrides.iter().cloned().collect();
        let module = parsed(&options.shaders, model, &specialization.calls)?;
        let interface = |stage: StageId, message: String| {
            GpuError::from(ShaderError::Interface { path: options.shaders.shown_as(stage).to_owned(), message })
        };
        let [threads, each, _] = scan_shape(software);
        let used = |stage: &'static Stage| {
            let here = |(pass, _): &&Dispatch| match pass {
                PassId::GatherColumns => texture_loads,
                PassId::ObserveTexels => texture_loads && model.world.agent_count >= MANY,
                pass => model.measures.needs_pass(*pass),
            };
            let dispatches = (stage.used)(model).then(|| stage.entry_points.iter().filter(here));
            dispatches.into_iter().flatten().map(move |dispatch| (stage, dispatch))
        };
        let (motion, rest) = STAGES.split_at(1 + StageId::Integrate as usize);
        let stride = options.strides().then_some(StageId::Stride.row());
        let arrange = options.strides().then_some(StageId::Arrange.row()).filter(|_| model.strides());
        let dispatches: Vec<_> = arrange
            .into_iter()
            .chain(motion)
            .chain(stride)
            .chain(rest)
            .chain([StageId::Observe.row(), StageId::Measure.row()])
            .flat_map(used)
            .collect();
        // Most of the time of a new simulation goes into shaders.
        let entries = try_map(dispatches, compiles_serially(model, software), |(stage, dispatch)| {
            let entry = EntryPoint::new(&module, options.shaders.shown_as(stage.id), dispatch.0.name(), &overrides)?;
            Ok::<_, ShaderError>((stage, dispatch, entry))
        })?;
        let mut buffers = BTreeSet::new();
        for (stage, _, entry) in &entries {
            for binding in &entry.bindings {
                let (buffer, bound) = (binding.buffer, binding.kind());
                let is = buffer.row().usage.kind(binding.writes);
                if is != bound && (is, bound) != ("texture", "storage texture") {
                    return Err(interface(stage.id, format!("`{buffer}` is a {is}, and here a {bound}")));
                }
                buffers.insert(buffer);
            }
        }
        let checked = options.shaders.checked(model);
        let source = debugs().then(|| options.shaders.module_text(model)).transpose()?;
        // No guests where a user wrote some of the shaders: those may need a buffer at any time.
        let guest = |buffer: &&BufferId| {
            let apart = |host| entries.iter().all(|(.., entry)| !(entry.binds(**buffer) && entry.binds(host)));
            options.shaders.strides
                && buffer.row().in_room_of.is_some_and(|host| buffers.contains(&host) && apart(host))
        };
        let guests = buffers.iter().filter(guest).copied().collect();
        let bound = Bound { buffers, scan_block: threads * each, guests };
        Ok(Program { entries, bound, world_layout: None, specialization, checked, source })
    }

    /// Can a device with these limits bind the buffers of each pass, run its workgroups, and hold the buffers?
    ///
    /// # Errors
    /// The errors of [`check_limits`], and [`GpuError::TooManyBuffers`] or [`GpuError::TooMuch`] for the first limit that is exceeded.
    pub fn check(
        &self,
        limits: &wgpu::Limits,
        info: &wgpu::AdapterInfo,
        model: &CompiledScene,
    ) -> Result<(), GpuError> {
        // Sizes first: a pass may bind too many buffers only because a texture does not hold so many agents.
        check_limits(limits, info, model, &self.bound)?;
        let available = limits.max_storage_buffers_per_shader_stage as usize;
        for (stage, _, entry) in self.entries.iter().filter(|(stage, ..)| !is_fused(stage)) {
            let (stage, adapter) = (stage.name, info.name.clone());
            let needed = entry.storage_buffers();
            if needed > available {
                fewer_parts(limits, info, model, &entry.bindings, needed - available)?;
                return Err(GpuError::TooManyBuffers { stage, needed, available, adapter, may_grow: true });
            }
            let over = entry.needs(limits).into_iter().find(|(_, needed, available)| needed > available);
            if let Some((limit, needed, available)) = over {
                return Err(GpuError::TooMuch { stage, limit, needed, available, adapter, may_grow: true });
            }
        }
        Ok(())
    }

    /// The program that steps several worlds in the same dispatches.
    ///
    /// # Errors
    /// A pass that cannot be rewritten for several worlds.
    pub fn of_many(self, world_layout: WorldLayout, options: &Options) -> Result<Program, GpuError> {
        let each = |(stage, dispatch, entry): (&'static Stage, &'static Dispatch, EntryPoint)| {
            let interface = |message: String| {
                let path = options.shaders.shown_as(stage.id).to_owned();
                ShaderError::Interface { path, message: format!("{}: {message}", dispatch.0) }
            };
            Ok((stage, dispatch, of_many(&entry, &world_layout).map_err(interface)?))
        };
        let entries = self.entries.into_par_iter().map(each).collect::<Result<_, ShaderError>>()?;
        // No source for debuggers: these entry points are rewritten, so the text would not be theirs.
        let bound = Bound { guests: BTreeSet::new(), ..self.bound };
        Ok(Program { entries, bound, world_layout: Some(world_layout), source: None, ..self })
    }

    /// Make the pipelines. Those that steps in a row of this model run, `bin` and `observe` are compiled now, the others at first use.
    pub fn compile(self, gpu: &Gpu, options: &Options, model: &CompiledScene) -> Result<Pipelines, GpuError> {
        let Program { entries, bound, world_layout, specialization, checked, source } = self;
        let loaded = Loaded { checked, source: source.as_deref() };
        let limits = gpu.device.limits();
        let fits = |entry: &EntryPoint| {
            let buffers = entry.storage_buffers() <= limits.max_storage_buffers_per_shader_stage as usize;
            let rest = entry.needs(&limits).iter().all(|(_, needed, available)| needed <= available);
            gpu.exact && options.exact && buffers && rest
        };
        let serially = compiles_serially(model, gpu.software());
        let wanted = entries.into_iter().filter(|(stage, _, entry)| !is_fused(stage) || fits(entry)).collect();
        let write = |(stage, dispatch, entry)| pass(gpu, options, loaded, stage, dispatch, entry);
        let mut passes = try_map(wanted, serially, write)?;
        let from = |stage: StageId, passes: &[Pass]| passes.iter().position(|pass| pass.stage.id == stage);
        let measure = from(StageId::Measure, &passes).map_or_else(Vec::new, |first| passes.split_off(first));
        let observe = from(StageId::Observe, &passes).map_or_else(Vec::new, |first| passes.split_off(first));
        let stages: Vec<_> = passes.iter().map(|pass| pass.stage.id).collect();
        let [sequence, small_sequence] = [false, true].map(|small| {
            let mut sequence = sequence(&stages, small);
            sequence.retain(|index| passes[*index].id != PassId::GatherColumns);
            sequence
        });
        let needed = if model.is_small() { &small_sequence } else { &sequence };
        // `bin` runs once before the first of several steps.
        let bins = (0..passes.len()).filter(|index| passes[*index].stage.id == StageId::Bin);
        let needed: BTreeSet<_> = needed.iter().copied().chain(bins).collect();
        let mut needed: Vec<_> = needed.into_iter().map(|index| &passes[index]).chain(&observe).collect();
        // The largest first: the others reuse the memory that compiling it took.
        needed.sort_by_key(|pass| std::cmp::Reverse(pass.cached.words.as_ref().map(precise::Words::count)));
        // Many drivers compile here. An error names the file of the refused shader.
        try_map(needed, serially, |pass| {
            let path = || options.shaders.shown_as(pass.stage.id).to_owned();
            let refused = |error: GpuError| ShaderError::Interface { path: path(), message: error.to_string() };
            pass.ready(gpu).map(drop).map_err(refused)
        })?;
        let (options, gpu) = (options.clone(), gpu.clone());
        Ok(Pipelines {
            passes,
            sequence,
            small_sequence,
            observe,
            measure,
            bound,
            world_layout,
            options,
            gpu,
            specialization,
        })
    }
}

impl Gpu {
    /// The limits to request for a device that runs this scene as well as the adapter can: buffers as large as the scene needs, and enough
    /// bindings for fused passes. A device with the default limits runs the scene too, if [`Simulation::check`] says so.
    ///
    /// # Errors
    /// As [`Simulation::check`] on a device with all limits of the adapter.
    ///
    /// [`Simulation::check`]: super::Simulation::check
    pub fn required_limits(
        adapter: &wgpu::Adapter,
        scene: &Scene,
        options: &Options,
    ) -> Result<wgpu::Limits, GpuError> {
        let (info, limits) = (adapter.get_info(), most_limits(&adapter.limits()));
        let model = CompiledScene::new(scene, options.grid)?.bound_by(largest_binding(&limits));
        let program = Program::fitting(&limits, &info, prefers_texture(&info), &model, options)?;
        program.check(&limits, &info, &model).map_err(GpuError::of_adapter)?;
        let (least, needed) = (wgpu::Limits::default(), largest_bytes(&model, &program.bound));
        Ok(wgpu::Limits {
            max_storage_buffer_binding_size: needed.max(least.max_storage_buffer_binding_size),
            max_buffer_size: needed.max(least.max_buffer_size),
            ..limits
        }
        .or_worse_values_from(&limits))
    }
}

/// Is a pass of this stage fused: does it do the work of several stages, which have passes of their own too?
pub(super) fn is_fused(stage: &Stage) -> bool {
    [StageId::Arrange, StageId::Stride].contains(&stage.id)
}

/// The passes that each of several steps in a row dispatches, as indices into `stages`, which has the stage of each pass. `small`: for a
/// world with [`CompiledScene::is_small`].
pub(super) fn sequence(stages: &[StageId], small: bool) -> Vec<usize> {
    use StageId::{Arrange, Bin, Crowd, Gather, Integrate, Scan, Scatter, Steer, Stride};
    let replaced: &[StageId] = match (stages.contains(&Stride), small && stages.contains(&Arrange)) {
        (true, true) => &[Bin, Crowd, Scan, Scatter, Gather, Steer, Integrate],
        (true, false) => &[Arrange, Bin, Steer, Integrate],
        (false, _) => &[Arrange],
    };
    (0..stages.len()).filter(|index| !replaced.contains(&stages[*index])).collect()
}

/// The pass indices of `order`, with the passes of each stage repeated as many times as the stage has rounds.
pub(super) fn in_rounds<'a>(
    order: &'a [usize],
    stage: impl Fn(usize) -> StageId + Copy + 'a,
    model: &'a CompiledScene,
) -> impl Iterator<Item = usize> + 'a {
    let of_stages = order.chunk_by(move |before, after| stage(*before) == stage(*after));
    of_stages.flat_map(move |passes| repeat_n(passes, stage(passes[0]).row().rounds(model)).flatten().copied())
}

/// The most parsed modules that are cached.
const KEPT: usize = 16;

/// The parsed module of a model. The latest modules made of built-in shaders alone are cached for all simulations of the process.
fn parsed(shaders: &Sources, model: &CompiledScene, calls: &str) -> Result<Arc<naga::Module>, ShaderError> {
    type Parsed = (bool, String, Arc<naga::Module>);
    static LATEST: Mutex<VecDeque<Parsed>> = Mutex::new(VecDeque::new());
    let latest = || lock(&LATEST);
    if shaders.checked(model) {
        return Ok(Arc::new(shaders.parse(model)?.0));
    }
    let known = latest().iter().find(|(spatial, text, _)| *spatial == model.spatial && text == calls).cloned();
    if let Some((.., module)) = known {
        return Ok(module);
    }
    let module = Arc::new(shaders.parse(model)?.0);
    let mut latest = latest();
    latest.push_front((model.spatial, calls.to_owned(), module.clone()));
    latest.truncate(KEPT);
    Ok(module)
}

/// Can the same pipelines run both models?
pub(super) fn are_alike(first: &CompiledScene, other: &CompiledScene, options: &Options) -> bool {
    specialize(first, options, false, false) == specialize(other, options, false, false)
}

/// What the pipelines of a model are specialized to.
fn specialize(model: &CompiledScene, options: &Options, texture_loads: bool, software: bool) -> Specialization {
    Specialization {
        overrides: overrides(model, options, texture_loads, software),
        calls: calls(model),
        own: model.own.iter().map(|spec| spec.text).collect(),
        measures: StageId::Measure
            .row()
            .entry_points
            .iter()
            .map(|(pass, _)| *pass)
            .filter(|pass| model.measures.any() && model.measures.needs_pass(*pass))
            .collect(),
        stages: STAGES.iter().filter(|stage| (stage.used)(model)).map(|stage| stage.id).collect(),
        spatial: model.spatial,
    }
}

/// Threads of a workgroup of the stage `scan`, the counts that each thread covers, and threads of the stage `arrange`.
fn scan_shape(software: bool) -> [u32; 3] {
    if software { [8, 512, 64] } else { [256, 4, 256] }
}

/// The overrides of `shaders/common/specialization.wgsl`.
fn overrides(model: &CompiledScene, options: &Options, texture_loads: bool, software: bool) -> Vec<(String, f64)> {
    let ([x, y, z], flag) = (model.boundary_codes(), f64::from);
    let [threads, each, arranging] = scan_shape(software);
    let mut values = vec![
        ("workgroup_size".to_owned(), f64::from(options.workgroup_size)),
        ("boundary_x".to_owned(), x),
        ("boundary_y".to_owned(), y),
        ("boundary_z".to_owned(), z),
        // Always on where bodies collide: it decides which candidates the stage `collide` finds, and the reference clips rows.
        ("clipped_rows".to_owned(), flag(options.clipped_rows || model.collides())),
        ("id_order".to_owned(), flag(options.id_order)),
        ("texture_loads".to_owned(), flag(texture_loads)),
        ("scan_threads".to_owned(), threads.into()),
        ("counts_per_thread".to_owned(), each.into()),
        ("arrange_threads".to_owned(), arranging.into()),
        ("tails_in_layer".to_owned(), model.species.len().saturating_sub(1).min(TAILS) as f64),
        ("lone_queries".to_owned(), flag(model.has_lone_queries())),
        ("lists_events".to_owned(), flag(model.lists_events)),
    ];
    let flags = model.features.flags().into_iter().chain(model.vehicles.overrides());
    values.extend(flags.map(|(name, on)| (name.to_owned(), flag(on))));
    for (name, value) in &options.forced {
        values.iter_mut().filter(|(known, _)| known == name).for_each(|(_, old)| *old = *value);
    }
    values
}

/// How shaders are loaded: `checked` adds bounds checks; `source` is the text to which names and lines for debuggers refer.
#[derive(Debug, Clone, Copy)]
struct Loaded<'a> {
    checked: bool,
    source: Option<&'a str>,
}

fn pass(
    gpu: &Gpu,
    options: &Options,
    loaded: Loaded<'_>,
    stage: &'static Stage,
    &(id, domain): &Dispatch,
    entry: EntryPoint,
) -> Result<Pass, GpuError> {
    let shown_as = options.shaders.shown_as(stage.id);
    let interface = |message: String| ShaderError::Interface { path: shown_as.to_owned(), message };
    let (name, device) = (id.name(), &gpu.device);
    let Loaded { checked, source } = loaded;
    let write = |float| precise::words(&entry.module, &entry.info, float, checked, source);
    let words = gpu.float.filter(|_| gpu.exact && options.exact).map(write).transpose().map_err(interface)?;
    let layout = || {
        let layout_entry = |b: &Binding| wgpu::BindGroupLayoutEntry {
            binding: b.index,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: b.ty,
            count: None,
        };
        let entries: Vec<_> = entry.bindings.iter().map(layout_entry).collect();
        device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(name), entries: &entries })
    };
    let refused = |error: GpuError| interface(error.to_string());
    // Before `compiled` keeps anything: a refused layout must not reach other simulations.
    let layout = gpu.caught(layout).map_err(refused)?;
    let cached = match words {
        Some(words) => gpu.compiled.of(words, layout),
        None => {
            let make = || {
                let source = wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(entry.module));
                let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(name), source });
                pipeline(device, name, &layout, &module)
            };
            let pipeline = gpu.caught(make).map_err(refused)?.into();
            Arc::new(CachedPass { words: None, layout, pipeline })
        }
    };
    Ok(Pass { id, stage, name, cached, bindings: entry.bindings, domain, workgroup_size: entry.workgroup_size })
}
