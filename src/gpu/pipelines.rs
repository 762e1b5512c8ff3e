//! The compute pipelines of a scene: immutable, built once, usable by several worlds.

use super::calls::calls;
use super::shaders::{Binding, EntryPoint, ShaderError, constant};
use super::simulation::Options;
use super::{Gpu, GpuError, precise};
use crate::model::{Extent, Model, OBSERVE, STAGES, Stage};
use crate::scene::Boundary;

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

/// All passes of a step, in order, and the stage `observe`.
#[derive(Debug)]
pub struct Pipelines {
    /// The dispatches of a step.
    pub passes: Vec<Pass>,
    pub(super) observe: Pass,
    /// Cells that one workgroup of the scan covers.
    pub(super) scan_block: u32,
    /// What they are specialized to: pipelines for equal values are equal.
    pub(super) specialization: Specialization,
}

/// What pipelines are specialized to: the values of the overrides, and the calls of the behaviors.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Specialization {
    overrides: Vec<(String, f64)>,
    calls: String,
    spatial: bool,
}

impl Pipelines {
    /// Compile the stages, specialized to what the model uses.
    ///
    /// # Errors
    /// A shader that does not compile, at the place in its file.
    pub fn new(gpu: &Gpu, model: &Model, options: &Options) -> Result<Self, GpuError> {
        let specialization = specialize(model, options);
        let overrides = specialization.overrides.iter().cloned().collect();
        let module = options.shaders.parse(model)?;
        let Some(scan_block) = constant(&module, "BLOCK") else {
            let path = options.shaders.shown_as("scan").to_owned();
            return Err(ShaderError::Interface { path, message: "the constant BLOCK is missing".into() }.into());
        };
        let mut passes = Vec::new();
        let used = STAGES.iter().chain([&OBSERVE]).enumerate().filter(|(_, stage)| (stage.used)(model));
        for (index, stage) in used {
            for (name, extent, _) in stage.entry_points.iter().filter(|(_, _, used)| used(model)) {
                let entry = EntryPoint::new(&module, options.shaders.shown_as(stage.name), name, &overrides)?;
                passes.push(pass(gpu, options, index, stage, name, *extent, entry)?);
            }
        }
        let observe = passes.pop().expect("the stage observe");
        Ok(Pipelines { passes, observe, scan_block, specialization })
    }
}

/// What the pipelines of a model are specialized to.
pub(super) fn specialize(model: &Model, options: &Options) -> Specialization {
    Specialization { overrides: overrides(model, options), calls: calls(model), spatial: model.spatial }
}

/// The overrides of `shaders/common/specialization.wgsl`.
fn overrides(model: &Model, options: &Options) -> Vec<(String, f64)> {
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
    for (name, value) in &options.forced {
        values.iter_mut().filter(|(known, _)| known == name).for_each(|(_, old)| *old = *value);
    }
    values
}

fn pass(
    gpu: &Gpu,
    options: &Options,
    index: usize,
    stage: &Stage,
    name: &'static str,
    extent: Extent,
    entry: EntryPoint,
) -> Result<Pass, GpuError> {
    let shown_as = options.shaders.shown_as(stage.name);
    let interface = |message: String| ShaderError::Interface { path: shown_as.to_owned(), message };
    if let Some(unknown) = entry.bindings.iter().find(|b| !super::buffers::BUFFERS.contains(&b.name.as_str())) {
        return Err(interface(format!("`{}` is not the name of a buffer", unknown.name)).into());
    }
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
