//! Ways to the goals of a map, computed on the device: `shaders/map/ways.wgsl`, when a simulation begins or its walls and goals change.

use super::limits::{check_ways, largest_binding};
use super::passes::{entire, group, pipelines};
use super::readback::{Readback, read_texture};
use super::resources::{filled, write_rows, zeros};
use super::{Gpu, GpuError};
use crate::model::BufferId;
use crate::model::texels::TEXELS_PER_ROW;
use crate::model::ways::{Measure, NO_WAY, Ways, packed};
use std::ops::Range;

/// Cells along each side of a tile, and invocations of a workgroup.
const SIDE: u32 = 16;
const GROUP: u32 = 256;
/// Workgroups along the first axis of a dispatch.
const GROUPS_ACROSS: u32 = 32768;
/// Rounds after which the host checks whether tiles are left: the first number, doubled each time up to the second.
const ROUNDS: [u32; 2] = [32, 512];

const TEXT: &str = include_str!("../../shaders/map/ways.wgsl");
const PASSES: [&str; 6] = ["relax", "turn", "lead", "gather", "recall", "doubt"];

/// Ways that are already on the device: their texture, and what it was computed from.
pub(super) type Known<'a> = (&'a wgpu::Texture, &'a Ways);

/// The texture of the ways to all goals. If `before` differs from `ways` in costs alone, only what the difference reaches is computed anew.
///
/// # Errors
/// A texture that is larger than the device takes, or a device that failed.
pub(super) fn texture(gpu: &Gpu, ways: &Ways, before: Option<Known<'_>>) -> Result<wgpu::Texture, GpuError> {
    // A software driver is slow at the passes, because each visit of a tile waits at many barriers. So there the host computes the ways.
    if !gpu.software() {
        return Ok(computed(gpu, ways, before)?.0);
    }
    let texture = room(gpu, ways)?;
    for (goal, words) in (0..).zip(ways.computed().chunks_exact(2 * ways.cells() as usize)) {
        gpu.caught(|| write_rows(&gpu.queue, &texture, goal * ways.rows_per_goal(), words))?;
        // The staging copy takes as much memory again until the write is done.
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

/// The texture, filled by passes on the device, and the number of tiles computed.
fn computed(gpu: &Gpu, ways: &Ways, before: Option<Known<'_>>) -> Result<(wgpu::Texture, u32), GpuError> {
    let texture = room(gpu, ways)?;
    let before = before.filter(|(_, known)| ways.same_but_costs(known));
    let goals = ways.goals.len() as u32;
    // As many goals at a time as one binding holds.
    let each = 16 * u64::from(TEXELS_PER_ROW * ways.rows_per_goal());
    let at_once = (largest_binding(&gpu.device.limits()) / each).clamp(1, u64::from(goals.max(1))) as u32;
    let chunks = (0..goals).step_by(at_once as usize).map(|first| first..first + at_once.min(goals - first));
    let tiles = chunks.map(|of| Chunk { ways, of }.compute(gpu, before, &texture)).sum::<Result<u32, _>>()?;
    Ok((texture, tiles))
}

/// Ways to some of the goals.
struct Chunk<'a> {
    ways: &'a Ways,
    of: Range<u32>,
}

impl Chunk<'_> {
    fn goals(&self) -> u32 {
        self.of.len() as u32
    }

    fn tiles(&self) -> [u32; 2] {
        [self.ways.walls.columns.div_ceil(SIDE), self.ways.walls.rows.div_ceil(SIDE)]
    }

    /// The tiles of some cells of a goal and of the cells around them, because a cell also affects its neighbors, which may lie in the next
    /// tile.
    fn tiles_of<'a>(&self, goal: u32, cells: impl Iterator<Item = &'a u32>) -> Vec<u32> {
        let ([across, down], columns) = (self.tiles(), self.ways.walls.columns);
        let around = |at: u32, count: u32| at.saturating_sub(1) / SIDE..=((at + 1) / SIDE).min(count - 1);
        let of_cell = |cell: &u32| {
            let (x, y) = (around(cell % columns, across), around(cell / columns, down));
            y.flat_map(move |y| x.clone().map(move |x| (goal * down + y) * across + x))
        };
        let mut tiles: Vec<u32> = cells.flat_map(of_cell).collect();
        tiles.sort_unstable();
        tiles.dedup();
        tiles
    }

    /// The part of the texture of ways that these goals take.
    fn place<'a>(&self, texture: &'a wgpu::Texture) -> (wgpu::TexelCopyTextureInfo<'a>, wgpu::Extent3d) {
        let mut place = texture.as_image_copy();
        place.origin.y = self.of.start * self.ways.rows_per_goal();
        let height = self.ways.rows_per_goal() * self.goals();
        (place, wgpu::Extent3d { width: TEXELS_PER_ROW, height, depth_or_array_layers: 1 })
    }

    /// Compute the ways to these goals, and copy them into the texture. Returns the number of tiles computed.
    fn compute(&self, gpu: &Gpu, before: Option<Known<'_>>, texture: &wgpu::Texture) -> Result<u32, GpuError> {
        let (ways, goals) = (self.ways, self.goals());
        let (columns, rows, cells) = (ways.walls.columns, ways.walls.rows, ways.cells());
        let ([across, down], direction_words) = (self.tiles(), 4 * TEXELS_PER_ROW * ways.rows_per_goal());
        let entries = across * down * goals;
        let mut way = vec![NO_WAY; if before.is_some() { 0 } else { cells as usize * goals as usize }];
        let (mut list, mut stamps) = (Vec::new(), vec![u32::from(before.is_none()); entries as usize]);
        match before {
            Some((_, known)) => {
                let (now, then) = (ways.costs(), known.costs());
                let changed: Vec<u32> = (0..cells).filter(|cell| now[*cell as usize] != then[*cell as usize]).collect();
                let tiles = self.tiles_of(0, changed.iter());
                list.extend((0..goals).flat_map(|goal| tiles.iter().map(move |tile| goal * across * down + tile)));
                list.iter().for_each(|tile| stamps[*tile as usize] = 1);
            }
            None => {
                for (goal, of_goal) in (0..goals).zip(&ways.goals[self.of.start as usize..]) {
                    list.extend(self.tiles_of(goal, of_goal.iter()));
                    of_goal.iter().for_each(|cell| way[(goal * cells + cell) as usize] = 0);
                }
            }
        }
        let groups = [(list.len() as u32).min(GROUPS_ACROSS), (list.len() as u32).div_ceil(GROUPS_ACROSS), 1];
        // Rounds begin at 2, later than any stamp (0 or 1).
        let control = [2, list.len() as u32, 0];
        list.resize(2 * entries as usize, 0);
        let by_grid = u32::from(ways.measure == Measure::Grid);
        let directions_layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(16 * TEXELS_PER_ROW), rows_per_image: None };
        let made = gpu.caught(|| {
            let make = || pipelines(&gpu.device, "ways", TEXT, PASSES);
            let passes = gpu.ways.get_or_init(make).clone();
            let storage = wgpu::BufferUsages::STORAGE;
            let filled =
                |words: &[u32], usage| filled(&gpu.device, "ways", words, usage | wgpu::BufferUsages::COPY_SRC);
            let copied = storage | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
            let zeros = |words: u64| zeros(&gpu.device, "ways", 4 * words, copied);
            let of_goals = u64::from(cells) * u64::from(goals);
            let buffers = [
                filled(
                    &[columns, rows, across, down, entries, by_grid, direction_words, 0],
                    wgpu::BufferUsages::UNIFORM,
                ),
                filled(&packed(ways.costs()), storage),
                if before.is_some() { zeros(of_goals) } else { filled(&way, storage) },
                filled(&stamps, storage),
                filled(&list, storage),
                filled(&control, storage),
                filled(&groups, storage | wgpu::BufferUsages::INDIRECT),
                zeros(u64::from(direction_words) * u64::from(goals)),
                filled(&packed(before.map_or(&[0][..], |(_, known)| known.costs())), storage),
            ];
            if let Some((texture, _)) = before {
                let (from, size) = self.place(texture);
                let directions = wgpu::TexelCopyBufferInfo { buffer: &buffers[7], layout: directions_layout };
                let mut encoder = gpu.device.create_command_encoder(&Default::default());
                encoder.copy_texture_to_buffer(from, directions, size);
                gpu.queue.submit([encoder.finish()]);
            }
            let bound = |pass: usize, indices: &[u32]| {
                let bound = indices.iter().map(|index| (*index, &buffers[*index as usize]));
                (passes[pass].clone(), group(&gpu.device, &passes[pass], entire(bound)))
            };
            let visit = [0, 1, 2, 3, 4, 5, 7];
            let [relax, turn, lead, gather] =
                [bound(0, &visit), bound(1, &[5, 6]), bound(2, &[0, 1, 2, 4, 5, 7]), bound(3, &[0, 3, 4, 5])];
            let [recall, doubt] = [bound(4, &[0, 1, 2, 7, 8]), bound(5, &visit)];
            (buffers, [relax, turn, lead, gather, recall, doubt])
        })?;
        let (buffers, [relax, turn, lead, gather, recall, doubt]) = made;
        let [.., control, groups, directions, _] = &buffers;
        type Bound = (wgpu::ComputePipeline, wgpu::BindGroup);
        let set = |pass: &mut wgpu::ComputePass<'_>, (pipeline, group): &Bound| {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, group, &[]);
        };
        let listed = |pass: &mut wgpu::ComputePass<'_>, bound: &Bound| {
            set(pass, bound);
            pass.dispatch_workgroups_indirect(groups, 0);
        };
        let next_list = |pass: &mut wgpu::ComputePass<'_>| {
            set(pass, &turn);
            pass.dispatch_workgroups(1, 1, 1);
        };
        // One invocation for each of `count` items, in each of `layers`.
        let all = |pass: &mut wgpu::ComputePass<'_>, bound: &Bound, count: u32, layers: u32| {
            set(pass, bound);
            let needed = count.div_ceil(GROUP);
            pass.dispatch_workgroups(needed.min(GROUPS_ACROSS), needed.div_ceil(GROUPS_ACROSS), layers);
        };
        // The next list is all tiles that were ever listed.
        let gathered = |pass: &mut wgpu::ComputePass<'_>| {
            all(pass, &gather, entries, 1);
            next_list(pass);
        };
        // Record passes, run them, and read how many tiles are on the list afterwards.
        let left = |record: &dyn Fn(&mut wgpu::ComputePass<'_>)| {
            let record = |gpu: &Gpu, encoder: &mut wgpu::CommandEncoder| {
                record(&mut encoder.begin_compute_pass(&Default::default()));
                Readback::whole(gpu, encoder, &[control])
            };
            let words = Readback::of(gpu.clone(), record).wait()?;
            let [round, lists @ ..] = &words[0][..] else { unreachable!("three words") };
            Ok::<_, GpuError>(lists[*round as usize % 2])
        };
        let until_done = |bound: &Bound| {
            let mut rounds = ROUNDS[0];
            let some = |rounds: u32| {
                left(&move |pass| {
                    for _ in 0..rounds {
                        listed(pass, bound);
                        next_list(pass);
                    }
                })
            };
            while some(rounds)? > 0 {
                rounds = (2 * rounds).min(ROUNDS[1]);
            }
            Ok::<_, GpuError>(())
        };
        if before.is_some() {
            left(&|pass| all(pass, &recall, cells, goals))?;
            until_done(&doubt)?;
            left(&gathered)?;
        }
        until_done(&relax)?;
        let tiles = left(&gathered)?;
        gpu.caught(|| {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            listed(&mut encoder.begin_compute_pass(&Default::default()), &lead);
            let (target, size) = self.place(texture);
            encoder.copy_buffer_to_texture(
                wgpu::TexelCopyBufferInfo { buffer: directions, layout: directions_layout },
                target,
                size,
            );
            gpu.queue.submit([encoder.finish()]);
        })?;
        Ok(tiles)
    }
}

