//! Ways to the goals of a map, computed on the device: `shaders/map/ways.wgsl`, when a simulation begins or its walls and goals change.

use super::limits::{check_ways, largest_binding};
use super::passes::{entire, group, pipelines};
use super::readback::Readback;
use super::{Gpu, GpuError};
use crate::model::BufferId;
use crate::model::texels::TEXELS_PER_ROW;
use crate::model::ways::{Measure, NO_WAY, Ways};
use std::ops::Range;
use wgpu::util::DeviceExt;

/// Cells along each side of a tile, and invocations of a workgroup.
const SIDE: u32 = 16;
const GROUP: u32 = 256;
/// Workgroups along the first axis of a dispatch.
const GROUPS_ACROSS: u32 = 32768;
/// Rounds after which the host looks whether there are tiles left, at first and at most.
const ROUNDS: [u32; 2] = [32, 512];

/// The texture of the ways to all goals.
///
/// # Errors
/// A texture that is larger than the device takes, or a device that failed.
pub(super) fn texture(gpu: &Gpu, ways: &Ways) -> Result<wgpu::Texture, GpuError> {
    // A software driver takes long for a front in tiles: each visit of a tile waits at barriers again and again.
    if !gpu.software() {
        return computed(gpu, ways);
    }
    let texture = room(gpu, ways)?;
    let rows = ways.rows_per_goal();
    let per_goal = (4 * TEXELS_PER_ROW * rows) as usize;
    for (goal, words) in (0..).zip(ways.computed().chunks_exact(2 * ways.cells() as usize)) {
        let mut words = words.to_vec();
        words.resize(per_goal, 0);
        let mut target = texture.as_image_copy();
        target.origin.y = goal * rows;
        let bytes_per_row = Some(16 * TEXELS_PER_ROW);
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row, rows_per_image: None };
        let size = wgpu::Extent3d { width: TEXELS_PER_ROW, height: rows, depth_or_array_layers: 1 };
        gpu.caught(|| gpu.queue.write_texture(target, bytemuck::cast_slice(&words), layout, size))?;
        // What was written takes memory a second time until it is done.
        gpu.queue.submit([]);
        gpu.wait_for(None)?;
    }
    Ok(texture)
}

/// An empty texture for the ways to all goals.
fn room(gpu: &Gpu, ways: &Ways) -> Result<wgpu::Texture, GpuError> {
    check_ways(&gpu.device.limits(), &gpu.info, ways)?;
    let rows = ways.rows_per_goal() * ways.goals.len() as u32;
    gpu.caught(|| gpu.texels(BufferId::Ways.name(), rows.max(1)))
}

/// The texture, filled by passes on the device.
fn computed(gpu: &Gpu, ways: &Ways) -> Result<wgpu::Texture, GpuError> {
    let texture = room(gpu, ways)?;
    let goals = ways.goals.len() as u32;
    // Four cells to a word.
    let mut costs = ways.costs();
    costs.resize(costs.len().next_multiple_of(4), 0);
    let costs: Vec<u32> = bytemuck::pod_collect_to_vec(&costs);
    // So many goals at once as bindings hold.
    let each = 16 * u64::from(TEXELS_PER_ROW * ways.rows_per_goal());
    let at_once = (largest_binding(&gpu.device.limits()) / each).clamp(1, u64::from(goals.max(1))) as u32;
    for first in (0..goals).step_by(at_once as usize) {
        chunk(gpu, ways, &costs, first..first + at_once.min(goals - first), &texture)?;
    }
    Ok(texture)
}

