//! The compute pipelines of a scene: immutable, built once, usable by several worlds.

use super::compiled::Made;
use super::context::{debugs, most_limits, prefers_texture};
use super::limits::{Bound, check_limits, fewer_parts, largest_binding, largest_bytes, software, texture_holds};
use super::of_many::{Apart, of_many};
use super::options::Options;
use super::reflect::{Binding, EntryPoint};
use super::resources::pipeline;
use super::{Gpu, GpuError, precise};
use crate::model::observation::TAILS;
use crate::model::{BufferId, CompiledScene, Dispatch, DispatchDomain, PassId, STAGES, Stage, StageId};
use crate::scene::Scene;
use crate::shaders::{ShaderError, Sources, calls};
use rayon::prelude::*;
use std::collections::{BTreeSet, VecDeque};
use std::iter::repeat_n;
use std::sync::{Arc, Mutex, PoisonError};

/// One dispatch of a step.
#[derive(Debug)]
pub struct Pass {
    /// Which it is.
    pub id: PassId,
    /// Its stage.
    pub stage: &'static Stage,
    /// Its entry point.
    pub name: &'static str,
    made: Arc<Made>,
    /// The buffers it binds, as the shader names them.
    pub bindings: Vec<Binding>,
    pub(super) domain: DispatchDomain,
    /// Invocations per workgroup.
    pub workgroup_size: u32,
}

impl Pass {
    pub(super) fn layout(&self) -> &wgpu::BindGroupLayout {
        &self.made.layout
    }

    /// Its pipeline, for this recording at least: what the device refuses is said to the error scopes around it.
    pub(super) fn pipeline(&self, gpu: &Gpu) -> wgpu::ComputePipeline {
        self.ready(gpu).cloned().unwrap_or_else(|_| self.compile(gpu))
    }

    /// Its pipeline, made unless it was before.
    ///
    /// # Errors
    /// What the device refuses.
    fn ready(&self, gpu: &Gpu) -> Result<&wgpu::ComputePipeline, GpuError> {
        match self.made.pipeline.get() {
            Some(made) => Ok(made),
            None => gpu.caught(|| self.compile(gpu)).map(|made| self.made.pipeline.get_or_init(|| made)),
        }
    }

    #[cfg(test)]
    pub(super) fn is_compiled(&self) -> bool {
        self.made.pipeline.get().is_some()
    }

    fn compile(&self, gpu: &Gpu) -> wgpu::ComputePipeline {
        let words = self.made.words.as_ref().expect("what has no words was made at once");
        let module = precise::load(&gpu.device, self.name, self.workgroup_size, words);
        pipeline(&gpu.device, self.name, &self.made.layout, &module)
    }
}

/// From so many agents on there is `observe_texels`. Rows of fewer agents cost little, and to compile it is a fifth of such a world's start.
const MANY: u32 = 1 << 14;

/// Are shaders specialized and compiled one after the other, not side by side? What each thread takes for it never goes back to the
/// system, and where a driver that computes on the CPU has so many agents, memory matters more than half a second at the start.
fn is_patient(model: &CompiledScene, software: bool) -> bool {
    software && model.world.agent_count >= 1 << 19
}

/// What becomes of each of these, in their order.
fn of_all<T: Send, U: Send, E: Send>(
    all: Vec<T>,
    patient: bool,
    make: impl Fn(T) -> Result<U, E> + Sync + Send,
) -> Result<Vec<U>, E> {
    if patient { all.into_iter().map(make).collect() } else { all.into_par_iter().map(make).collect() }
}

