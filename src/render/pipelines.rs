//! The render pipelines of a picture.

use super::frame::Variant;
use super::targets::{DEPTH, LIGHT, SAMPLES};
use crate::gpu::{Gpu, GpuError};

macro_rules! shader {
    ($name:literal) => {
        concat!(include_str!("../../shaders/render/frame.wgsl"), include_str!(concat!("../../shaders/render/", $name)))
    };
}

/// The same for the passes that read agents.
macro_rules! agents {
    ($name:literal) => {
        concat!(
            shader!("agents.wgsl"),
            include_str!("../../shaders/common/hash.wgsl"),
            include_str!(concat!("../../shaders/render/", $name))
        )
    };
}

/// One pipeline for each part of a picture.
#[derive(Debug)]
pub struct Pipelines {
    pub outline: wgpu::RenderPipeline,
    pub ground: wgpu::RenderPipeline,
    /// Walls and slow ground of a map.
    pub map: wgpu::RenderPipeline,
    /// Faces of the scenery.
    pub fill: wgpu::RenderPipeline,
    /// Lines of the scenery.
    pub stroke: wgpu::RenderPipeline,
    /// How many agents of each block are large enough to be drawn one by one, and their slots.
    pub count: wgpu::ComputePipeline,
    pub list: wgpu::ComputePipeline,
    /// Agents that are large enough for triangles.
    pub solid: wgpu::RenderPipeline,
    /// What the others cover.
    pub cover: wgpu::ComputePipeline,
    /// What the picture leaves behind.
    pub afterglow: wgpu::RenderPipeline,
    pub composite: wgpu::RenderPipeline,
    pub frame_layout: wgpu::BindGroupLayout,
    pub ground_layout: wgpu::BindGroupLayout,
    pub map_layout: wgpu::BindGroupLayout,
    pub scenery_layout: wgpu::BindGroupLayout,
    pub agents_layout: wgpu::BindGroupLayout,
    /// The list of agents drawn one by one, to be written, and to be read.
    pub listing_layout: wgpu::BindGroupLayout,
    pub listed_layout: wgpu::BindGroupLayout,
    pub cover_layout: wgpu::BindGroupLayout,
    pub afterglow_layout: wgpu::BindGroupLayout,
    pub composite_layout: wgpu::BindGroupLayout,
}

/// What differs between the pipelines.
struct Part<'a> {
    label: &'a str,
    source: &'a str,
    layouts: &'a [&'a wgpu::BindGroupLayout],
    topology: wgpu::PrimitiveTopology,
    format: wgpu::TextureFormat,
    blend: Option<wgpu::BlendState>,
    /// None without a depth buffer; otherwise, is depth written?
    depth: Option<bool>,
}

