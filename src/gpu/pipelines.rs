//! The compute pipelines of a scene: immutable, built once, usable by several worlds.

use super::buffers::Bound;
use super::shaders::{Binding, EntryPoint, ShaderError, Sources, constant};
use super::simulation::Options;
use super::{Gpu, GpuError, precise};
use crate::model::{Dispatch, Extent, Model, OBSERVE, STAGES, Stage};
use crate::scene::Boundary;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// One dispatch of a step.
#[derive(Debug)]
pub struct Pass {
    /// Index of its stage in [`STAGES`]; `STAGES.len()` for the stage `observe`.
    pub stage: usize,
    /// Its entry point.
    pub name: &'static str,
    pub(super) pipeline: wgpu::ComputePipeline,
    pub(super) layout: wgpu::BindGroupLayout,
    /// The buffers it binds, as the shader names them.
    pub bindings: Vec<Binding>,
    pub(super) extent: Extent,
    /// Invocations per workgroup.
    pub workgroup_size: u32,
}

/// All passes of a step, in order, and the stage `observe`. Several simulations may share them.
#[derive(Debug)]
pub struct Pipelines {
    /// The dispatches of a step.
    pub passes: Vec<Pass>,
    pub(super) observe: Pass,
    pub(super) bound: Bound,
    pub(super) options: Options,
    gpu: Gpu,
    spatial: bool,
    /// What they are specialized to: pipelines for equal values are equal.
    specialization: Vec<(String, f64)>,
}

impl Pipelines {
    /// Compile the stages, specialized to what the model uses.
    ///
    /// # Errors
    /// A shader that does not compile, at the place in its file.
    pub fn new(gpu: &Gpu, model: &Model, options: &Options) -> Result<Self, GpuError> {
        Program::new(model, options)?.compile(gpu, options)
    }

    /// Does a pass bind the buffer of this name?
    pub fn binds(&self, buffer: &str) -> bool {
        self.bound.names.contains(buffer)
    }

    /// Can a simulation of this model use them, on this device: the [`Gpu`] that they were made with, or a clone of it?
    ///
    /// # Errors
    /// [`GpuError::OtherPipelines`], with the first thing that differs.
    pub fn check(&self, gpu: &Gpu, model: &Model) -> Result<(), GpuError> {
        let differs = |what: String| Err(GpuError::OtherPipelines { what });
        if !gpu.same_as(&self.gpu) {
            return differs("the device".to_owned());
        }
        if model.spatial != self.spatial {
            return differs("the number of dimensions".to_owned());
        }
        let wanted = specialize(model, &self.options);
        match wanted.iter().zip(&self.specialization).find(|(a, b)| a != b) {
            Some(((name, needed), (_, given))) => differs(format!("`{name}`, {given} instead of {needed}")),
            None => Ok(()),
        }
    }
}

/// The entry points of a step before a device has seen them: specialized and reflected.
pub(super) struct Program {
    entries: Vec<(usize, &'static Stage, &'static Dispatch, EntryPoint)>,
    pub bound: Bound,
    spatial: bool,
    specialization: Vec<(String, f64)>,
}

impl Program {
    pub fn new(model: &Model, options: &Options) -> Result<Program, GpuError> {
        let specialization = specialize(model, options);
        let overrides = specialization.iter().cloned().collect();
        let used = |(index, stage): (usize, &'static Stage)| (stage.used)(model).then_some((index, stage));
        let stages: Vec<_> = STAGES.iter().chain([&OBSERVE]).enumerate().filter_map(used).collect();
        // Most of the time of a new simulation goes into reading shaders.
        let read = |(index, stage): &(usize, &'static Stage)| {
            let parsed = parsed(&options.shaders, stage.name, model.spatial)?;
            let entry = |dispatch: &'static Dispatch| {
                let entry = EntryPoint::new(&parsed, options.shaders.shown_as(stage.name), dispatch.0, &overrides)?;
                Ok((*index, *stage, dispatch, entry))
            };
            let dispatches = stage.entry_points.iter().filter(|(_, _, used)| used(model));
            let entries = dispatches.map(entry).collect::<Result<Vec<_>, ShaderError>>()?;
            Ok((constant(&parsed.0, "BLOCK"), entries))
        };
        let read: Vec<_> = stages.par_iter().map(read).collect::<Result<_, ShaderError>>()?;
        let scan_block = read.iter().find_map(|(block, _)| *block).filter(|block| *block > 0);
        let Some(scan_block) = scan_block else {
            let path = options.shaders.shown_as("scan").to_owned();
            return Err(ShaderError::Interface { path, message: "the constant BLOCK is missing".into() }.into());
        };
        let entries: Vec<_> = read.into_iter().flat_map(|(_, entries)| entries).collect();
        let mut names = BTreeSet::new();
        for (_, stage, _, entry) in &entries {
            for binding in &entry.bindings {
                if crate::model::buffer(&binding.name).is_none() {
                    let path = options.shaders.shown_as(stage.name).to_owned();
                    let message = format!("`{}` is not the name of a buffer", binding.name);
                    return Err(ShaderError::Interface { path, message }.into());
                }
                names.insert(binding.name.clone());
            }
        }
        Ok(Program { entries, bound: Bound { names, scan_block }, spatial: model.spatial, specialization })
    }

