//! The agents over each cell of a map, counted on the device for ways that heed crowds: `shaders/map/crowding.wgsl`.

use super::passes::{entire, pipelines, run};
use super::readback::Readback;
use super::resources::{filled, zeros};
use super::{Gpu, GpuError};
use crate::model::ways::crowding::half_cells_per_unit;
use crate::scene::Walls;

/// The number of agents over each cell of the map, from columns by storage slot, in the form of
/// [`counts`](crate::model::ways::crowding::counts). Blocks until the counts are read back.
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
        let head = filled(&gpu.device, "crowding", &words, wgpu::BufferUsages::UNIFORM);
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        let counts = zeros(&gpu.device, "crowding", 4 * walls.solid.len() as u64, usage);
        run(&gpu.device, encoder, pass, entire((0..).zip([&head, position, id, &counts])), agents);
        Readback::whole(gpu, encoder, &[&counts])
    };
    Ok(gpu.read_recorded(record).wait()?.swap_remove(0))
}
