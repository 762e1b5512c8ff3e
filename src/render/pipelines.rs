//! The render pipelines of a picture.

use super::targets::{DEPTH, LIGHT, SAMPLES};
use crate::gpu::{Gpu, GpuError};

macro_rules! shader {
    ($name:literal) => {
        concat!(include_str!("../../shaders/render/frame.wgsl"), include_str!(concat!("../../shaders/render/", $name)))
    };
}

/// One pipeline for each part of a picture.
#[derive(Debug)]
pub struct Pipelines {
    pub sky: wgpu::RenderPipeline,
    pub outline: wgpu::RenderPipeline,
    pub ground: wgpu::RenderPipeline,
    /// Faces of the scenery.
    pub fill: wgpu::RenderPipeline,
    /// Lines of the scenery.
    pub stroke: wgpu::RenderPipeline,
    /// Agents large enough to be drawn one by one.
    pub solid: wgpu::RenderPipeline,
    /// Agents that only add their light.
    pub light: wgpu::RenderPipeline,
    pub composite: wgpu::RenderPipeline,
    pub frame_layout: wgpu::BindGroupLayout,
    pub ground_layout: wgpu::BindGroupLayout,
    pub scenery_layout: wgpu::BindGroupLayout,
    pub agents_layout: wgpu::BindGroupLayout,
    pub composite_layout: wgpu::BindGroupLayout,
}

/// What differs between the pipelines.
struct Part<'a> {
    label: &'a str,
    source: &'a str,
    layout: &'a wgpu::BindGroupLayout,
    constants: &'a [(&'a str, f64)],
    topology: wgpu::PrimitiveTopology,
    format: wgpu::TextureFormat,
    blend: Option<wgpu::BlendState>,
    /// None without a depth buffer; otherwise, is depth written?
    depth: Option<bool>,
}

impl Pipelines {
    pub fn new(gpu: &Gpu, target: wgpu::TextureFormat) -> Result<Pipelines, GpuError> {
        let device = &gpu.device;
        let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let storage = wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: true },
            has_dynamic_offset: false,
            min_binding_size: None,
        };
        let texture = wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: false },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        };
        let frame_layout = layout(device, "frame", &[storage]);
        let ground_layout = layout(device, "ground", &[storage, storage, UNIFORM, storage]);
        let scenery_layout = layout(device, "scenery", &[storage, storage]);
        let agents_layout = layout(
            device,
            "agents",
            &[storage, storage, storage, storage, storage, UNIFORM, storage, storage, storage],
        );
        let composite_layout = layout(device, "composite", &[storage, texture, texture, UNIFORM]);
        let triangles = wgpu::PrimitiveTopology::TriangleList;
        let agents = |label, solid: bool| Part {
            label,
            source: concat!(shader!("agents.wgsl"), include_str!("../../shaders/common/hash.wgsl")),
            layout: &agents_layout,
            constants: if solid { &[("solid", 1.0)] } else { &[("solid", 0.0)] },
            topology: triangles,
            format: LIGHT,
            blend: (!solid).then_some(wgpu::BlendState { color: ADD, alpha: ADD }),
            depth: Some(solid),
        };
        let scenery = |label, source, blend, write| Part {
            label,
            source,
            layout: &scenery_layout,
            constants: &[],
            topology: triangles,
            format: LIGHT,
            blend,
            depth: Some(write),
        };
        let pipelines = Pipelines {
            fill: pipeline(device, &scenery("fill", shader!("fill.wgsl"), None, true)),
            stroke: pipeline(
                device,
                &scenery("stroke", shader!("stroke.wgsl"), Some(wgpu::BlendState::ALPHA_BLENDING), false),
            ),
            solid: pipeline(device, &agents("solid", true)),
            light: pipeline(device, &agents("light", false)),
            sky: pipeline(
                device,
                &Part {
                    label: "sky",
                    source: shader!("sky.wgsl"),
                    layout: &frame_layout,
                    constants: &[],
                    topology: triangles,
                    format: LIGHT,
                    blend: None,
                    depth: Some(false),
                },
            ),
            outline: pipeline(
                device,
                &Part {
                    label: "outline",
                    source: shader!("outline.wgsl"),
                    layout: &frame_layout,
                    constants: &[],
                    topology: wgpu::PrimitiveTopology::LineList,
                    format: LIGHT,
                    blend: None,
                    depth: Some(false),
                },
            ),
            ground: pipeline(
                device,
                &Part {
                    label: "ground",
                    source: shader!("ground.wgsl"),
                    layout: &ground_layout,
                    constants: &[],
                    topology: triangles,
                    format: LIGHT,
                    blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                    depth: Some(false),
                },
            ),
            composite: pipeline(
                device,
                &Part {
                    label: "composite",
                    source: shader!("composite.wgsl"),
                    layout: &composite_layout,
                    constants: &[],
                    topology: triangles,
                    format: target,
                    blend: None,
                    depth: None,
                },
            ),
            frame_layout,
            ground_layout,
            scenery_layout,
            agents_layout,
            composite_layout,
        };
        match pollster::block_on(scope.pop()) {
            Some(error) => Err(GpuError::Device(error.to_string())),
            None => Ok(pipelines),
        }
    }
}

const UNIFORM: wgpu::BindingType = wgpu::BindingType::Buffer {
    ty: wgpu::BufferBindingType::Uniform,
    has_dynamic_offset: false,
    min_binding_size: None,
};

const ADD: wgpu::BlendComponent = wgpu::BlendComponent {
    src_factor: wgpu::BlendFactor::One,
    dst_factor: wgpu::BlendFactor::One,
    operation: wgpu::BlendOperation::Add,
};

fn layout(device: &wgpu::Device, label: &str, types: &[wgpu::BindingType]) -> wgpu::BindGroupLayout {
    let entry = |(binding, ty): (usize, &wgpu::BindingType)| wgpu::BindGroupLayoutEntry {
        binding: binding as u32,
        visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
        ty: *ty,
        count: None,
    };
    let entries: Vec<_> = types.iter().enumerate().map(entry).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries })
}

fn pipeline(device: &wgpu::Device, part: &Part) -> wgpu::RenderPipeline {
    let source = wgpu::ShaderSource::Wgsl(part.source.into());
    let module = &device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(part.label), source });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(part.label),
        bind_group_layouts: &[Some(part.layout)],
        immediate_size: 0,
    });
    let options = || wgpu::PipelineCompilationOptions { constants: part.constants, ..Default::default() };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(part.label),
        layout: Some(&layout),
        vertex: wgpu::VertexState { module, entry_point: Some("draw"), compilation_options: options(), buffers: &[] },
        primitive: wgpu::PrimitiveState { topology: part.topology, ..Default::default() },
        depth_stencil: part.depth.map(|write| wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(write),
            // Reversed depth; in a planar world all are at one depth, and the last one is on top.
            depth_compare: Some(wgpu::CompareFunction::GreaterEqual),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: wgpu::MultisampleState {
            count: if part.depth.is_some() { SAMPLES } else { 1 },
            ..Default::default()
        },
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some("paint"),
            compilation_options: options(),
            targets: &[Some(wgpu::ColorTargetState {
                format: part.format,
                blend: part.blend,
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}
