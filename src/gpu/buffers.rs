//! The buffers of one world: how large each is, whether they fit, and how passes bind them.

use super::adapters::software;
use super::pipelines::{Pass, Pipelines};
use super::reflect::Binding;
use super::{Gpu, GpuError};
use crate::memory;
use crate::model::obstacle_cells::TEXELS_PER_ROW;
use crate::model::{BUFFERS, Buffer, CompiledScene, FROZEN, Life, Per, Usage, buffer};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Bytes per agent that the state takes on the host while it is copied to a device or back.
const HOST_BYTES_PER_AGENT: u64 = 64;

/// The format of the texture that sorted agents are loaded from.
pub(super) const SORTED_AGENTS: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Uint;
/// Agents in one row of it, as `shaders/common/sorted.wgsl` has it, two texels each.
const AGENTS_PER_ROW: u32 = 4096;

/// What the passes of a step and of `observe` bind.
#[derive(Debug, Clone, Default)]
pub(super) struct Bound {
    pub names: BTreeSet<String>,
    /// Cells that one workgroup of the scan covers.
    pub scan_block: u32,
}

/// The buffers that a simulation has, by name.
pub(super) type Buffers = BTreeMap<&'static str, wgpu::Buffer>;

/// Can so many agents be loaded from a texture, on a device of these limits?
pub(super) fn texture_holds(limits: &wgpu::Limits, agents: u32) -> bool {
    texture_rows(agents).max(2 * AGENTS_PER_ROW) <= limits.max_texture_dimension_2d
}

/// Those of the sorted agents, and a row more for each of the four columns that `observe_texels` finds there.
fn texture_rows(agents: u32) -> u32 {
    agents.div_ceil(AGENTS_PER_ROW) + 4
}

/// Bytes per agent of the largest buffer that grows with the agents, and of all of those.
pub(super) fn bytes_per_agent(model: &CompiledScene, bound: &Bound) -> (u64, u64) {
    let agents = u64::from(model.world.agent_count.max(1));
    let share = |buffer: &Buffer| match buffer.per {
        Per::StorageSlot | Per::SortedIndex | Per::SortedIndexAndOne | Per::Id => {
            buffer.whole_bytes(model, bound.scan_block) / agents
        }
        Per::QueryingAgent => buffer.bytes(model, bound.scan_block).div_ceil(agents),
        // Up to two cells for each agent.
        Per::Cell => {
            2 * 4 * buffer.width(model) as u64
                + (buffer.whole_bytes(model, 1) - buffer.bytes(model, 1)).div_ceil(agents)
        }
        _ => 0,
    };
    let bound = || BUFFERS.iter().filter(|buffer| bound.names.contains(buffer.name));
    let largest = bound().filter(|buffer| !buffer.usage.is_texture()).map(share).max();
    (largest.unwrap_or(0), bound().map(share).sum())
}

/// The most bytes that one binding takes on a device of these limits.
pub(super) fn largest_binding(limits: &wgpu::Limits) -> u64 {
    limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
}

/// The largest number of agents whose buffers fit these limits, in scenes whose agents remember no more than the parts of that hold.
pub(super) fn most_agents(limits: &wgpu::Limits, spatial: bool) -> u32 {
    most_agents_of(limits, if spatial { 12 } else { 8 })
}

fn most_agents_of(limits: &wgpu::Limits, bytes_per_agent: u64) -> u32 {
    let most = largest_binding(limits) / bytes_per_agent.max(8);
    // The cell table has up to two cells per agent and two more; ids have 31 bits.
    most.saturating_sub(2).min(u64::from(FROZEN - 1)) as u32
}

/// The same, where open axes are folded and their table does not fit: it has a power of two of cells, up to the next one above two for
/// each agent.
fn most_folded(limits: &wgpu::Limits, model: &CompiledScene) -> u32 {
    let (cells, behind) =
        (largest_binding(limits) / 4, u64::from(model.world.frozen_cell() - model.world.cell_count) + 3);
    if !model.world.folds() || u64::from(model.world.cell_count) + behind <= cells {
        return u32::MAX;
    }
    let table = cells.saturating_sub(behind).checked_ilog2().map_or(0, |power| 1 << power);
    u32::try_from(table / 2).unwrap_or(u32::MAX)
}

