//! The render pipelines of a picture.

use super::frame::Variant;
use super::targets::{DEPTH, LIGHT, SAMPLES};
use crate::gpu::resources::{READ, WRITE, buffer_type, layout, pipeline_layout};
use crate::gpu::{Gpu, GpuError};

macro_rules! shader {
    ($name:literal) => {
        concat!(include_str!("../../shaders/render/frame.wgsl"), include_str!(concat!("../../shaders/render/", $name)))
    };
}

/// As `shader!`, for the passes that read agents.
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
    /// Counts the agents of each block that are large enough to be drawn one by one; `list` then writes their slots.
    pub count: wgpu::ComputePipeline,
    pub list: wgpu::ComputePipeline,
    /// Draws agents that are large enough for triangles.
    pub solid: wgpu::RenderPipeline,
    /// Adds up the cover of the smaller agents.
    pub cover: wgpu::ComputePipeline,
    /// Makes the afterglow that the picture leaves behind.
    pub afterglow: wgpu::RenderPipeline,
    pub composite: wgpu::RenderPipeline,
    pub frame_layout: wgpu::BindGroupLayout,
    pub ground_layout: wgpu::BindGroupLayout,
    pub map_layout: wgpu::BindGroupLayout,
    pub scenery_layout: wgpu::BindGroupLayout,
    pub agents_layout: wgpu::BindGroupLayout,
    /// The list of agents drawn one by one: `listing_layout` for writing, `listed_layout` for reading.
    pub listing_layout: wgpu::BindGroupLayout,
    pub listed_layout: wgpu::BindGroupLayout,
    pub cover_layout: wgpu::BindGroupLayout,
    pub afterglow_layout: wgpu::BindGroupLayout,
    pub composite_layout: wgpu::BindGroupLayout,
}

/// What differs between the render pipelines.
struct PipelineSpec<'a> {
    label: &'a str,
    source: &'a str,
    layouts: &'a [&'a wgpu::BindGroupLayout],
    topology: wgpu::PrimitiveTopology,
    format: wgpu::TextureFormat,
    blend: Option<wgpu::BlendState>,
    /// `None` without a depth buffer, otherwise whether depth is written.
    depth: Option<bool>,
}

impl<'a> PipelineSpec<'a> {
    /// Triangles without depth and blending: later ones overwrite earlier ones.
    fn new(label: &'a str, source: &'a str, layouts: &'a [&'a wgpu::BindGroupLayout]) -> PipelineSpec<'a> {
        let topology = wgpu::PrimitiveTopology::TriangleList;
        PipelineSpec { label, source, layouts, topology, format: LIGHT, blend: None, depth: None }
    }

    fn in_depth(self, written: bool) -> PipelineSpec<'a> {
        PipelineSpec { depth: Some(written), ..self }
    }

    fn blended(self, blend: wgpu::BlendState) -> PipelineSpec<'a> {
        PipelineSpec { blend: Some(blend), ..self }
    }
}

impl Pipelines {
    pub fn new(gpu: &Gpu, target: wgpu::TextureFormat, variant: Variant) -> Result<Pipelines, GpuError> {
        let pipelines = gpu.caught(|| Pipelines::made(&gpu.device, target, variant))?;
        gpu.alive()?;
        Ok(pipelines)
    }

    fn made(device: &wgpu::Device, target: wgpu::TextureFormat, variant: Variant) -> Pipelines {
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
        let kernel = |name, source, layouts: &[_]| kernel(device, variant, name, source, layouts);
        let pipeline = |spec: PipelineSpec| pipeline(device, variant, &spec);
        let (over, across) = (wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING, wgpu::BlendState::ALPHA_BLENDING);
        let map = concat!(shader!("map.wgsl"), include_str!("../../shaders/common/texels.wgsl"));
        let afterglow = concat!(shader!("layers.wgsl"), include_str!("../../shaders/render/afterglow.wgsl"));
        let composite = concat!(shader!("layers.wgsl"), include_str!("../../shaders/render/composite.wgsl"));
        Pipelines {
            fill: pipeline(PipelineSpec::new("fill", shader!("fill.wgsl"), &[&scenery_layout]).in_depth(true)),
            stroke: pipeline(
                PipelineSpec::new("stroke", shader!("stroke.wgsl"), &[&scenery_layout]).in_depth(false).blended(across),
            ),
            count: kernel("count", agents!("listing.wgsl"), &[&agents_layout, &listing_layout]),
            list: kernel("list", agents!("listing.wgsl"), &[&agents_layout, &listing_layout]),
            cover: kernel("add_up", agents!("cover.wgsl"), &[&agents_layout, &cover_layout]),
            solid: pipeline(
                PipelineSpec::new("solid", agents!("solid.wgsl"), &[&agents_layout, &listed_layout]).in_depth(true),
            ),
            outline: pipeline(PipelineSpec {
                topology: wgpu::PrimitiveTopology::LineList,
                ..PipelineSpec::new("outline", shader!("outline.wgsl"), &[&frame_layout]).in_depth(false)
            }),
            ground: pipeline(
                PipelineSpec::new("ground", shader!("ground.wgsl"), &[&ground_layout]).in_depth(false).blended(over),
            ),
            map: pipeline(PipelineSpec::new("map", map, &[&map_layout]).in_depth(false).blended(over)),
            afterglow: pipeline(PipelineSpec::new("afterglow", afterglow, &[&afterglow_layout])),
            composite: pipeline(PipelineSpec {
                format: target,
                ..PipelineSpec::new("composite", composite, &[&composite_layout])
            }),
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
        }
    }
}

const UNIFORM: wgpu::BindingType = buffer_type(wgpu::BufferBindingType::Uniform);

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

fn pipeline(device: &wgpu::Device, variant: Variant, spec: &PipelineSpec) -> wgpu::RenderPipeline {
    let source = wgpu::ShaderSource::Wgsl(spec.source.into());
    let module = &device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(spec.label), source });
    let layout = pipeline_layout(device, spec.label, spec.layouts);
    let constants = variant.constants();
    let compilation_options = wgpu::PipelineCompilationOptions { constants: &constants, ..Default::default() };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(spec.label),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("draw"),
            compilation_options: compilation_options.clone(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState { topology: spec.topology, ..Default::default() },
        depth_stencil: spec.depth.map(|write| wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(write),
            // Reversed depth. In a planar world everything has the same depth, and what is drawn last is on top.
            depth_compare: Some(wgpu::CompareFunction::GreaterEqual),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: wgpu::MultisampleState {
            count: if spec.depth.is_some() { SAMPLES } else { 1 },
            ..Default::default()
        },
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some("paint"),
            compilation_options: compilation_options.clone(),
            targets: &[Some(wgpu::ColorTargetState {
                format: spec.format,
                blend: spec.blend,
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}