    pub fn compile(self, gpu: &Gpu, options: &Options) -> Result<Pipelines, GpuError> {
        let Program { entries, bound, spatial, specialization } = self;
        let compile = |(index, stage, dispatch, entry)| pass(gpu, options, index, stage, dispatch, entry);
        let mut passes = entries.into_iter().map(compile).collect::<Result<Vec<_>, _>>()?;
        let observe = passes.pop().expect("the stage observe");
        let (options, gpu) = (options.clone(), gpu.clone());
        Ok(Pipelines { passes, observe, bound, options, gpu, spatial, specialization })
    }
}

type Parsed = Arc<(naga::Module, naga::valid::ModuleInfo)>;

/// The module of a stage. Those of the built-in shaders are kept for all simulations of the process.
fn parsed(shaders: &Sources, stage: &'static str, spatial: bool) -> Result<Parsed, ShaderError> {
    static KEPT: Mutex<BTreeMap<(&str, bool), Parsed>> = Mutex::new(BTreeMap::new());
    let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if shaders.custom {
        return Ok(Arc::new(shaders.parse_used(stage, spatial)?));
    }
    if let Some(parsed) = kept().get(&(stage, spatial)) {
        return Ok(parsed.clone());
    }
    let parsed = Arc::new(shaders.parse_used(stage, spatial)?);
    kept().insert((stage, spatial), parsed.clone());
    Ok(parsed)
}

/// The overrides of `shaders/common/specialization.wgsl`.
pub(super) fn specialize(model: &Model, options: &Options) -> Vec<(String, f64)> {
    let boundary = |axis: usize| match model.boundary[axis] {
        Boundary::Wrap => 0.0,
        Boundary::Contain => 1.0,
        Boundary::Open => 2.0,
    };
    let flag = f64::from;
    let mut values = vec![
        ("workgroup_size".to_owned(), f64::from(options.workgroup_size)),
        ("boundary_x".to_owned(), boundary(0)),
        ("boundary_y".to_owned(), boundary(1)),
        ("boundary_z".to_owned(), boundary(2)),
        ("clipped_rows".to_owned(), flag(options.clipped_rows)),
        ("id_order".to_owned(), flag(options.id_order)),
    ];
    let flags = model.features.flags().into_iter().chain(model.vehicles.overrides());
    values.extend(flags.map(|(name, on)| (name.to_owned(), flag(on))));
    values.extend(model.acts.flags().into_iter().map(|(name, on)| (format!("{name}_acts"), flag(on))));
    values
}

fn pass(
    gpu: &Gpu,
    options: &Options,
    index: usize,
    stage: &Stage,
    &(name, extent, _): &Dispatch,
    entry: EntryPoint,
) -> Result<Pass, GpuError> {
    let shown_as = options.shaders.shown_as(stage.name);
    let interface = |message: String| ShaderError::Interface { path: shown_as.to_owned(), message };
    let device = &gpu.device;
    let needed = entry.bindings.iter().filter(|b| b.ty != wgpu::BufferBindingType::Uniform).count();
    let available = device.limits().max_storage_buffers_per_shader_stage as usize;
    if needed > available {
        return Err(GpuError::TooManyBuffers { stage: stage.name, needed, available, adapter: gpu.info.name.clone() });
    }
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let module = if gpu.exact && options.exact {
        let checked = options.shaders.custom;
        precise::load(device, name, &entry.module, &entry.info, entry.entry_point(), checked)
            .map_err(|e| interface(e.to_string()))?
    } else {
        let source = wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(entry.module.clone()));
        device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(name), source })
    };
    let layout_entry = |b: &Binding| wgpu::BindGroupLayoutEntry {
        binding: b.index,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty: b.ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    };
    let entries: Vec<_> = entry.bindings.iter().map(layout_entry).collect();
    let layout =
        device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(name), entries: &entries });
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(name),
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 0,
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(name),
        layout: Some(&pipeline_layout),
        module: &module,
        entry_point: Some(name),
        compilation_options: wgpu::PipelineCompilationOptions {
            zero_initialize_workgroup_memory: false,
            ..Default::default()
        },
        cache: None,
    });
    if let Some(error) = pollster::block_on(scope.pop()) {
        return Err(interface(error.to_string()).into());
    }
    let EntryPoint { bindings, workgroup_size, .. } = entry;
    Ok(Pass { stage: index, name, pipeline, layout, bindings, extent, workgroup_size })
}
