//! The agents over each cell of a map, counted on the device for ways that heed crowds: `shaders/map/crowding.wgsl`.

use super::passes::{entire, pipelines, run};
use super::readback::Readback;
use super::{Gpu, GpuError};
use crate::model::ways::crowding::half_cells_per_unit;
use crate::scene::Walls;
use wgpu::util::DeviceExt;

/// How many agents of these columns are over each cell, as [`counts`](crate::model::ways::crowding::counts) has them. Blocks until they are there.
///
/// # Errors
/// A device that failed.
pub(super) fn count(
    gpu: &Gpu,
    walls: &Walls,
    [position, id]: [&wgpu::Buffer; 2],
    components: usize,
    agents: u32,
) -> Result<Vec<u32>, GpuError> {
    let record = |gpu: &Gpu, encoder: &mut wgpu::CommandEncoder| {
        let text = include_str!("../../shaders/map/crowding.wgsl");
        let [pass] = gpu.crowding.get_or_init(|| pipelines(&gpu.device, "crowding", text, ["count"]));
        let per_unit = half_cells_per_unit(walls).to_bits();
        let words = [walls.columns, walls.rows, agents, components as u32, per_unit, 0, 0, 0];
        let head = gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("crowding"),
            contents: bytemuck::cast_slice(&words),
            usage: wgpu::BufferUsages::UNIFORM,
        });
        let counts = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("crowding"),
            size: 4 * walls.solid.len() as u64,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        run(&gpu.device, encoder, pass, entire((0..).zip([&head, position, id, &counts])), agents);
        let staging = Readback::staging(gpu, &[&counts], 1);
        Readback::copy(encoder, &[&counts], &staging, 0);
        staging
    };
    Ok(gpu.read_recorded(record).wait()?.swap_remove(0))
}
