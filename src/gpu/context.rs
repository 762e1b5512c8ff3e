//! A device, its queue, and what they promise.

use super::adapters::{self, AdapterChoice, AdapterReport};
use super::error::GpuError;
use super::readback::Readback;
use crate::fault;
use crate::model::CompiledScene;
use std::sync::{Arc, Mutex, PoisonError, atomic::AtomicBool, atomic::AtomicU64, atomic::Ordering};
use std::time::Duration;

/// Longest wait for one submission; a driver that takes longer is taken for dead.
const TIMEOUT: Duration = Duration::from_secs(300);

/// A device and its queue.
#[derive(Debug, Clone)]
pub struct Gpu {
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    /// Name, driver and backend of the adapter.
    pub info: wgpu::AdapterInfo,
    /// True where shaders are loaded as SPIR-V with NoContraction, so that results can be compared to the bit.
    pub exact: bool,
    /// True where sorted agents are loaded from a texture (`shaders/common/sorted.wgsl`): on drivers that compute on the CPU, where that
    /// is faster, and on devices that bind few storage buffers, because a texture takes none. The results do not depend on it.
    pub texture_loads: bool,
    failure: Arc<Mutex<Option<String>>>,
    transferred: Arc<AtomicU64>,
}

/// Storage buffers that a pass of any scene binds at most, where all agents lie in buffers.
const MOST_BINDINGS: u32 = 24;

/// Most bytes of a buffer that are on their way between host and device at a time: whole vectors of two and of three components.
const PART: usize = 3 << 20;

/// Has [`Gpu::name_for_debuggers`] been called? The environment, which says the same, cannot be changed safely.
static NAMED: AtomicBool = AtomicBool::new(false);

fn flags() -> wgpu::InstanceFlags {
    if NAMED.load(Ordering::Relaxed) { wgpu::InstanceFlags::DEBUG } else { wgpu::InstanceFlags::empty() }
}

/// Does a debugger or a profiler of GPUs want names? `WGPU_DEBUG=1` says so, and turns on wgpu's labels as well.
pub(super) fn debugs() -> bool {
    flags().with_env().contains(wgpu::InstanceFlags::DEBUG)
}

impl Gpu {
    /// An instance as the environment (`WGPU_BACKEND`, `WGPU_VALIDATION`, ...) asks for it, without a window system.
    pub fn instance() -> wgpu::Instance {
        Gpu::instance_with(wgpu::InstanceDescriptor::new_without_display_handle())
    }

    /// As [`Gpu::instance`], from a descriptor that knows the display.
    pub fn instance_with(descriptor: wgpu::InstanceDescriptor) -> wgpu::Instance {
        wgpu::Instance::new(
            wgpu::InstanceDescriptor {
                // OpenGL is for adapters that have nothing else: it lists every GPU once more.
                backends: wgpu::Backends::PRIMARY,
                // Debug and release builds run alike; WGPU_VALIDATION=1 turns the layers on.
                flags: flags(),
                ..descriptor
            }
            .with_env(),
        )
    }

    /// From here on instances and pipelines of this process are made as `WGPU_DEBUG=1` asks for them: with labels, and with names
    /// and lines in shaders. To be called before [`Gpu::open`].
    pub fn name_for_debuggers() {
        NAMED.store(true, Ordering::Relaxed);
    }

    /// Open the chosen adapter without a window system.
    ///
    /// # Errors
    /// No such adapter, or one that cannot be used; the message says why and what to do.
    pub fn open(choice: &AdapterChoice) -> Result<Gpu, GpuError> {
        Gpu::open_one(Gpu::adapters(), choice)
    }

    /// All adapters, best first; those of OpenGL only where there are no others.
    pub fn adapters() -> Vec<AdapterReport> {
        let reports = adapters::adapters(&Gpu::instance());
        if !reports.is_empty() || wgpu::Backends::from_env().is_some() {
            return reports;
        }
        let descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        let gl = wgpu::InstanceDescriptor { backends: wgpu::Backends::GL, ..descriptor };
        adapters::adapters(&wgpu::Instance::new(gl))
    }

