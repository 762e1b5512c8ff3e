//! The nearest walls of a map, found once at the start.

use super::Gpu;
use super::passes::{entire, pipelines, run};
use crate::model::BufferId;
use crate::model::texels::TEXELS_PER_ROW;
use crate::model::walls::NearestWalls;
use wgpu::util::DeviceExt;

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
    let filled = |words: &[u32], usage| {
        let contents = bytemuck::cast_slice(words);
        device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: Some("walls"), contents, usage })
    };
    let words = || {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("walls"),
            size: 4 * u64::from(cells),
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        })
    };
    let head = filled(&[columns, rows], wgpu::BufferUsages::UNIFORM);
    let solid = filled(&bits(&nearest.solid()), wgpu::BufferUsages::STORAGE);
    let (nearest_rows, stretches) = (words(), words());
    let make = || {
        let [texels, passes] =
            [include_str!("../../shaders/common/texels.wgsl"), include_str!("../../shaders/map/walls.wgsl")];
        pipelines(device, "walls", &(texels.to_owned() + passes), ["search_columns", "search_rows"])
    };
    let [search_columns, search_rows] = gpu.walls.get_or_init(make);
    let view = texture.create_view(&Default::default());
    let bound = [(0, &head), (1, &solid), (2, &nearest_rows)];
    let written = [(3, stretches.as_entire_binding()), (4, wgpu::BindingResource::TextureView(&view))];
    let mut encoder = device.create_command_encoder(&Default::default());
    run(device, &mut encoder, search_columns, entire(bound), columns);
    run(device, &mut encoder, search_rows, entire(bound).chain(written), rows);
    gpu.queue.submit([encoder.finish()]);
    texture
}

/// Bit by bit: is it a wall?
fn bits(solid: &[bool]) -> Vec<u32> {
    let word = |cells: &[bool]| cells.iter().rfold(0, |word, solid| word << 1 | u32::from(*solid));
    solid.chunks(32).map(word).collect()
}
