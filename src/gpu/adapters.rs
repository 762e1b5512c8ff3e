//! Which GPUs there are, and which one to use.

use super::GpuError;
use super::limits::{most_agents, software};
use std::fmt::Write;

/// Which adapter to use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AdapterChoice {
    /// The most powerful one: discrete, then integrated, then virtual, then software.
    #[default]
    Best,
    /// The one with this index in the list of [`adapters`].
    Index(usize),
    /// The first whose name contains this, ignoring case.
    Name(String),
}

impl From<&str> for AdapterChoice {
    fn from(text: &str) -> Self {
        text.parse().map_or_else(|_| AdapterChoice::Name(text.to_owned()), AdapterChoice::Index)
    }
}

/// One adapter, and whether Steerling can use it.
#[derive(Debug)]
pub struct AdapterReport {
    /// Name, driver and backend.
    pub info: wgpu::AdapterInfo,
    /// The adapter's limits.
    pub limits: wgpu::Limits,
    /// The adapter's features.
    pub features: wgpu::Features,
    /// Why it cannot be used; empty where it can.
    pub refusals: Vec<String>,
    /// The adapter itself.
    pub adapter: wgpu::Adapter,
}

impl AdapterReport {
    /// The largest number of agents whose buffers fit the adapter's limits. It holds for agents that remember at most eight words from step
    /// to step in a plane, or twelve in space, and in a plane keep no pose. A world without walls may need a larger table of cells and hold
    /// fewer.
    pub fn most_agents(&self, spatial: bool) -> u32 {
        most_agents(&self.limits, spatial)
    }

    /// Can results be compared to the bit, because shaders are loaded with NoContraction? Opening the device also tests whether it rounds
    /// as IEEE 754 says: see [`Gpu::exact`](super::Gpu::exact).
    pub fn exact(&self) -> bool {
        self.info.backend == wgpu::Backend::Vulkan && self.features.contains(wgpu::Features::PASSTHROUGH_SHADERS)
    }

    /// Can the time of each stage be measured?
    pub fn timestamps(&self) -> bool {
        self.features.contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// Name, backend and driver in one line.
    pub fn title(&self) -> String {
        title(&self.info)
    }
}

/// Driver of an adapter and its version.
pub fn driver(info: &wgpu::AdapterInfo) -> String {
    format!("{} {}", info.driver, info.driver_info).trim().to_owned()
}

pub(super) fn title(info: &wgpu::AdapterInfo) -> String {
    format!("{} ({}, {})", info.name, info.backend, driver(info))
}

/// All adapters of the instance's backends, best first. Blocks until drivers have answered.
pub fn adapters(instance: &wgpu::Instance) -> Vec<AdapterReport> {
    pollster::block_on(found(instance))
}

pub(super) async fn found(instance: &wgpu::Instance) -> Vec<AdapterReport> {
    let found = instance.enumerate_adapters(wgpu::Backends::all()).await;
    let mut reports: Vec<AdapterReport> = found.into_iter().map(report).collect();
    // GPUs of the same rank keep the order of the system. The order of software drivers means nothing, so they are sorted by name: llvmpipe
    // comes before SwiftShader, which is there for tests.
    let name = |info: &wgpu::AdapterInfo| if software(info) { info.name.to_lowercase() } else { String::new() };
    reports.sort_by_cached_key(|r| (!r.refusals.is_empty(), rank(&r.info), name(&r.info)));
    reports
}

fn rank(info: &wgpu::AdapterInfo) -> (u8, u8) {
    let kind = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    };
    let backend = match info.backend {
        wgpu::Backend::Vulkan | wgpu::Backend::Metal => 0,
        wgpu::Backend::Dx12 => 1,
        _ => 2,
    };
    (kind, backend)
}

fn report(adapter: wgpu::Adapter) -> AdapterReport {
    let (info, limits, features) = (adapter.get_info(), adapter.limits(), adapter.features());
    let mut refusals = Vec::new();
    if !adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS) {
        refusals.push("no compute shaders".to_owned());
    }
    let mut need = |name: &str, has: u32, needs: u32| {
        if has < needs {
            refusals.push(format!("{name} is {has}, {needs} are needed"));
        }
    };
    need("max_storage_buffers_per_shader_stage", limits.max_storage_buffers_per_shader_stage, 8);
    need("max_compute_invocations_per_workgroup", limits.max_compute_invocations_per_workgroup, 256);
    need("max_compute_workgroups_per_dimension", limits.max_compute_workgroups_per_dimension, 65535);
    AdapterReport { info, limits, features, refusals, adapter }
}

/// Pick one of the adapters.
pub(super) fn choose(reports: Vec<AdapterReport>, choice: &AdapterChoice) -> Result<AdapterReport, GpuError> {
    let list = listing(&reports);
    let mut reports = reports.into_iter();
    let (found, wanted) = match choice {
        AdapterChoice::Best => (reports.find(|report| report.refusals.is_empty()), None),
        AdapterChoice::Index(index) => (reports.nth(*index), Some(format!("index {index}"))),
        AdapterChoice::Name(name) => {
            let part = name.to_lowercase();
            (reports.find(|report| report.info.name.to_lowercase().contains(&part)), Some(format!("the name `{name}`")))
        }
    };
    let unknown_choice = found.is_none() && wanted.is_some();
    let message = match (found, wanted) {
        (Some(report), _) if report.refusals.is_empty() => return Ok(report),
        (Some(report), _) => format!("{} cannot be used: {}", report.title(), report.refusals.join("; ")),
        (None, Some(wanted)) => format!("no adapter has {wanted}; there are:\n{list}"),
        (None, None) => no_adapter_message(&list),
    };
    Err(GpuError::NoAdapter { message, unknown_choice })
}

/// Can Steerling use any of the adapters?
///
/// # Errors
/// It can use none; the message says why each was refused and what to do.
pub fn check_usable(reports: &[AdapterReport]) -> Result<(), GpuError> {
    match reports.iter().any(|report| report.refusals.is_empty()) {
        true => Ok(()),
        false => Err(GpuError::NoAdapter { message: no_adapter_message(&listing(reports)), unknown_choice: false }),
    }
}

fn listing(reports: &[AdapterReport]) -> String {
    let mut list = String::new();
    for (index, report) in reports.iter().enumerate() {
        let _ = write!(list, "  {index}: {}", report.title());
        if !report.refusals.is_empty() {
            let _ = write!(list, " - refused: {}", report.refusals.join("; "));
        }
        list.push('\n');
    }
    if list.is_empty() { "  (none)\n".to_owned() } else { list }
}

fn no_adapter_message(list: &str) -> String {
    let backends = wgpu::Backends::from_env().unwrap_or(wgpu::Backends::all());
    let backends = backends & wgpu::Instance::enabled_backend_features();
    if backends.is_empty() {
        let wanted = std::env::var("WGPU_BACKEND").unwrap_or_default();
        return format!(
            "no usable GPU: WGPU_BACKEND={wanted:?} names no backend of this system; there are vulkan, metal, dx12 and gl"
        );
    }
    format!(
        "no usable GPU. Backends tried: {backends:?}; adapters found:\n{list}Usual fixes:\n  \
         1. install a Vulkan driver: ./scripts/setup does, or the packages mesa-vulkan-drivers and libvulkan1, or your \
         vendor's driver\n  \
         2. try another backend: WGPU_BACKEND=gl (or vulkan, metal, dx12)\n  \
         3. run on the CPU reference: steerling run --device cpu"
    )
}
