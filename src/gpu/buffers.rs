//! The buffers of one world: how large each is, whether they fit, and how passes bind them.

use super::pipelines::{Pass, Pipelines};
use super::{Gpu, GpuError};
use crate::model::{FROZEN, Memory, Model, OBSERVED_WORDS, Pose};
use std::collections::BTreeMap;

/// Names of all buffers, as the shaders declare them.
pub(super) const BUFFERS: &[&str] = &[
    "world",
    "species",
    "field",
    "scenery",
    "position",
    "velocity",
    "id",
    "cell",
    "rank",
    "count",
    "cell_start",
    "block_sum",
    "order",
    "sorted_position",
    "sorted_velocity",
    "sorted_id",
    "acceleration",
    "neighbors",
    "observed",
    "turning",
    "memory",
    "place_of",
    "found",
    "due",
    "due_groups",
    "clock",
    "census_sums",
    "pose",
    "ground",
];

/// Buffers that only some scenes have: see [`Model::keeps`].
const COLUMNS: [&str; 6] = ["turning", "memory", "place_of", "found", "due", "pose"];

/// Bytes per agent of one of [`COLUMNS`].
fn column_width(name: &str) -> u64 {
    match name {
        "turning" => 12,
        // With what every behavior would remember.
        "memory" => std::mem::size_of::<Memory>() as u64,
        "place_of" | "due" => 4,
        "found" => 8,
        "pose" => std::mem::size_of::<Pose>() as u64,
        _ => 0,
    }
}

/// Bytes per agent of the largest per-agent buffer, and of all of them, with the grid's share. A model adds the columns
/// that its scene has.
pub(super) fn bytes_per_agent(spatial: bool, model: Option<&Model>) -> (u64, u64) {
    let vector = if spatial { 12 } else { 8 };
    let width = |name: &&str| match model {
        Some(model) if *name == "found" => {
            let agents = u64::from(model.world.agent_count.max(1));
            (column_width(name) * u64::from(model.askers())).div_ceil(agents)
        }
        Some(model) if model.keeps(name) => column_width(name),
        _ => 0,
    };
    let columns = || COLUMNS.iter().map(width);
    let grid = 2 * 2 * 4;
    (columns().fold(vector, u64::max), 5 * vector + 5 * 4 + 8 + grid + columns().sum::<u64>())
}

/// The largest number of agents whose buffers fit these limits.
pub(super) fn most_agents(limits: &wgpu::Limits, spatial: bool, model: Option<&Model>) -> u32 {
    let most = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) / bytes_per_agent(spatial, model).0;
    // The cell table has up to two cells per agent and two more; ids have 31 bits.
    most.saturating_sub(2).min(u64::from(FROZEN - 1)) as u32
}

pub(super) fn check_limits(gpu: &Gpu, model: &Model) -> Result<(), GpuError> {
    let limits = gpu.device.limits();
    let agents = model.world.agent_count;
    let fits = most_agents(&limits, model.spatial, Some(model));
    for (buffer, needed) in sizes_with(model, 1024) {
        for (limit, available) in [
            ("max_storage_buffer_binding_size", limits.max_storage_buffer_binding_size),
            ("max_buffer_size", limits.max_buffer_size),
        ] {
            if needed > available {
                let adapter = gpu.info.name.clone();
                return Err(GpuError::TooLarge { agents, buffer, needed, available, limit, adapter, fits });
            }
        }
    }
    // A software adapter commits memory lazily and reports nothing when there is none: the process is killed later.
    if let Some(available) = gpu.software().then(available_memory).flatten() {
        let needed: u64 = sizes_with(model, 1024).iter().map(|(_, size)| size).sum();
        let usable = available / 10 * 8;
        if needed > usable {
            let each = bytes_per_agent(model.spatial, Some(model)).1;
            let fits = fits.min((usable / each) as u32);
            let (needed_mib, available_mib) = (needed >> 20, usable >> 20);
            return Err(GpuError::OutOfMemory { agents, needed_mib, available_mib, fits });
        }
    }
    Ok(())
}

