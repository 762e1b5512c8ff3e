//! Helpers that make buffers, textures, layouts and pipelines.

/// A buffer of `size` bytes, all zero.
pub(crate) fn zeros(device: &wgpu::Device, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let label = Some(label);
    device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
}

/// A buffer with these contents, padded with zeros.
pub(crate) fn filled<T: bytemuck::NoUninit>(
    device: &wgpu::Device,
    label: &str,
    contents: &[T],
    usage: wgpu::BufferUsages,
) -> wgpu::Buffer {
    let (label, contents) = (Some(label), bytemuck::cast_slice::<T, u8>(contents));
    let size = (contents.len() as u64).next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT).max(wgpu::COPY_BUFFER_ALIGNMENT);
    let buffer = device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: true });
    // On a device that is lost or out of memory nothing is mapped. Whoever uses the buffer gets that error.
    if let Ok(mut mapped) = buffer.get_mapped_range_mut(..) {
        mapped.slice(..contents.len()).copy_from_slice(contents);
        drop(mapped);
        buffer.unmap();
    }
    buffer
}

/// A texture of this width and height, with this number of samples for each texel.
pub(crate) fn texture(
    device: &wgpu::Device,
    label: &str,
    [width, height]: [u32; 2],
    sample_count: u32,
    format: wgpu::TextureFormat,
    usage: wgpu::TextureUsages,
) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

/// Write words into whole rows of a texture, from `first_row` on. The rest of the last row becomes zero.
pub(super) fn write_rows(queue: &wgpu::Queue, texture: &wgpu::Texture, first_row: u32, words: &[u32]) {
    let texel_size = texture.format().block_copy_size(None).expect("a format of whole words");
    let row_words = (texture.width() * texel_size / 4) as usize;
    let height = words.len().div_ceil(row_words);
    let mut words = words.to_vec();
    words.resize(row_words * height, 0);
    let mut target = texture.as_image_copy();
    target.origin.y = first_row;
    let layout = wgpu::TexelCopyBufferLayout { bytes_per_row: Some(4 * row_words as u32), ..Default::default() };
    let size = wgpu::Extent3d { width: texture.width(), height: height as u32, depth_or_array_layers: 1 };
    queue.write_texture(target, bytemuck::cast_slice(&words), layout, size);
}

/// The binding type of a buffer.
pub(crate) const fn buffer_type(ty: wgpu::BufferBindingType) -> wgpu::BindingType {
    wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None }
}

pub(crate) const READ: wgpu::BindingType = buffer_type(wgpu::BufferBindingType::Storage { read_only: true });
pub(crate) const WRITE: wgpu::BindingType = buffer_type(wgpu::BufferBindingType::Storage { read_only: false });

/// A bind group layout of bindings 0, 1, 2 and so on, with these types.
pub(crate) fn layout(
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

pub(crate) fn pipeline_layout(
    device: &wgpu::Device,
    label: &str,
    layouts: &[&wgpu::BindGroupLayout],
) -> wgpu::PipelineLayout {
    let layouts: Vec<_> = layouts.iter().map(|layout| Some(*layout)).collect();
    device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(label),
        bind_group_layouts: &layouts,
        immediate_size: 0,
    })
}

/// A bind group of bindings 0, 1, 2 and so on.
pub(crate) fn group<'a>(
    device: &wgpu::Device,
    label: &str,
    layout: &wgpu::BindGroupLayout,
    resources: impl IntoIterator<Item = wgpu::BindingResource<'a>>,
) -> wgpu::BindGroup {
    let entries = (0..).zip(resources).map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource });
    let entries = &entries.collect::<Vec<_>>();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some(label), layout, entries })
}

/// The pipeline of the entry point `name`, whose bindings have this layout.
pub(crate) fn pipeline(
    device: &wgpu::Device,
    name: &str,
    layout: &wgpu::BindGroupLayout,
    module: &wgpu::ShaderModule,
) -> wgpu::ComputePipeline {
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(name),
        layout: Some(&pipeline_layout(device, name, &[layout])),
        module,
        entry_point: Some(name),
        compilation_options: wgpu::PipelineCompilationOptions {
            zero_initialize_workgroup_memory: false,
            ..Default::default()
        },
        cache: None,
    })
}