/// All passes of a step, in order, and the stages `observe` and `measure`. Several simulations may share them.
#[derive(Debug)]
pub struct Pipelines {
    /// The dispatches of a step, stage by stage. Where there are fused passes too, `arrange` comes first, and `stride` after
    /// `integrate`.
    pub passes: Vec<Pass>,
    /// Which passes run where several steps follow each other: their indices in `passes`, in order.
    pub(super) sequence: Vec<usize>,
    /// As `sequence`, for small worlds.
    pub(super) small_sequence: Vec<usize>,
    /// The passes of `observe`; the second loads from a texture, where there is one and agents are many.
    pub(super) observe: Vec<Pass>,
    /// The passes of `measure`, in order.
    pub(super) measure: Vec<Pass>,
    pub(super) bound: Bound,
    /// How several worlds lie in the buffers, where these are for several.
    pub(super) apart: Option<Apart>,
    pub(super) options: Options,
    gpu: Gpu,
    /// What they are specialized to: pipelines for equal values are equal.
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
    /// The passes that measure what it asks to observe.
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

    /// Make all pipelines now, side by side, those too that no step needs where several follow each other. Others are made when they are
    /// first recorded, since drivers take long to compile.
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

    /// Can a simulation of this model use them, on this device: the [`Gpu`] that they were made with, or a clone of it?
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
    apart: Option<Apart>,
    specialization: Specialization,
    /// With bounds checks?
    checked: bool,
    /// The text of the module, where debuggers want it.
    source: Option<String>,
}

impl Program {
    /// The program for a device, which can run it.
    ///
    /// # Errors
    /// A shader that cannot be used, or what the device cannot do: see [`Program::check`].
    pub fn checked(gpu: &Gpu, model: &CompiledScene, options: &Options) -> Result<Program, GpuError> {
        let limits = gpu.device.limits();
        let program = Program::fitting(&limits, &gpu.info, gpu.texture_loads, model, options)?;
        program.check(&limits, &gpu.info, model)?;
        Ok(program)
    }

    /// The program for a device with these limits, which may have too small ones. `texture_loads` is [`Gpu::texture_loads`].
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