pub(super) fn check_limits(
    limits: &wgpu::Limits,
    info: &wgpu::AdapterInfo,
    model: &CompiledScene,
    bound: &Bound,
) -> Result<(), GpuError> {
    let agents = model.world.agent_count;
    let (largest, each) = bytes_per_agent(model, bound);
    let fits = most_agents_of(limits, largest).min(most_folded(limits, model));
    let sizes: Vec<_> = BUFFERS.iter().map(|buffer| (buffer, bytes(buffer, model, bound))).collect();
    for &(&Buffer { name: buffer, .. }, needed) in sizes.iter().filter(|(buffer, _)| !buffer.usage.is_texture()) {
        for (limit, available) in [
            ("max_storage_buffer_binding_size", limits.max_storage_buffer_binding_size),
            ("max_buffer_size", limits.max_buffer_size),
        ] {
            if needed > available {
                let adapter = info.name.clone();
                return Err(GpuError::TooLarge { agents, buffer, needed, available, limit, adapter, fits });
            }
        }
    }
    // A software adapter commits memory lazily and reports nothing when there is none: the process is killed later.
    if let Some(usable) = software(info).then(memory::usable).flatten() {
        let host = HOST_BYTES_PER_AGENT * u64::from(agents);
        let needed = host + sizes.iter().map(|(_, size)| size).sum::<u64>();
        if needed > usable {
            let fits = fits.min((usable / (each + HOST_BYTES_PER_AGENT)) as u32);
            let (needed_mib, available_mib) = (needed >> 20, usable >> 20);
            return Err(GpuError::OutOfMemory { agents, needed_mib, available_mib, fits });
        }
    }
    Ok(())
}

/// A pass binds so many buffers too many. Would it bind fewer for fewer agents, whose memory or poses lie in fewer parts?
///
/// # Errors
/// [`GpuError::TooLarge`], if so.
pub(super) fn fewer_parts(
    limits: &wgpu::Limits,
    info: &wgpu::AdapterInfo,
    model: &CompiledScene,
    bindings: &[Binding],
    over: usize,
) -> Result<(), GpuError> {
    let further = |binding: &&Binding| matches!(buffer(&binding.name).map(|b| b.usage), Some(Usage::Further(_)));
    let binds = |buffer: &&&Buffer| bindings.iter().any(|binding| binding.name == buffer.name);
    let split: Vec<_> = BUFFERS.iter().collect();
    let split: Vec<_> = split.iter().filter(|b| binds(b) && b.parts(model).len() > 1).collect();
    let parts = bindings.iter().filter(further).count();
    let Some(largest) = split.iter().max_by_key(|buffer| buffer.bytes(model, 1)).filter(|_| parts >= over) else {
        return Ok(());
    };
    let fits = |agents: u32| {
        let mut fewer = model.clone();
        fewer.world.agent_count = agents;
        split.iter().map(|buffer| buffer.parts(&fewer).len() - 1).sum::<usize>() + over <= parts
    };
    let agents = model.world.agent_count;
    let (mut most, mut too_many) = (0, agents);
    while too_many - most > 1 {
        let between = most + (too_many - most) / 2;
        *(if fits(between) { &mut most } else { &mut too_many }) = between;
    }
    Err(GpuError::TooLarge {
        agents,
        buffer: largest.name,
        needed: largest.bytes(model, 1),
        available: largest_binding(limits),
        limit: "max_storage_buffer_binding_size",
        adapter: info.name.clone(),
        fits: most,
    })
}

/// Bytes of the largest buffer of a model.
pub(super) fn largest_bytes(model: &CompiledScene, bound: &Bound) -> u64 {
    let buffers = BUFFERS.iter().filter(|buffer| !buffer.usage.is_texture());
    buffers.map(|buffer| bytes(buffer, model, bound)).max().unwrap_or(0)
}

/// Bytes of a buffer: none where no pass binds it.
pub(super) fn bytes(buffer: &Buffer, model: &CompiledScene, bound: &Bound) -> u64 {
    if bound.names.contains(buffer.name) { buffer.whole_bytes(model, bound.scan_block) } else { 0 }
}

/// The buffers of a model: those that passes bind. Those of `before` that are as large are reused with their contents,
/// and so are kept buffers that no pass binds now, because a later change may bind them again.
pub(super) fn allocate(gpu: &Gpu, model: &CompiledScene, bound: &Bound, before: &Buffers) -> Result<Buffers, GpuError> {
    let make = |buffer: &'static Buffer| {
        let binds = bound.names.contains(buffer.name) && !buffer.usage.is_texture();
        // Whole texels can be copied from it.
        let size = buffer.whole_bytes(model, bound.scan_block).max(16).next_multiple_of(16);
        let old = before.get(buffer.name).filter(|old| old.size() == size).cloned();
        let stays = buffer.life == Life::Kept && (buffer.name != "pose" || model.vehicles.pose);
        let made = if binds { old.or_else(|| Some(create(gpu, buffer, size))) } else { old.filter(|_| stays) };
        made.map(|made| (buffer.name, made))
    };
    gpu.guarded(|| BUFFERS.iter().filter_map(make).collect())
}

