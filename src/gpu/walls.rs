//! Finds the nearest walls of a map on the device, once at the start, and after a stroke again around it.

use super::passes::{entire, pipelines, run};
use super::readback::read_texture;
use super::resources::{filled, texture, write_rows, zeros};
use super::{Gpu, GpuError};
use crate::model::BufferId;
use crate::model::texels::TEXELS_PER_ROW;
use crate::model::walls::NearestWalls;

/// A texture of the nearest walls, with the words of [`NearestWalls::texels`]; without a map its contents are unused. If the device has the
/// texture of a map of the same size (`before`), the host computes what differs, and only that is uploaded; for that the host may have to
/// read the old texture back once.
///
/// # Errors
/// A device that failed.
pub(super) fn find(
    gpu: &Gpu,
    nearest: Option<&NearestWalls>,
    before: Option<(&wgpu::Texture, &NearestWalls)>,
) -> Result<wgpu::Texture, GpuError> {
    match (nearest, before) {
        (Some(now), Some((texture, then))) if now.size() == then.size() => renewed(gpu, now, texture, then),
        _ => gpu.guarded(|| searched(gpu, nearest)),
    }
}

/// A copy of the texture of the earlier map, updated where the maps differ.
fn renewed(
    gpu: &Gpu,
    now: &NearestWalls,
    known: &wgpu::Texture,
    then: &NearestWalls,
) -> Result<wgpu::Texture, GpuError> {
    let cells = now.size().iter().product::<u32>();
    let part = match then.known() {
        Some(texels) => now.renew(then, texels),
        None => now.renew(then, &read_texture(gpu, known)?[..cells as usize]),
    };
    let [columns, rows] = now.size();
    // The host had computed the texels before, so which of them differ is not known.
    let (part, _) = part.unwrap_or(([0..columns, 0..rows], 0));
    gpu.guarded(|| {
        let texture = room(gpu, now.size());
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        encoder.copy_texture_to_texture(known.as_image_copy(), texture.as_image_copy(), known.size());
        gpu.queue.submit([encoder.finish()]);
        if part.iter().all(|along| !along.is_empty()) {
            // Upload the rows of the texture from the first cell of `part` to its last.
            let cell = |column: u32, row: u32| row * columns + column;
            let first = cell(part[0].start, part[1].start) / TEXELS_PER_ROW;
            let end = cell(part[0].end - 1, part[1].end - 1) / TEXELS_PER_ROW + 1;
            let texels = &now.texels()[(first * TEXELS_PER_ROW) as usize..(end * TEXELS_PER_ROW).min(cells) as usize];
            write_rows(&gpu.queue, &texture, first, texels);
        }
        texture
    })
}

fn room(gpu: &Gpu, [columns, rows]: [u32; 2]) -> wgpu::Texture {
    let height = (columns * rows).div_ceil(TEXELS_PER_ROW);
    let usage = wgpu::TextureUsages::STORAGE_BINDING
        | wgpu::TextureUsages::TEXTURE_BINDING
        | wgpu::TextureUsages::COPY_DST
        | wgpu::TextureUsages::COPY_SRC;
    let (label, format) = (BufferId::WallTexels.name(), wgpu::TextureFormat::R32Uint);
    texture(&gpu.device, label, [TEXELS_PER_ROW, height], 1, format, usage)
}

/// The texture, filled by passes on the device.
fn searched(gpu: &Gpu, nearest: Option<&NearestWalls>) -> wgpu::Texture {
    let device = &gpu.device;
    let [columns, rows] = nearest.map_or([1; 2], NearestWalls::size);
    let cells = columns * rows;
    let texture = room(gpu, [columns, rows]);
    let Some(nearest) = nearest else { return texture };
    let words = || zeros(device, "walls", 4 * u64::from(cells), wgpu::BufferUsages::STORAGE);
    let head = filled(device, "walls", &[columns, rows], wgpu::BufferUsages::UNIFORM);
    let solid = filled(device, "walls", &bits(&nearest.solid()), wgpu::BufferUsages::STORAGE);
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

/// One bit per cell, 1 for a wall, from the lowest bit of each word up.
fn bits(solid: &[bool]) -> Vec<u32> {
    let word = |cells: &[bool]| cells.iter().rfold(0, |word, solid| word << 1 | u32::from(*solid));
    solid.chunks(32).map(word).collect()
}
