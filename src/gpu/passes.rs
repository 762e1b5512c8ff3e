//! Compute passes that are not part of a step, such as those that find agents, walls and ways.

use super::limits::dispatch;

/// The pipelines of a shader file, by the names of its entry points.
pub(crate) fn pipelines<const N: usize>(
    device: &wgpu::Device,
    label: &str,
    text: &str,
    names: [&str; N],
) -> [wgpu::ComputePipeline; N] {
    let source = wgpu::ShaderSource::Wgsl(text.into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(label), source });
    names.map(|name| {
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(name),
            layout: None,
            module: &module,
            entry_point: Some(name),
            compilation_options: Default::default(),
            cache: None,
        })
    })
}

/// A bind group for group 0 of a pipeline, from resources with their binding indices.
pub(crate) fn group<'a>(
    device: &wgpu::Device,
    pipeline: &wgpu::ComputePipeline,
    bound: impl IntoIterator<Item = (u32, wgpu::BindingResource<'a>)>,
) -> wgpu::BindGroup {
    let entry = |(binding, resource)| wgpu::BindGroupEntry { binding, resource };
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &bound.into_iter().map(entry).collect::<Vec<_>>(),
    })
}

/// Bind whole buffers: each with its binding index.
pub(crate) fn entire<'a>(
    bound: impl IntoIterator<Item = (u32, &'a wgpu::Buffer)>,
) -> impl Iterator<Item = (u32, wgpu::BindingResource<'a>)> {
    bound.into_iter().map(|(index, buffer)| (index, buffer.as_entire_binding()))
}

/// Record a pass of at least `invocations` invocations, 64 to a workgroup.
pub(super) fn run<'a>(
    device: &wgpu::Device,
    encoder: &mut wgpu::CommandEncoder,
    pipeline: &wgpu::ComputePipeline,
    bound: impl IntoIterator<Item = (u32, wgpu::BindingResource<'a>)>,
    invocations: u32,
) {
    let group = group(device, pipeline, bound);
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(pipeline);
    pass.set_bind_group(0, &group, &[]);
    dispatch(&mut pass, invocations.div_ceil(64), 1, 1);
}
