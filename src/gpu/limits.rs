//! How large each buffer of a world is, and whether a device can hold them all.

use super::GpuError;
use super::reflect::Binding;
pub(super) use crate::constants::{AGENTS_PER_ROW, WIDEST_DISPATCH};
use crate::memory;
use crate::model::texels::TEXELS_PER_ROW;
use crate::model::ways::Ways;
use crate::model::{BUFFERS, Buffer, BufferId, CompiledScene, FROZEN, Per, Usage};
use crate::scene::Scene;
use std::collections::BTreeSet;

/// Dispatch `groups` workgroups in each of `layers` layers, for each of `worlds` worlds. Layers lie along y, worlds along z.
pub(crate) fn dispatch(compute: &mut wgpu::ComputePass<'_>, groups: u32, layers: u32, worlds: u32) {
    let width = groups.min(WIDEST_DISPATCH);
    compute.dispatch_workgroups(width, groups.div_ceil(width.max(1)) * layers, worlds);
}

/// Is this an adapter that computes on the CPU?
pub fn software(info: &wgpu::AdapterInfo) -> bool {
    info.device_type == wgpu::DeviceType::Cpu
}

/// Host memory per agent that the state takes while it is copied to a device or back, bytes.
const HOST_BYTES_PER_AGENT: u64 = 64;

/// The buffers that the passes of a step and of `observe` and `measure` bind.
#[derive(Debug, Clone, Default)]
pub(super) struct Bound {
    pub buffers: BTreeSet<BufferId>,
    /// Cells that one workgroup of the scan covers.
    pub scan_block: u32,
    /// Those of the buffers that may share the memory of another, their host: see [`Buffer::in_room_of`].
    pub guests: BTreeSet<BufferId>,
}

/// The alignment of a binding's offset that every device accepts, bytes.
const ALIGNMENT: u64 = 256;

impl Bound {
    /// The guests of a host buffer, with the byte where each begins: as many as fit without making the host larger, apart from the
    /// alignment of the guests.
    fn guests_of(&self, host: BufferId, model: &CompiledScene) -> Vec<(BufferId, u64)> {
        let guests = self.guests.iter().filter(|guest| guest.row().in_room_of == Some(host));
        let begins = guests.scan(0, |end, guest| {
            let first = u64::next_multiple_of(*end, ALIGNMENT);
            *end = first + guest.row().whole_bytes(model, self.scan_block);
            Some((*guest, first, *end))
        });
        let room = host.row().whole_bytes(model, self.scan_block) + 2 * ALIGNMENT;
        let fits = |(.., end): &(BufferId, u64, u64)| *end <= room.min(model.largest_binding);
        begins.take_while(fits).map(|(guest, first, _)| (guest, first)).collect()
    }

    /// The buffer on the device that a buffer lies in (its host, or itself), and the byte where it begins there.
    pub fn place(&self, buffer: BufferId, model: &CompiledScene) -> (BufferId, u64) {
        let host = buffer.row().in_room_of.filter(|_| self.guests.contains(&buffer));
        let guests = host.map(|host| (host, self.guests_of(host, model)));
        let found = guests.and_then(|(host, guests)| {
            let (_, first) = guests.into_iter().find(|(guest, _)| *guest == buffer)?;
            Some((host, first))
        });
        found.unwrap_or((buffer, 0))
    }
}

/// Does a texture on a device with these limits hold this many sorted agents?
pub(super) fn texture_holds(limits: &wgpu::Limits, agents: u32) -> bool {
    texture_rows(agents).max(2 * AGENTS_PER_ROW) <= limits.max_texture_dimension_2d
}

/// Rows of the texture of sorted agents, plus one for each of the four columns that `observe_texels` reads there.
pub(super) fn texture_rows(agents: u32) -> u32 {
    agents.div_ceil(AGENTS_PER_ROW) + 4
}

