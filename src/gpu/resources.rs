//! Buffers and textures, as nearly all of them are made.

/// A buffer of so many bytes, all zero.
pub(crate) fn zeros(device: &wgpu::Device, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let label = Some(label);
    device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
}

/// A buffer that holds these.
pub(crate) fn filled<T: bytemuck::NoUninit>(
    device: &wgpu::Device,
    label: &str,
    contents: &[T],
    usage: wgpu::BufferUsages,
) -> wgpu::Buffer {
    let (label, contents) = (Some(label), bytemuck::cast_slice::<T, u8>(contents));
    let size = (contents.len() as u64).next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT).max(wgpu::COPY_BUFFER_ALIGNMENT);
    let buffer = device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: true });
    // On a device that is lost, or without memory, nothing is mapped: whoever uses it hears of that.
    if let Ok(mut mapped) = buffer.get_mapped_range_mut(..) {
        mapped.slice(..contents.len()).copy_from_slice(contents);
        drop(mapped);
        buffer.unmap();
    }
    buffer
}

/// A texture of this width and height, with one sample for each texel.
pub(crate) fn texture(
    device: &wgpu::Device,
    label: &str,
    [width, height]: [u32; 2],
    format: wgpu::TextureFormat,
    usage: wgpu::TextureUsages,
) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}