impl Gpu {
    /// The ways to all goals, computed by passes on the device, on a software driver too, as the words that [`Ways::words`] describes.
    ///
    /// # Errors
    /// A texture that is larger than the device takes, or a device that failed.
    pub fn ways(&self, ways: &Ways) -> Result<Vec<u32>, GpuError> {
        read(self, ways, &computed(self, ways, None)?.0)
    }
}

/// The words in a texture of ways.
fn read(gpu: &Gpu, ways: &Ways, texture: &wgpu::Texture) -> Result<Vec<u32>, GpuError> {
    let words = read_texture(gpu, texture)?;
    let per_goal = 4 * TEXELS_PER_ROW as usize * ways.rows_per_goal() as usize;
    Ok(words.chunks_exact(per_goal).flat_map(|goal| &goal[..2 * ways.cells() as usize]).copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::AdapterChoice;
    use crate::model::ways::drawn::{STROKES, across_a_street, stroke};

    /// The words of ways that are computed from others that differ in costs alone, and the number of tiles computed.
    fn ways_after(gpu: &Gpu, before: &Ways, ways: &Ways) -> (Vec<u32>, u32) {
        let (known, _) = computed(gpu, before, None).unwrap();
        let (texture, tiles) = computed(gpu, ways, Some((&known, before))).unwrap();
        (read(gpu, ways, &texture).unwrap(), tiles)
    }

    /// The number of maps for which ways updated after a stroke differ from those that the host computes from nothing, with a mistake put
    /// into the passes.
    fn wrong(mistake: Option<[&str; 2]>) -> usize {
        let gpu = Gpu::open(&AdapterChoice::Best).unwrap();
        if let Some([from, to]) = mistake {
            let text = TEXT.replacen(from, to, 1);
            assert_ne!(text, TEXT);
            gpu.ways.set(pipelines(&gpu.device, "mistaken", &text, PASSES)).unwrap();
        }
        let is_wrong = |number: &u32| {
            let [before, after] = stroke(*number);
            ways_after(&gpu, &before, &after).0 != after.computed()
        };
        (0..STROKES).filter(is_wrong).count()
    }

    #[test]
    fn ways_after_a_stroke_are_those_of_a_computation_from_nothing() {
        assert_eq!(wrong(None), 0);
        let mistakes = [
            ["(atomicLoad(&marked) >> lane) & 1u, goes_on", "0u, goes_on"],
            ["is_less(own, least(here, own).x)", "false"],
            ["now > before", "false"],
            ["least(here, own).x", "least(here, own + 1u).x"],
        ];
        for mistake in mistakes {
            assert!(wrong(Some(mistake)) > 0, "{mistake:?}");
        }
    }

    #[test]
    fn a_stroke_is_computed_where_it_is() {
        let gpu = Gpu::open(&AdapterChoice::Best).unwrap();
        let [before, after] = across_a_street(512);
        let (words, tiles) = ways_after(&gpu, &before, &after);
        eprintln!("{tiles} of 1024 tiles");
        assert!(words == after.computed() && tiles < 256, "{tiles}");
        assert_eq!(computed(&gpu, &after, None).unwrap().1, 1024);
    }
}