/// Bytes per agent, first of the largest buffer that grows with the agents, then of all such buffers together.
pub(super) fn bytes_per_agent(model: &CompiledScene, bound: &Bound) -> (u64, u64) {
    let agents = u64::from(model.world.agent_count.max(1));
    let share = |buffer: &Buffer| match buffer.per {
        Per::StorageSlot | Per::SortedIndex | Per::SortedIndexAndOne | Per::Id => {
            buffer.whole_bytes(model, bound.scan_block) / agents
        }
        Per::QueryingAgent | Per::Measured => buffer.bytes(model, bound.scan_block).div_ceil(agents),
        // Up to two cells for each agent.
        Per::Cell => {
            2 * 4 * buffer.width(model) as u64
                + (buffer.whole_bytes(model, 1) - buffer.bytes(model, 1)).div_ceil(agents)
        }
        _ => 0,
    };
    let guests = |host| bound.guests_of(host, model).into_iter().map(|(guest, _)| share(guest.row())).sum();
    let is_made = |buffer: &&Buffer| bound.place(buffer.id, model).0 == buffer.id;
    let made = || BUFFERS.iter().filter(|b| bound.buffers.contains(&b.id)).filter(is_made);
    let made = || made().map(|buffer| (buffer, share(buffer).max(guests(buffer.id))));
    let largest = made().filter(|(buffer, _)| !buffer.usage.is_texture()).map(|(_, bytes)| bytes).max();
    (largest.unwrap_or(0), made().map(|(_, bytes)| bytes).sum())
}

/// The most bytes that one storage binding may have on a device with these limits.
pub(crate) fn largest_binding(limits: &wgpu::Limits) -> u64 {
    limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
}

/// The largest number of agents whose buffers fit these limits, unless agents remember more than the four buffers of memories hold.
pub(super) fn most_agents(limits: &wgpu::Limits, spatial: bool) -> u32 {
    most_agents_of(limits, if spatial { 12 } else { 8 })
}

fn most_agents_of(limits: &wgpu::Limits, bytes_per_agent: u64) -> u32 {
    let most = largest_binding(limits) / bytes_per_agent.max(8);
    // The cell table has up to two cells per agent and two more; ids have 31 bits.
    most.saturating_sub(2).min(u64::from(FROZEN - 1)) as u32
}

/// The largest number of agents whose table of cells fits a binding, in a world with folded axes. There the number of cells is a power of
/// two, at most the next one above two cells per agent; some words per agent lie behind the cells.
fn most_folded(limits: &wgpu::Limits, model: &CompiledScene, bound: &Bound) -> u32 {
    let words = largest_binding(limits) / 4;
    let whole = bytes(BufferId::CellStart.row(), model, bound) / 4;
    if !model.world.folds() || whole <= words {
        return u32::MAX;
    }
    let each = (whole - u64::from(model.world.cell_count)).div_ceil(u64::from(model.world.agent_count.max(1))).max(1);
    let most = |table: u64| (words.saturating_sub(table + 3) / each).min(table / 2);
    (1..=words.checked_ilog2().unwrap_or(1)).map(|power| most(1 << power)).max().unwrap_or(0) as u32
}