    /// `software`: for a driver that computes on the CPU.
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
        let overrides = specialization.overrides.iter().cloned().collect();
        let module = parsed(&options.shaders, model, &specialization.calls)?;
        let interface = |stage: StageId, message: String| {
            GpuError::from(ShaderError::Interface { path: options.shaders.shown_as(stage).to_owned(), message })
        };
        let [threads, each] = scan_shape(software);
        let used = |stage: &'static Stage| {
            let here = |(pass, _): &&Dispatch| match pass {
                PassId::GatherColumns => texture_loads,
                PassId::ObserveTexels => texture_loads && model.world.agent_count >= MANY,
                pass => model.measures.takes(*pass),
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
        let entries = of_all(dispatches, is_patient(model, software), |(stage, dispatch)| {
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
        // Where a user wrote some of the shaders, who knows when they need it?
        let guest = |buffer: &&BufferId| {
            let apart = |host| entries.iter().all(|(.., entry)| !(entry.binds(**buffer) && entry.binds(host)));
            options.shaders.strides
                && buffer.row().in_room_of.is_some_and(|host| buffers.contains(&host) && apart(host))
        };
        let guests = buffers.iter().filter(guest).copied().collect();
        let bound = Bound { buffers, scan_block: threads * each, guests };
        Ok(Program { entries, bound, apart: None, specialization, checked, source })
    }

    /// Can a device with these limits bind the buffers of each pass, run its workgroups, and hold the buffers?
    ///
    /// # Errors
    /// [`GpuError::TooManyBuffers`] or [`GpuError::TooMuch`] with the first thing that it cannot, and what [`check_limits`] says.
    pub fn check(
        &self,
        limits: &wgpu::Limits,
        info: &wgpu::AdapterInfo,
        model: &CompiledScene,
    ) -> Result<(), GpuError> {
        let available = limits.max_storage_buffers_per_shader_stage as usize;
        for (stage, _, entry) in self.entries.iter().filter(|(stage, ..)| !is_fused(stage)) {
            let (stage, adapter) = (stage.name, info.name.clone());
            let needed = entry.storage_buffers();
            if needed > available {
                fewer_parts(limits, info, model, &entry.bindings, needed - available)?;
                return Err(GpuError::TooManyBuffers { stage, needed, available, adapter });
            }
            let over = entry.needs(limits).into_iter().find(|(_, needed, available)| needed > available);
            if let Some((limit, needed, available)) = over {
                return Err(GpuError::TooMuch { stage, limit, needed, available, adapter });
            }
        }
        check_limits(limits, info, model, &self.bound)
    }

    /// The program for several worlds.
    ///
    /// # Errors
    /// A pass that cannot be made one of several worlds.
    pub fn of_many(self, apart: Apart, options: &Options) -> Result<Program, GpuError> {
        let each = |(stage, dispatch, entry): (&'static Stage, &'static Dispatch, EntryPoint)| {
            let interface = |message: String| {
                let path = options.shaders.shown_as(stage.id).to_owned();
                ShaderError::Interface { path, message: format!("{}: {message}", dispatch.0) }
            };
            Ok((stage, dispatch, of_many(&entry, &apart).map_err(interface)?))
        };
        let entries = self.entries.into_par_iter().map(each).collect::<Result<_, ShaderError>>()?;
        // What debuggers would show is not the text that these come from.
        let bound = Bound { guests: BTreeSet::new(), ..self.bound };
        Ok(Program { entries, bound, apart: Some(apart), source: None, ..self })
    }

    /// Compile what runs in each step of many of this model.
    pub fn compile(self, gpu: &Gpu, options: &Options, model: &CompiledScene) -> Result<Pipelines, GpuError> {
        let Program { entries, bound, apart, specialization, checked, source } = self;
        let loaded = Loaded { checked, source: source.as_deref() };
        let limits = gpu.device.limits();
        let fits = |entry: &EntryPoint| {
            let buffers = entry.storage_buffers() <= limits.max_storage_buffers_per_shader_stage as usize;
            let rest = entry.needs(&limits).iter().all(|(_, needed, available)| needed <= available);
            gpu.exact && options.exact && buffers && rest
        };
        let patient = is_patient(model, gpu.software());
        let wanted = entries.into_iter().filter(|(stage, _, entry)| !is_fused(stage) || fits(entry)).collect();
        let write = |(stage, dispatch, entry)| pass(gpu, options, loaded, stage, dispatch, entry);
        let mut passes = of_all(wanted, patient, write)?;
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
        // Before the first step each agent enters its cell.
        let bins = (0..passes.len()).filter(|index| passes[*index].stage.id == StageId::Bin);
        let needed: BTreeSet<_> = needed.iter().copied().chain(bins).collect();
        let mut needed: Vec<_> = needed.into_iter().map(|index| &passes[index]).chain(&observe).collect();
        // The largest first: what it took is room for the others.
        needed.sort_by_key(|pass| std::cmp::Reverse(pass.made.words.as_ref().map(precise::Words::count)));
        // Many drivers compile here. What the device refuses of a shader is said at its file.
        of_all(needed, patient, |pass| {
            let path = || options.shaders.shown_as(pass.stage.id).to_owned();
            let refused = |error: GpuError| ShaderError::Interface { path: path(), message: error.to_string() };
            pass.ready(gpu).map(drop).map_err(refused)
        })?;
        let (options, gpu) = (options.clone(), gpu.clone());
        Ok(Pipelines { passes, sequence, small_sequence, observe, measure, bound, apart, options, gpu, specialization })
    }
}

impl Gpu {
    /// The limits to request for a device that runs this scene as well as the adapter can: as large as its buffers need, with the
    /// bindings that let one pass stand for several. A device with the default limits runs it too, if [`Simulation::check`] says
    /// so.
    ///
    /// # Errors
    /// As [`Simulation::check`] on a device with all that the adapter has.
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
        program.check(&limits, &info, &model)?;
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

/// Which passes run where several steps follow each other: their indices, from the stage of each pass; `small` is for small worlds.
pub(super) fn sequence(stages: &[StageId], small: bool) -> Vec<usize> {
    use StageId::{Arrange, Bin, Crowd, Gather, Integrate, Scan, Scatter, Steer, Stride};
    let replaced: &[StageId] = match (stages.contains(&Stride), small && stages.contains(&Arrange)) {
        (true, true) => &[Bin, Crowd, Scan, Scatter, Gather, Steer, Integrate],
        (true, false) => &[Arrange, Bin, Steer, Integrate],
        (false, _) => &[Arrange],
    };
    (0..stages.len()).filter(|index| !replaced.contains(&stages[*index])).collect()
}

/// Passes in their order, with the ones of a stage that has several rounds as often as that.
pub(super) fn in_rounds<'a>(
    order: &'a [usize],
    stage: impl Fn(usize) -> StageId + Copy + 'a,
    model: &'a CompiledScene,
) -> impl Iterator<Item = usize> + 'a {
    let of_stages = order.chunk_by(move |before, after| stage(*before) == stage(*after));
    of_stages.flat_map(move |passes| repeat_n(passes, stage(passes[0]).row().rounds(model)).flatten().copied())
}

/// Number of modules that are cached at most.
const KEPT: usize = 16;

/// The module of a model. The latest ones of the built-in shaders are kept for all simulations of the process.
fn parsed(shaders: &Sources, model: &CompiledScene, calls: &str) -> Result<Arc<naga::Module>, ShaderError> {
    type Parsed = (bool, String, Arc<naga::Module>);
    static LATEST: Mutex<VecDeque<Parsed>> = Mutex::new(VecDeque::new());
    let latest = || LATEST.lock().unwrap_or_else(PoisonError::into_inner);
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

/// Can the same pipelines run both?
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
            .filter(|pass| model.measures.any() && model.measures.takes(*pass))
            .collect(),
        stages: STAGES.iter().filter(|stage| (stage.used)(model)).map(|stage| stage.id).collect(),
        spatial: model.spatial,
    }
}

