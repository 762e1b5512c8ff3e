//! The nearest walls of a map, found once at the start.

use super::Gpu;
use super::limits::dispatch;
use crate::model::BufferId;
use crate::model::obstacle_cells::TEXELS_PER_ROW;
use crate::model::walls::NearestWalls;
use wgpu::util::DeviceExt;

/// Invocations of a workgroup.
const GROUP: u32 = 64;

/// A texture of the nearest walls, as [`NearestWalls::texels`] has them. Without a map nobody reads what is in it.
pub(super) fn find(gpu: &Gpu, nearest: Option<&NearestWalls>) -> wgpu::Texture {
    let device = &gpu.device;
    let [columns, rows] = nearest.map_or([1; 2], NearestWalls::size);
    let cells = columns * rows;
    let size =
        wgpu::Extent3d { width: TEXELS_PER_ROW, height: cells.div_ceil(TEXELS_PER_ROW), depth_or_array_layers: 1 };
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some(BufferId::WallTexels.name()),
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::R32Uint,
        usage: wgpu::TextureUsages::STORAGE_BINDING
            | wgpu::TextureUsages::TEXTURE_BINDING
            | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let Some(nearest) = nearest else { return texture };
    let bits = |cells: &[bool]| cells.iter().rfold(0, |word, solid| word << 1 | u32::from(*solid));
    let solid: Vec<u32> = nearest.solid().chunks(32).map(bits).collect();
    let solid = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("solid"),
        contents: bytemuck::cast_slice(&solid),
        usage: wgpu::BufferUsages::STORAGE,
    });
    let words = || {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("walls"),
            size: 4 * u64::from(cells),
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        })
    };
    let (nearest_rows, stretches) = (words(), words());
    let head = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("walls"),
        contents: bytemuck::bytes_of(&[columns, rows]),
        usage: wgpu::BufferUsages::UNIFORM,
    });
    let source = wgpu::ShaderSource::Wgsl(include_str!("../../shaders/map/walls.wgsl").into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some("walls"), source });
    let view = texture.create_view(&Default::default());
    let buffers = [&head, &solid, &nearest_rows, &stretches].map(wgpu::Buffer::as_entire_binding);
    let resources = [&buffers[..], &[wgpu::BindingResource::TextureView(&view)]].concat();
    let mut encoder = device.create_command_encoder(&Default::default());
    for (name, invocations, bound) in [("search_columns", columns, 3), ("search_rows", rows, 5)] {
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(name),
            layout: None,
            module: &module,
            entry_point: Some(name),
            compilation_options: Default::default(),
            cache: None,
        });
        let entries: Vec<_> = (0..)
            .zip(&resources[..bound])
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource: resource.clone() })
            .collect();
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(name),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        dispatch(&mut pass, invocations.div_ceil(GROUP), 1);
    }
    gpu.queue.submit([encoder.finish()]);
    texture
}