pub(super) fn check_limits(
    limits: &wgpu::Limits,
    info: &wgpu::AdapterInfo,
    model: &CompiledScene,
    bound: &Bound,
) -> Result<(), GpuError> {
    let agents = model.world.agent_count;
    let (limit, available) = ("max_compute_workgroups_per_dimension", limits.max_compute_workgroups_per_dimension);
    if available < WIDEST_DISPATCH {
        let (needed, adapter) = (WIDEST_DISPATCH, info.name.clone());
        return Err(GpuError::TooMuch { stage: "steer", limit, needed, available, adapter, may_grow: true });
    }
    let (largest, each) = bytes_per_agent(model, bound);
    let fits = most_agents_of(limits, largest).min(most_folded(limits, model, bound));
    let sizes: Vec<_> = BUFFERS.iter().map(|buffer| (buffer, bytes(buffer, model, bound))).collect();
    for &(&Buffer { name: buffer, .. }, needed) in sizes.iter().filter(|(buffer, _)| !buffer.usage.is_texture()) {
        for (limit, available) in [
            ("max_storage_buffer_binding_size", limits.max_storage_buffer_binding_size),
            ("max_buffer_size", limits.max_buffer_size),
        ] {
            if needed > available {
                let adapter = info.name.clone();
                return Err(GpuError::TooLarge {
                    agents,
                    buffer,
                    needed,
                    available,
                    limit,
                    adapter,
                    fits,
                    may_grow: true,
                });
            }
        }
    }
    if let Some(ways) = model.ways.as_ref().filter(|_| bound.buffers.contains(&BufferId::Ways)) {
        check_ways(limits, info, ways)?;
    }
    for &(buffer, size) in sizes.iter().filter(|(buffer, _)| buffer.usage == Usage::Texels) {
        let texels = size / (4 * buffer.width(model) as u64);
        let (needed, available) = (texels.div_ceil(TEXELS_PER_ROW.into()) as u32, limits.max_texture_dimension_2d);
        if needed > available {
            let (limit, adapter) = ("max_texture_dimension_2d", info.name.clone());
            return Err(GpuError::TooMuch { stage: "steer", limit, needed, available, adapter, may_grow: true });
        }
    }
    // A software adapter commits memory lazily and reports no error when it runs out: the process is killed later.
    if let Some(usable) = memory::usable() {
        let map = if software(info) { map_bytes(model, bound) } else { 0 };
        let goals = model.ways.as_ref().map_or(0, |ways| ways.goals.len());
        check_map([model.world.map_columns, model.world.map_rows], goals, map, usable)?;
        let usable = usable - map;
        let each = if software(info) { each } else { 0 };
        let (needed, uploads) = (host_bytes(info, model, bound), uploads(model, bound));
        if needed > usable {
            let fits = fits.min((usable.saturating_sub(uploads) / (each + HOST_BYTES_PER_AGENT)) as u32);
            let (needed_mib, available_mib) = (needed >> 20, usable >> 20);
            return Err(GpuError::OutOfMemory { agents, needed_mib, available_mib, fits });
        }
    }
    Ok(())
}

/// Host memory that a simulation takes beside what the map takes, bytes: on a software adapter its buffers too.
pub(super) fn host_bytes(info: &wgpu::AdapterInfo, model: &CompiledScene, bound: &Bound) -> u64 {
    let host = HOST_BYTES_PER_AGENT * u64::from(model.world.agent_count) + uploads(model, bound);
    let made = BUFFERS.iter().filter(|buffer| software(info) && !is_of_map(buffer));
    made.fold(host, |sum, buffer| sum + bytes(buffer, model, bound))
}

/// The flow field exists twice on the host while it is uploaded: as words, and as the bytes of the staging copy.
fn uploads(model: &CompiledScene, bound: &Bound) -> u64 {
    2 * bytes(BufferId::Field.row(), model, bound)
}

/// Does a texture hold the ways to all goals?
pub(super) fn check_ways(limits: &wgpu::Limits, info: &wgpu::AdapterInfo, ways: &Ways) -> Result<(), GpuError> {
    let (goals, fits) = (ways.goals.len() as u32, limits.max_texture_dimension_2d / ways.rows_per_goal().max(1));
    if goals > fits {
        let ([columns, rows], adapter) = ([ways.walls.columns, ways.walls.rows], info.name.clone());
        return Err(GpuError::TooManyGoals { goals, columns, rows, fits, adapter });
    }
    Ok(())
}

fn is_of_map(buffer: &Buffer) -> bool {
    matches!(buffer.per, Per::MapCell | Per::WayTexel)
}