/// Free memory of this machine, bytes, where the system tells.
pub(crate) fn available_memory() -> Option<u64> {
    let table = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = table.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

pub(super) fn sizes(model: &Model, pipelines: &Pipelines) -> Vec<(&'static str, u64)> {
    sizes_with(model, pipelines.scan_block)
}

/// Bytes of each buffer.
pub(super) fn sizes_with(model: &Model, scan_block: u32) -> Vec<(&'static str, u64)> {
    let agents = u64::from(model.world.agent_count);
    let cells = u64::from(model.world.cell_count) + 2;
    let vector = 4 * model.components() as u64;
    let size = |name: &str| match name {
        _ if !model.keeps(name) => 0,
        "memory" => agents * 4 * model.memory_size() as u64,
        "turning" | "place_of" | "pose" => agents * column_width(name),
        "found" => u64::from(model.askers()) * column_width(name),
        "due_groups" => 12,
        "clock" => 4,
        "census_sums" => 56,
        "ground" => std::mem::size_of_val(&model.ground[..]) as u64,
        "world" => std::mem::size_of_val(&model.world) as u64,
        "species" => 4 * model.species_words().len() as u64,
        "scenery" => std::mem::size_of_val(&model.scenery) as u64,
        "field" => model.field.vectors.len() as u64 * vector,
        "position" | "velocity" | "sorted_position" | "sorted_velocity" | "acceleration" => agents * vector,
        "order" => agents * 8,
        "count" | "cell_start" => cells * 4,
        "block_sum" => cells.div_ceil(u64::from(scan_block)) * 4,
        "neighbors" | "due" => (agents + 1) * 4,
        "observed" => agents.div_ceil(64) * 4 * OBSERVED_WORDS as u64,
        _ => agents * 4,
    };
    BUFFERS.iter().map(|name| (*name, size(name))).collect()
}

pub(super) fn allocate(gpu: &Gpu, model: &Model, pipelines: &Pipelines) -> BTreeMap<&'static str, wgpu::Buffer> {
    sizes(model, pipelines).into_iter().map(|(name, size)| (name, buffer(gpu, name, size))).collect()
}

pub(super) fn buffer(gpu: &Gpu, name: &str, size: u64) -> wgpu::Buffer {
    let kind = match name {
        "world" | "scenery" => wgpu::BufferUsages::UNIFORM,
        "due_groups" => wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::INDIRECT,
        _ => wgpu::BufferUsages::STORAGE,
    };
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(name),
        // An empty world still binds its buffers.
        size: size.max(16).next_multiple_of(4),
        usage: kind | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    })
}

pub(super) fn bind(
    gpu: &Gpu,
    pipelines: &Pipelines,
    buffers: &BTreeMap<&'static str, wgpu::Buffer>,
) -> Vec<wgpu::BindGroup> {
    let group = |pass: &Pass| {
        let entry = |b: &super::shaders::Binding| wgpu::BindGroupEntry {
            binding: b.index,
            resource: buffers[b.name.as_str()].as_entire_binding(),
        };
        let entries: Vec<_> = pass.bindings.iter().map(entry).collect();
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(pass.name),
            layout: &pass.layout,
            entries: &entries,
        })
    };
    pipelines.passes.iter().chain([&pipelines.observe]).map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::GridChoice;
    use crate::scene::Scene;

    /// What the messages say of memory is what is allocated, with and without the columns of a scene.
    #[test]
    fn bytes_per_agent_are_those_of_the_buffers() {
        for (vehicle, largest) in [("", [8, 12]), ("vehicle.orientation = \"kept\"", [48, 48])] {
            for (size, largest) in ["[1000, 1000]", "[1000, 1000, 1000]"].iter().zip(largest) {
                let text = format!("schema = 1\nworld.size = {size}\n[[species]]\ncount = 1000000\n{vehicle}\n");
                let scene = Scene::parse(&text, "memory.toml", &[]).unwrap();
                let model = Model::new(&scene, GridChoice::default()).unwrap();
                let sizes = sizes_with(&model, 1024);
                let (each, all) = bytes_per_agent(model.spatial, Some(&model));
                assert_eq!(each, largest);
                assert!(sizes.iter().all(|(name, size)| *size <= each * 1_000_000 + 64 || *name == "observed"));
                let total: u64 = sizes.iter().map(|(_, size)| size).sum();
                let share = total as f64 / (all as f64 * 1e6);
                assert!((0.75..1.05).contains(&share), "{vehicle} {size}: {total} bytes, {all} for each agent");
            }
        }
    }
}