/// The buffer to bind in place of one that the scene does not have.
pub(super) fn nothing(gpu: &Gpu) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("nothing"),
        // A binding needs at least one element, and no element is larger than this.
        size: 64,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    })
}

fn create(gpu: &Gpu, buffer: &Buffer, size: u64) -> wgpu::Buffer {
    let kind = match buffer.usage {
        Usage::Storage | Usage::Further(_) => wgpu::BufferUsages::STORAGE,
        Usage::Drawn => wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::VERTEX,
        Usage::Indirect => wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::INDIRECT,
        Usage::Uniform => wgpu::BufferUsages::UNIFORM,
        Usage::Moving => wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::STORAGE,
        Usage::Within(_) | Usage::Texture | Usage::Texels => unreachable!("not bound by itself"),
    };
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(buffer.name),
        size,
        usage: kind | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    })
}

fn sorted_agents(gpu: &Gpu, agents: u32) -> wgpu::Texture {
    let size = wgpu::Extent3d { width: 2 * AGENTS_PER_ROW, height: texture_rows(agents), depth_or_array_layers: 1 };
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("sorted_agents"),
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: SORTED_AGENTS,
        usage: wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    })
}

/// Many obstacles and the lists of their cells, uploaded.
fn obstacle_texels(gpu: &Gpu, texels: &[[u32; 4]]) -> wgpu::Texture {
    let width = TEXELS_PER_ROW;
    let rows = (texels.len() as u32).div_ceil(width).max(1);
    let size = wgpu::Extent3d { width, height: rows, depth_or_array_layers: 1 };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("obstacle_texels"),
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba32Uint,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let mut whole = texels.to_vec();
    whole.resize((width * rows) as usize, [0; 4]);
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(16 * width), rows_per_image: None };
    gpu.queue.write_texture(texture.as_image_copy(), bytemuck::cast_slice(&whole), layout, size);
    texture
}

/// What passes bind.
#[derive(Debug)]
pub(super) struct Bindings {
    /// One for each pass of a step, and those of `observe`.
    pub groups: Vec<wgpu::BindGroup>,
    /// The sorted agents, where they are loaded from a texture. Nothing in it outlives a step.
    texture: Option<wgpu::Texture>,
    /// Many obstacles, where there are many, and the texels that are in it.
    obstacles: Option<(wgpu::Texture, Arc<Vec<[u32; 4]>>)>,
}

impl Bindings {
    /// Record copies of buffers, so many words of each, into the texture of sorted agents: one after another, each from a row on.
    pub fn copy_to_texture(&self, encoder: &mut wgpu::CommandEncoder, buffers: &[(&wgpu::Buffer, usize)]) {
        let Some(texture) = &self.texture else { return };
        let (across, mut row) = (2 * AGENTS_PER_ROW, 0);
        for (buffer, words) in buffers {
            let texels = words.div_ceil(4) as u32;
            let rows = texels / across;
            for (first, width, height) in [(0, across, rows), (rows, texels % across, 1)] {
                let offset = u64::from(16 * across) * u64::from(first);
                let layout =
                    wgpu::TexelCopyBufferLayout { offset, bytes_per_row: Some(16 * across), rows_per_image: None };
                let mut target = texture.as_image_copy();
                target.origin.y = row + first;
                let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
                if width * height > 0 {
                    encoder.copy_buffer_to_texture(wgpu::TexelCopyBufferInfo { buffer, layout }, target, size);
                }
            }
            row += texels.div_ceil(across);
        }
    }

    /// Bytes of the textures.
    pub fn bytes(&self) -> u64 {
        let texels = |texture: &wgpu::Texture| u64::from(texture.width()) * u64::from(texture.height());
        let obstacles = self.obstacles.iter().map(|(texture, _)| texture);
        self.texture.iter().chain(obstacles).map(|texture| 16 * texels(texture)).sum()
    }
}