/// Host memory that walls and ways of the map take on a software adapter while they are computed, bytes: the textures; two more words for
/// each cell of the walls; the words of the ways on the host, where each goal in progress has some for each cell. Where ways heed crowds or
/// are awaited, the latest ways exist beside the next ones, and on the host also those over empty ground.
fn map_bytes(model: &CompiledScene, bound: &Bound) -> u64 {
    let each = |buffer: BufferId| bytes(buffer.row(), model, bound);
    let (walls, ways) = (each(BufferId::WallTexels), each(BufferId::Ways));
    let cells = model.ways.as_ref().filter(|_| ways > 0).map_or(0, |ways| u64::from(ways.cells()));
    let held = if model.crowd_counts().is_empty() && model.way_cost_words() == 0 { 2 } else { 5 };
    3 * walls + held * ways + 16 * cells * rayon::current_num_threads() as u64
}

/// Is there memory for what the reference computes of the map? That is the nearest walls and two more words for each cell; the ways to
/// goals, twice if they heed crowds or are awaited; and the working memory of each thread for one goal.
pub(crate) fn check_map_of_reference(scene: &Scene) -> Result<(), GpuError> {
    let (Some(map), Some(usable)) = (&scene.map, memory::usable()) else { return Ok(()) };
    let walls = map.walls(&scene.world, scene.seed);
    let goals = Ways::of(scene, Some(&walls))?.map_or(0, |ways| ways.goals.len());
    let threads = if goals > 0 { rayon::current_num_threads() as u64 } else { 0 };
    let twice = map.crowding > 0.0 || map.renew_steps > 1;
    let each = 12 + if twice { 16 } else { 8 } * goals as u64 + 16 * threads;
    check_map([walls.columns, walls.rows], goals, each * walls.solid.len() as u64, usable)
}

fn check_map([columns, rows]: [u32; 2], goals: usize, needed: u64, usable: u64) -> Result<(), GpuError> {
    if needed <= usable {
        return Ok(());
    }
    let (needed_mib, available_mib) = (needed >> 20, usable >> 20);
    Err(GpuError::MapTooLarge { columns, rows, goals: goals as u32, needed_mib, available_mib })
}

/// A pass binds `over` more buffers than the device allows. With fewer agents, memories or poses lie in fewer buffers: find the largest
/// number of agents with which the pass fits.
///
/// # Errors
/// [`GpuError::TooLarge`] with that number, if there is one.
pub(super) fn fewer_parts(
    limits: &wgpu::Limits,
    info: &wgpu::AdapterInfo,
    model: &CompiledScene,
    bindings: &[Binding],
    over: usize,
) -> Result<(), GpuError> {
    let further = |binding: &&Binding| matches!(binding.buffer.row().usage, Usage::Further(_));
    let binds = |buffer: &&&Buffer| bindings.iter().any(|binding| binding.buffer == buffer.id);
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
        may_grow: true,
    })
}

/// Bytes of the largest buffer of a model as it is made, a multiple of 16; textures do not count.
pub(super) fn largest_bytes(model: &CompiledScene, bound: &Bound) -> u64 {
    let buffers = BUFFERS.iter().filter(|buffer| !buffer.usage.is_texture());
    buffers.map(|buffer| bytes(buffer, model, bound).next_multiple_of(16)).max().unwrap_or(0)
}

/// Bytes of a buffer with its guests, as it is allocated; 0 for a buffer that no pass binds, and for a guest.
pub(super) fn bytes(buffer: &Buffer, model: &CompiledScene, bound: &Bound) -> u64 {
    if !bound.buffers.contains(&buffer.id) || bound.place(buffer.id, model).0 != buffer.id {
        return 0;
    }
    let bytes = |buffer: &Buffer| buffer.whole_bytes(model, bound.scan_block);
    let ends = bound.guests_of(buffer.id, model).into_iter().map(|(guest, first)| first + bytes(guest.row()));
    ends.fold(bytes(buffer), u64::max)
}