impl Pipelines {
    pub fn new(gpu: &Gpu, target: wgpu::TextureFormat, variant: Variant) -> Result<Pipelines, GpuError> {
        let device = &gpu.device;
        let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let texture = |sample_type, multisampled| wgpu::BindingType::Texture {
            sample_type,
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled,
        };
        let color = texture(wgpu::TextureSampleType::Float { filterable: false }, false);
        let drawn = wgpu::ShaderStages::VERTEX_FRAGMENT;
        let computed = wgpu::ShaderStages::COMPUTE;
        let frame_layout = layout(device, "frame", drawn, &[UNIFORM]);
        let ground_layout = layout(device, "ground", drawn, &[UNIFORM, READ, UNIFORM]);
        let words = texture(wgpu::TextureSampleType::Uint, false);
        let map_layout = layout(device, "map", drawn, &[UNIFORM, words, UNIFORM, words]);
        let scenery_layout = layout(device, "scenery", drawn, &[UNIFORM, READ]);
        let agents_layout = layout(
            device,
            "agents",
            drawn | computed,
            &[UNIFORM, READ, READ, READ, UNIFORM, READ, READ, READ, UNIFORM],
        );
        let listing_layout = layout(device, "listing", computed, &[WRITE]);
        let listed_layout = layout(device, "listed", drawn, &[READ]);
        let cover_layout = layout(device, "cover", computed, &[WRITE, texture(wgpu::TextureSampleType::Depth, true)]);
        let composite_layout = layout(device, "composite", drawn, &[UNIFORM, color, READ, UNIFORM]);
        let afterglow_layout = layout(device, "afterglow", drawn, &[UNIFORM, color, READ, color, UNIFORM]);
        let triangles = wgpu::PrimitiveTopology::TriangleList;
        let scenery_layouts = [&scenery_layout];
        let scenery = |label, source, blend, write| Part {
            label,
            source,
            layouts: &scenery_layouts,
            topology: triangles,
            format: LIGHT,
            blend,
            depth: Some(write),
        };
        let pipelines = Pipelines {
            fill: pipeline(device, variant, &scenery("fill", shader!("fill.wgsl"), None, true)),
            stroke: pipeline(
                device,
                variant,
                &scenery("stroke", shader!("stroke.wgsl"), Some(wgpu::BlendState::ALPHA_BLENDING), false),
            ),
            count: kernel(device, variant, "count", agents!("listing.wgsl"), &[&agents_layout, &listing_layout]),
            list: kernel(device, variant, "list", agents!("listing.wgsl"), &[&agents_layout, &listing_layout]),
            cover: kernel(device, variant, "add_up", agents!("cover.wgsl"), &[&agents_layout, &cover_layout]),
            solid: pipeline(
                device,
                variant,
                &Part {
                    label: "solid",
                    source: agents!("solid.wgsl"),
                    layouts: &[&agents_layout, &listed_layout],
                    topology: triangles,
                    format: LIGHT,
                    blend: None,
                    depth: Some(true),
                },
            ),
            outline: pipeline(
                device,
                variant,
                &Part {
                    label: "outline",
                    source: shader!("outline.wgsl"),
                    layouts: &[&frame_layout],
                    topology: wgpu::PrimitiveTopology::LineList,
                    format: LIGHT,
                    blend: None,
                    depth: Some(false),
                },
            ),
            ground: pipeline(
                device,
                variant,
                &Part {
                    label: "ground",
                    source: shader!("ground.wgsl"),
                    layouts: &[&ground_layout],
                    topology: triangles,
                    format: LIGHT,
                    blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                    depth: Some(false),
                },
            ),
            map: pipeline(
                device,
                variant,
                &Part {
                    label: "map",
                    source: concat!(shader!("map.wgsl"), include_str!("../../shaders/common/texels.wgsl")),
                    layouts: &[&map_layout],
                    topology: triangles,
                    format: LIGHT,
                    blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                    depth: Some(false),
                },
            ),
            afterglow: pipeline(
                device,
                variant,
                &Part {
                    label: "afterglow",
                    source: concat!(shader!("layers.wgsl"), include_str!("../../shaders/render/afterglow.wgsl")),
                    layouts: &[&afterglow_layout],
                    topology: triangles,
                    format: LIGHT,
                    blend: None,
                    depth: None,
                },
            ),
            composite: pipeline(
                device,
                variant,
                &Part {
                    label: "composite",
                    source: concat!(shader!("layers.wgsl"), include_str!("../../shaders/render/composite.wgsl")),
                    layouts: &[&composite_layout],
                    topology: triangles,
                    format: target,
                    blend: None,
                    depth: None,
                },
            ),
            frame_layout,
            ground_layout,
            map_layout,
            scenery_layout,
            agents_layout,
            listing_layout,
            listed_layout,
            cover_layout,
            afterglow_layout,
            composite_layout,
        };
        match pollster::block_on(scope.pop()) {
            Some(error) => Err(GpuError::Device(error.to_string())),
            None => Ok(pipelines),
        }
    }
}

const fn bound(ty: wgpu::BufferBindingType) -> wgpu::BindingType {
    wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None }
}

const UNIFORM: wgpu::BindingType = bound(wgpu::BufferBindingType::Uniform);
const READ: wgpu::BindingType = bound(wgpu::BufferBindingType::Storage { read_only: true });
const WRITE: wgpu::BindingType = bound(wgpu::BufferBindingType::Storage { read_only: false });

fn layout(
    device: &wgpu::Device,
    label: &str,
    visibility: wgpu::ShaderStages,
    types: &[wgpu::BindingType],
) -> wgpu::BindGroupLayout {
    let entry = |(binding, ty): (usize, &wgpu::BindingType)| wgpu::BindGroupLayoutEntry {
        binding: binding as u32,
        visibility,
        ty: *ty,
        count: None,
    };
    let entries: Vec<_> = types.iter().enumerate().map(entry).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries })
}

fn pipeline_layout(device: &wgpu::Device, label: &str, layouts: &[&wgpu::BindGroupLayout]) -> wgpu::PipelineLayout {
    let layouts: Vec<_> = layouts.iter().map(|layout| Some(*layout)).collect();
    device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(label),
        bind_group_layouts: &layouts,
        immediate_size: 0,
    })
}

/// A compute pass of a picture, by the name of its entry point.
fn kernel(
    device: &wgpu::Device,
    variant: Variant,
    name: &str,
    source: &str,
    layouts: &[&wgpu::BindGroupLayout],
) -> wgpu::ComputePipeline {
    let source = wgpu::ShaderSource::Wgsl(source.into());
    let module = &device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(name), source });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(name),
        layout: Some(&pipeline_layout(device, name, layouts)),
        module,
        entry_point: Some(name),
        compilation_options: wgpu::PipelineCompilationOptions { constants: &variant.constants(), ..Default::default() },
        cache: None,
    })
}

fn pipeline(device: &wgpu::Device, variant: Variant, part: &Part) -> wgpu::RenderPipeline {
    let source = wgpu::ShaderSource::Wgsl(part.source.into());
    let module = &device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(part.label), source });
    let layout = pipeline_layout(device, part.label, part.layouts);
    let constants = variant.constants();
    let compilation_options = wgpu::PipelineCompilationOptions { constants: &constants, ..Default::default() };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(part.label),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("draw"),
            compilation_options: compilation_options.clone(),
            buffers: &[],
        },
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
            compilation_options: compilation_options.clone(),
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