/// Bind the buffers for each pass. Textures of `before` are reused: where it is as large, and where nothing else would be in it.
pub(super) fn bind(
    gpu: &Gpu,
    model: &CompiledScene,
    pipelines: &Pipelines,
    buffers: &Buffers,
    before: Option<&Bindings>,
) -> Bindings {
    let agents = model.world.agent_count;
    let old = before.and_then(|before| before.texture.clone()).filter(|old| old.height() == texture_rows(agents));
    let texture = pipelines.binds("sorted_agents").then(|| old.unwrap_or_else(|| sorted_agents(gpu, agents)));
    let view = texture.as_ref().map(|texture| texture.create_view(&Default::default()));
    let texels = &model.obstacle_texels;
    let old = before.and_then(|before| before.obstacles.clone()).filter(|(_, old)| Arc::ptr_eq(old, texels));
    let make = || (obstacle_texels(gpu, texels), Arc::clone(texels));
    let obstacles = pipelines.binds("obstacle_texels").then(|| old.unwrap_or_else(make));
    let obstacles_view = obstacles.as_ref().map(|(texture, _)| texture.create_view(&Default::default()));
    let group = |pass: &Pass| {
        let entry = |b: &super::reflect::Binding| wgpu::BindGroupEntry {
            binding: b.index,
            resource: match (b.ty, &view, &obstacles_view) {
                (wgpu::BindingType::StorageTexture { .. }, Some(view), _)
                | (wgpu::BindingType::Texture { .. }, _, Some(view)) => wgpu::BindingResource::TextureView(view),
                _ => buffers[b.name.as_str()].as_entire_binding(),
            },
        };
        let entries: Vec<_> = pass.bindings.iter().map(entry).collect();
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(pass.name),
            layout: &pass.layout,
            entries: &entries,
        })
    };
    Bindings { groups: pipelines.passes.iter().chain(&pipelines.observe).map(group).collect(), texture, obstacles }
}

#[cfg(test)]
mod tests {
    use super::super::{Options, pipelines::Program};
    use super::*;
    use crate::model::GridChoice;
    use crate::scene::Scene;

    /// The messages about memory say the allocated bytes, with and without columns by id.
    #[test]
    fn bytes_per_agent_are_those_of_the_buffers() {
        for (vehicle, largest) in [("", [8, 12]), ("vehicle.orientation = \"kept\"", [48, 48])] {
            for (size, largest) in ["[1000, 1000]", "[1000, 1000, 1000]"].iter().zip(largest) {
                let text = format!("schema = 1\nworld.size = {size}\n[[species]]\ncount = 1000000\n{vehicle}\n");
                let scene = Scene::parse(&text, "memory.toml", &[]).unwrap();
                let model = CompiledScene::new(&scene, GridChoice::default()).unwrap();
                let bound = Program::new(&model, &Options::default(), false).unwrap().bound;
                let sizes: Vec<_> = BUFFERS.iter().map(|b| (b.name, bytes(b, &model, &bound))).collect();
                let (each, all) = bytes_per_agent(&model, &bound);
                assert_eq!(each, largest);
                assert!(sizes.iter().all(|(name, size)| *size <= each * 1_000_000 + 64 || *name == "observed"));
                let total: u64 = sizes.iter().map(|(_, size)| size).sum();
                let share = total as f64 / (all as f64 * 1e6);
                assert!((0.75..1.05).contains(&share), "{vehicle} {size}: {total} bytes, {all} for each agent");
            }
        }
    }

    /// 64 million agents, as an NVIDIA GPU allows them: bindings of 4 GiB less a byte, and 80 GB of memory.
    #[test]
    fn sixty_four_million_agents_fit_a_large_gpu() {
        let limits = wgpu::Limits { max_storage_buffer_binding_size: u64::from(u32::MAX), ..Default::default() };
        let limits = wgpu::Limits { max_buffer_size: 1 << 40, ..limits };
        for (preset, most_gib) in [("flock", 8), ("murmuration", 32)] {
            let scene = Scene::open(preset, &[]).unwrap().with_agents(64_000_000).unwrap();
            let model = CompiledScene::new(&scene, GridChoice::default()).unwrap();
            let bound = Program::new(&model, &Options::default(), false).unwrap().bound;
            let sizes = || BUFFERS.iter().map(|buffer| (buffer.name, bytes(buffer, &model, &bound)));
            let (name, largest) = sizes().max_by_key(|(_, size)| *size).unwrap();
            assert!(largest <= limits.max_storage_buffer_binding_size, "{preset}: {name} has {largest} bytes");
            let all: u64 = sizes().map(|(_, size)| size).sum();
            assert!(all < most_gib << 30 && all > 64_000_000 * 50, "{preset}: {all} bytes");
            assert!(most_agents(&limits, model.spatial) > 64_000_000);
            // The same on a device with wgpu's default bindings of 128 MiB does not fit.
            assert!(most_agents(&wgpu::Limits::default(), model.spatial) < 64_000_000);
        }
    }
}