/// Threads of a workgroup of the stage `scan`, and the counts that each covers.
fn scan_shape(software: bool) -> [u32; 2] {
    if software { [64, 64] } else { [256, 4] }
}

/// The overrides of `shaders/common/specialization.wgsl`.
fn overrides(model: &CompiledScene, options: &Options, texture_loads: bool, software: bool) -> Vec<(String, f64)> {
    let ([x, y, z], flag) = (model.boundary_codes(), f64::from);
    let [threads, each] = scan_shape(software);
    let mut values = vec![
        ("workgroup_size".to_owned(), f64::from(options.workgroup_size)),
        ("boundary_x".to_owned(), x),
        ("boundary_y".to_owned(), y),
        ("boundary_z".to_owned(), z),
        // Who collides meets those of clipped rows alone: see the stage `collide`.
        ("clipped_rows".to_owned(), flag(options.clipped_rows || model.collides())),
        ("id_order".to_owned(), flag(options.id_order)),
        ("texture_loads".to_owned(), flag(texture_loads)),
        ("scan_threads".to_owned(), threads.into()),
        ("counts_per_thread".to_owned(), each.into()),
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

/// How shaders are loaded: with bounds checks; with names and lines, and this text to look them up in.
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
    // What is refused is not kept for others.
    let layout = gpu.caught(layout).map_err(refused)?;
    let made = match words {
        Some(words) => gpu.compiled.of(words, layout),
        None => {
            let make = || {
                let source = wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(entry.module));
                let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(name), source });
                pipeline(device, name, &layout, &module)
            };
            let pipeline = gpu.caught(make).map_err(refused)?.into();
            Arc::new(Made { words: None, layout, pipeline })
        }
    };
    Ok(Pass { id, stage, name, made, bindings: entry.bindings, domain, workgroup_size: entry.workgroup_size })
}