    /// Open the chosen adapter of an instance, for example one that a window's surface belongs to.
    ///
    /// # Errors
    /// As [`Gpu::open`].
    pub fn open_on(instance: &wgpu::Instance, choice: &AdapterChoice) -> Result<Gpu, GpuError> {
        Gpu::open_one(adapters::adapters(instance), choice)
    }

    fn open_one(reports: Vec<AdapterReport>, choice: &AdapterChoice) -> Result<Gpu, GpuError> {
        let AdapterReport { adapter, limits, features, .. } = adapters::choose(reports, choice)?;
        let wanted = wgpu::Features::PASSTHROUGH_SHADERS | wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::SUBGROUP;
        let required_limits = wgpu::Limits {
            // Only these are requested beyond the defaults, because the number of agents depends on them.
            max_storage_buffer_binding_size: limits.max_storage_buffer_binding_size,
            max_buffer_size: limits.max_buffer_size,
            max_texture_dimension_2d: limits.max_texture_dimension_2d,
            // The eight of WebGPU are enough where sorted agents are loaded from a texture. With these a pass may stand for several, and
            // GPUs load from buffers.
            max_storage_buffers_per_shader_stage: limits.max_storage_buffers_per_shader_stage.min(MOST_BINDINGS),
            ..wgpu::Limits::default().or_worse_values_from(&limits)
        };
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("steerling"),
            required_features: features & wanted,
            required_limits,
            ..Default::default()
        });
        let (device, queue) = pollster::block_on(request).map_err(|e| GpuError::Device(e.to_string()))?;
        Ok(Gpu::from_device(device, queue))
    }

    /// Use the caller's own device. To get exact results on Vulkan it needs the feature `PASSTHROUGH_SHADERS`; to have
    /// more than some 8 million agents, a larger `max_storage_buffer_binding_size`.
    ///
    /// The handlers of the device for uncaptured errors and for its loss are set, and replace those set before:
    /// [`Gpu::check`] returns what they received.
    pub fn from_device(device: wgpu::Device, queue: wgpu::Queue) -> Gpu {
        let gpu = Gpu::from_device_with_own_handlers(device, queue);
        let failure = Arc::clone(&gpu.failure);
        gpu.device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| record(&failure, error.to_string())));
        let failure = Arc::clone(&gpu.failure);
        // What is submitted to a lost device vanishes in silence: this is the only notice of it.
        gpu.device.set_device_lost_callback(move |reason, message| {
            let destroyed = reason == wgpu::DeviceLostReason::Destroyed;
            let why = if destroyed { "it was destroyed" } else { message.as_str() };
            record(&failure, format!("device lost: {why}"));
        });
        gpu
    }

    /// As [`Gpu::from_device`], but the handlers of the device stay the caller's. [`Gpu::report`] takes what they
    /// receive.
    pub fn from_device_with_own_handlers(device: wgpu::Device, queue: wgpu::Queue) -> Gpu {
        let info = device.adapter_info();
        let exact =
            info.backend == wgpu::Backend::Vulkan && device.features().contains(wgpu::Features::PASSTHROUGH_SHADERS);
        let few = device.limits().max_storage_buffers_per_shader_stage < MOST_BINDINGS;
        let texture_loads = few || adapters::software(&info);
        Gpu { device, queue, info, exact, texture_loads, failure: Arc::default(), transferred: Arc::default() }
    }

    /// Record a failure that the caller's own handler received; from then on every step returns it.
    pub fn report(&self, failure: impl std::fmt::Display) {
        record(&self.failure, failure.to_string());
    }

    /// Do the passes of this model load sorted agents from a texture?
    pub(super) fn loads_texels(&self, model: &CompiledScene) -> bool {
        self.texture_loads && super::buffers::texture_holds(&self.device.limits(), model.world.agent_count)
    }

    /// Is the other one a clone of this? wgpu's own comparison takes devices of two instances for equal.
    pub(super) fn same_as(&self, other: &Gpu) -> bool {
        Arc::ptr_eq(&self.failure, &other.failure)
    }

    /// Is this an adapter that computes on the CPU?
    pub fn software(&self) -> bool {
        adapters::software(&self.info)
    }

    /// Name, backend and driver in one line.
    pub fn title(&self) -> String {
        let driver = [self.info.driver.as_str(), self.info.driver_info.as_str()].join(" ");
        format!("{} ({}, {})", self.info.name, self.info.backend, driver.trim())
    }

    /// Wait until everything submitted so far is done.
    ///
    /// # Errors
    /// A device that is lost or does not answer, or an error that it reported since.
    pub fn wait(&self) -> Result<(), GpuError> {
        if fault::strikes("gpu", "wait") {
            self.report("a fault that a test asked for");
        }
        let polled = self.device.poll(wgpu::PollType::Wait { submission_index: None, timeout: Some(TIMEOUT) });
        polled.map_err(|e| GpuError::Device(e.to_string()))?;
        self.check()
    }

    /// Report an error that the device raised since it was opened.
    ///
    /// # Errors
    /// The first such error.
    pub fn check(&self) -> Result<(), GpuError> {
        match &*self.failure.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(message) => Err(GpuError::Device(message.clone())),
            None => Ok(()),
        }
    }

    /// Bytes copied between host and device so far. A step copies none.
    pub fn transferred(&self) -> u64 {
        self.transferred.load(Ordering::Relaxed)
    }

    /// Write to a buffer.
    pub(crate) fn upload(&self, buffer: &wgpu::Buffer, first: u64, bytes: &[u8]) {
        self.transferred.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        for (part, bytes) in (0..).zip(bytes.chunks(PART)) {
            if part > 0 {
                // What was written before takes memory until it is submitted and done. Whoever waits next reports what went wrong.
                self.queue.submit([]);
                let _ = self.device.poll(wgpu::PollType::Wait { submission_index: None, timeout: Some(TIMEOUT) });
            }
            self.queue.write_buffer(buffer, first + part * PART as u64, bytes);
        }
    }

    /// Make something on the device, or say why it cannot be made. Other handlers receive nothing of it.
    pub(crate) fn guarded<T>(&self, make: impl FnOnce() -> T) -> Result<T, GpuError> {
        if fault::strikes("gpu", "make") {
            return Err(GpuError::Device("a fault that a test asked for".to_owned()));
        }
        let filters = [wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Validation, wgpu::ErrorFilter::Internal];
        let scopes = filters.map(|filter| self.device.push_error_scope(filter));
        let made = make();
        // The scope that was pushed last is popped first.
        let heard = scopes.into_iter().rev().filter_map(|scope| pollster::block_on(scope.pop())).collect::<Vec<_>>();
        match heard.first() {
            Some(error) => Err(GpuError::Device(error.to_string())),
            None => Ok(made),
        }
    }

    /// Begin to read buffers; they are read as they are when the commands submitted so far are done.
    pub(crate) fn read(&self, buffers: &[&wgpu::Buffer]) -> Readback {
        let bytes: u64 = buffers.iter().map(|buffer| buffer.size()).sum();
        self.transferred.fetch_add(bytes, Ordering::Relaxed);
        Readback::new(self.clone(), buffers)
    }

    /// Read what submitted copies bring.
    pub(crate) fn read_staged(&self, staging: Vec<wgpu::Buffer>) -> Readback {
        let bytes: u64 = staging.iter().map(wgpu::Buffer::size).sum();
        self.transferred.fetch_add(bytes, Ordering::Relaxed);
        Readback::map(self.clone(), staging)
    }

    /// Read a whole buffer.
    pub(crate) fn download(&self, buffer: &wgpu::Buffer) -> Result<Vec<u32>, GpuError> {
        let mut words = Vec::with_capacity(buffer.size() as usize / 4);
        self.download_parts(buffer, |_, part| words.extend(part))?;
        Ok(words)
    }

    /// Read a whole buffer, one part after the other: the index of its first word, and the part. Each begins with a whole vector.
    pub(crate) fn download_parts(
        &self,
        buffer: &wgpu::Buffer,
        mut take: impl FnMut(usize, Vec<u32>),
    ) -> Result<(), GpuError> {
        self.transferred.fetch_add(buffer.size(), Ordering::Relaxed);
        for first in (0..buffer.size()).step_by(PART) {
            let bytes = first..(first + PART as u64).min(buffer.size());
            take(first as usize / 4, Readback::part(self.clone(), buffer, bytes).wait()?.swap_remove(0));
        }
        Ok(())
    }
}

/// Keep the first failure.
fn record(failure: &Mutex<Option<String>>, message: String) {
    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(message);
}