/// Compute the ways to some of the goals, and copy them into the texture.
fn chunk(gpu: &Gpu, ways: &Ways, costs: &[u32], of: Range<u32>, texture: &wgpu::Texture) -> Result<(), GpuError> {
    let (first, goals) = (of.start, of.len() as u32);
    let (columns, rows, cells) = (ways.walls.columns, ways.walls.rows, ways.cells());
    let (across, down) = (columns.div_ceil(SIDE), rows.div_ceil(SIDE));
    let (tiles, led_words) = (across * down, 4 * TEXELS_PER_ROW * ways.rows_per_goal());
    let mut way = vec![NO_WAY; cells as usize * goals as usize];
    let mut list = Vec::new();
    for (goal, of_goal) in (0..goals).zip(&ways.goals[first as usize..]) {
        for cell in of_goal {
            way[goal as usize * cells as usize + *cell as usize] = 0;
            // What follows from the cell may lie in a tile beside its own.
            let (x, y) = (cell % columns / SIDE, cell / columns / SIDE);
            for (x, y) in (y.saturating_sub(1)..(y + 2).min(down))
                .flat_map(|y| (x.saturating_sub(1)..(x + 2).min(across)).map(move |x| (x, y)))
            {
                list.push(goal * tiles + y * across + x);
            }
        }
    }
    list.sort_unstable();
    list.dedup();
    let entries = tiles * goals;
    let by_grid = u32::from(ways.measure == Measure::Grid);
    let groups = [(list.len() as u32).min(GROUPS_ACROSS), (list.len() as u32).div_ceil(GROUPS_ACROSS), 1];
    let control = [0, list.len() as u32, 0];
    list.resize(2 * entries as usize, 0);
    let made = gpu.caught(|| {
        let text = include_str!("../../shaders/map/ways.wgsl");
        let make = || pipelines(&gpu.device, "ways", text, ["relax", "turn", "lead"]);
        let passes = gpu.ways.get_or_init(make).clone();
        let filled = |words: &[u32], usage| {
            let contents = bytemuck::cast_slice(words);
            let usage = usage | wgpu::BufferUsages::COPY_SRC;
            gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: Some("ways"), contents, usage })
        };
        let zeros = |words: u64| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("ways"),
                size: 4 * words,
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            })
        };
        let storage = wgpu::BufferUsages::STORAGE;
        let buffers = [
            filled(&[columns, rows, across, down, entries, by_grid, led_words, 0], wgpu::BufferUsages::UNIFORM),
            filled(costs, storage),
            filled(&way, storage),
            zeros(entries.into()),
            filled(&list, storage),
            filled(&control, storage),
            filled(&groups, storage | wgpu::BufferUsages::INDIRECT),
            zeros(u64::from(led_words) * u64::from(goals)),
        ];
        let bound = |pass: usize, indices: &[u32]| {
            let bound = indices.iter().map(|index| (*index, &buffers[*index as usize]));
            group(&gpu.device, &passes[pass], entire(bound))
        };
        let groups = [bound(0, &[0, 1, 2, 3, 4, 5]), bound(1, &[5, 6]), bound(2, &[0, 2, 7])];
        (passes, buffers, groups)
    })?;
    let (passes, buffers, [relax, turn, lead]) = made;
    let [.., control, groups, led] = &buffers;
    let mut rounds = ROUNDS[0];
    loop {
        let record = |gpu: &Gpu, encoder: &mut wgpu::CommandEncoder| {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            for _ in 0..rounds {
                pass.set_pipeline(&passes[0]);
                pass.set_bind_group(0, &relax, &[]);
                pass.dispatch_workgroups_indirect(groups, 0);
                pass.set_pipeline(&passes[1]);
                pass.set_bind_group(0, &turn, &[]);
                pass.dispatch_workgroups(1, 1, 1);
            }
            drop(pass);
            let staging = Readback::staging(gpu, &[control], 1);
            Readback::copy(encoder, &[control], &staging, 0);
            staging
        };
        let words = Readback::of(gpu.clone(), record).wait()?;
        let [round, lists @ ..] = &words[0][..] else { unreachable!("three words") };
        if lists[*round as usize % 2] == 0 {
            break;
        }
        rounds = (2 * rounds).min(ROUNDS[1]);
    }
    gpu.caught(|| {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&passes[2]);
        pass.set_bind_group(0, &lead, &[]);
        let needed = cells.div_ceil(GROUP);
        pass.dispatch_workgroups(needed.min(GROUPS_ACROSS), needed.div_ceil(GROUPS_ACROSS), goals);
        drop(pass);
        let height = ways.rows_per_goal() * goals;
        let mut target = texture.as_image_copy();
        target.origin.y = first * ways.rows_per_goal();
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(16 * TEXELS_PER_ROW), rows_per_image: None };
        let size = wgpu::Extent3d { width: TEXELS_PER_ROW, height, depth_or_array_layers: 1 };
        encoder.copy_buffer_to_texture(wgpu::TexelCopyBufferInfo { buffer: led, layout }, target, size);
        gpu.queue.submit([encoder.finish()]);
    })
}

impl Gpu {
    /// The ways to all goals, computed by passes on the device, whatever it is: the words that [`Ways::words`] describes.
    ///
    /// # Errors
    /// A texture that is larger than the device takes, or a device that failed.
    pub fn ways(&self, ways: &Ways) -> Result<Vec<u32>, GpuError> {
        let texture = computed(self, ways)?;
        let record = |gpu: &Gpu, encoder: &mut wgpu::CommandEncoder| {
            let size = 16 * u64::from(TEXELS_PER_ROW) * u64::from(texture.height());
            let staging = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("ways"),
                size,
                usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
                mapped_at_creation: false,
            });
            let bytes_per_row = Some(16 * TEXELS_PER_ROW);
            let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row, rows_per_image: None };
            let target = wgpu::TexelCopyBufferInfo { buffer: &staging, layout };
            encoder.copy_texture_to_buffer(texture.as_image_copy(), target, texture.size());
            vec![staging]
        };
        let words = Readback::of(self.clone(), record).wait()?.swap_remove(0);
        let per_goal = 4 * TEXELS_PER_ROW as usize * ways.rows_per_goal() as usize;
        Ok(words.chunks_exact(per_goal).flat_map(|goal| &goal[..2 * ways.cells() as usize]).copied().collect())
    }
}
