//! A device, its queue, and what they promise.

use super::adapters::{self, AdapterChoice, AdapterReport};
use super::error::GpuError;
use std::sync::{Arc, Mutex, atomic::AtomicU64, atomic::Ordering};
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
    failure: Arc<Mutex<Option<String>>>,
    transferred: Arc<AtomicU64>,
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
                flags: wgpu::InstanceFlags::empty(),
                ..descriptor
            }
            .with_env(),
        )
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
        let wanted = wgpu::Features::PASSTHROUGH_SHADERS | wgpu::Features::TIMESTAMP_QUERY;
        let required_limits = wgpu::Limits {
            // Only these are asked for beyond the defaults, because the number of agents depends on them.
            max_storage_buffer_binding_size: limits.max_storage_buffer_binding_size,
            max_buffer_size: limits.max_buffer_size,
            max_texture_dimension_2d: limits.max_texture_dimension_2d,
            // Eight are enough for flocks; scenes with orientation, memory and the like need more.
            max_storage_buffers_per_shader_stage: limits.max_storage_buffers_per_shader_stage.min(24),
            ..wgpu::Limits::default().or_worse_values_from(&limits)
        };
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("steerling"),
            required_features: features & wanted,
            required_limits,
            ..Default::default()
        });
        let (device, queue) = pollster::block_on(request).map_err(|e| GpuError::Device(e.to_string()))?;
        let gpu = Gpu::from_device(device, queue);
        let failure = Arc::clone(&gpu.failure);
        let record = move |message: String| {
            failure.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert(message);
        };
        let lost = record.clone();
        gpu.device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| record(error.to_string())));
        gpu.device.set_device_lost_callback(move |reason, message| {
            if reason != wgpu::DeviceLostReason::Destroyed {
                lost(format!("device lost: {message}"));
            }
        });
        Ok(gpu)
    }

    /// Use the caller's own device. To get exact results on Vulkan it needs the feature `PASSTHROUGH_SHADERS`; to have
    /// more than some 8 million agents, a larger `max_storage_buffer_binding_size`.
    pub fn from_device(device: wgpu::Device, queue: wgpu::Queue) -> Gpu {
        let info = device.adapter_info();
        let exact =
            info.backend == wgpu::Backend::Vulkan && device.features().contains(wgpu::Features::PASSTHROUGH_SHADERS);
        Gpu { device, queue, info, exact, failure: Arc::default(), transferred: Arc::default() }
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
        let polled = self.device.poll(wgpu::PollType::Wait { submission_index: None, timeout: Some(TIMEOUT) });
        polled.map_err(|e| GpuError::Device(e.to_string()))?;
        self.check()
    }

    /// Report an error that the device raised since it was opened.
    ///
    /// # Errors
    /// The first such error.
    pub fn check(&self) -> Result<(), GpuError> {
        match &*self.failure.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) {
            Some(message) => Err(GpuError::Device(message.clone())),
            None => Ok(()),
        }
    }

    /// Bytes copied between host and device so far. A step copies none.
    pub fn transferred(&self) -> u64 {
        self.transferred.load(Ordering::Relaxed)
    }

    /// Write to a buffer.
    pub(crate) fn upload(&self, buffer: &wgpu::Buffer, bytes: &[u8]) {
        self.transferred.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.queue.write_buffer(buffer, 0, bytes);
    }

    /// Read a whole buffer.
    pub(crate) fn download(&self, buffer: &wgpu::Buffer) -> Result<Vec<u32>, GpuError> {
        self.transferred.fetch_add(buffer.size(), Ordering::Relaxed);
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("readback"),
            size: buffer.size(),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
        self.queue.submit([encoder.finish()]);
        staging.map_async(wgpu::MapMode::Read, .., |_| ());
        self.wait()?;
        let view = staging.get_mapped_range(..).map_err(|e| GpuError::Device(e.to_string()))?;
        Ok(bytemuck::pod_collect_to_vec(&view[..]))
    }
}
