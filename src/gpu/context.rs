//! A device and its queue: how they are opened, what they can do, and how their errors are reported.

use super::adapters::{self, AdapterChoice, AdapterReport};
use super::compiled::Compiled;
use super::error::{Answer, GpuError, scoped};
use super::find::Finder;
use super::precise::Float;
use super::probe;
use super::resources::texture;
use crate::lock::lock;
use crate::model::texels::TEXELS_PER_ROW;
use crate::{fault, memory};
use std::sync::{Arc, Mutex, OnceLock, atomic::AtomicBool, atomic::AtomicU64, atomic::Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Longest wait for one submission. A driver that takes longer counts as dead.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Address space that drivers take while they are opened and compile, and the share for each thread that they start, bytes: 850 MB were
/// measured with two software drivers on two cores.
const DRIVERS: u64 = 1 << 30;
const PER_CORE: u64 = 16 << 20;

/// A device and its queue.
#[derive(Debug, Clone)]
pub struct Gpu {
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    /// Name, driver and backend of the adapter.
    pub info: wgpu::AdapterInfo,
    /// True if shaders are loaded as SPIR-V with NoContraction and the device rounds floats as IEEE 754 says, so that results can be
    /// compared to the bit.
    pub exact: bool,
    /// How float operations are written in shaders for this device; `None` if it is not exact.
    pub(super) float: Option<Float>,
    /// Are sorted agents loaded from a texture (`shaders/common/sorted.wgsl`), or from buffers? `None`: from buffers, unless the device
    /// binds too few storage buffers for a scene; a texture takes no storage-buffer binding. Results do not depend on it.
    pub texture_loads: Option<bool>,
    /// True if the library opened the device, with all limits of the adapter that scenes can use.
    has_most_limits: bool,
    /// Why the device cannot be used any more: it is lost, does not answer, or its owner reported a failure.
    failure: Failure,
    /// The first error of calls that are not this library's, on a device that the library opened.
    stray: Failure,
    unanswered: Arc<Unanswered>,
    transferred: Arc<AtomicU64>,
    /// The pipelines that find agents by their ids, made at first use.
    pub(super) finder: Arc<OnceLock<Finder>>,
    /// The passes that find the nearest walls of a map, made at first use.
    pub(super) walls: Arc<OnceLock<[wgpu::ComputePipeline; 2]>>,
    /// The passes that compute ways to goals, made at first use.
    pub(super) ways: Arc<OnceLock<[wgpu::ComputePipeline; 6]>>,
    /// The pass that counts agents over the cells of a map, made at first use.
    pub(super) crowding: Arc<OnceLock<[wgpu::ComputePipeline; 1]>>,
    /// The device's cache of compiled pipelines.
    pub(super) compiled: Arc<Compiled>,
}

/// The first failure, if any.
type Failure = Arc<Mutex<Option<String>>>;

/// Answers of error scopes that the device has not given yet, as in a browser.
#[derive(Default)]
struct Unanswered(Mutex<Vec<Answer>>);

impl std::fmt::Debug for Unanswered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Unanswered")
    }
}

/// The most storage buffers that any pass of any scene binds when sorted agents are loaded from buffers.
const MOST_BINDINGS: u32 = 24;

/// The most bytes of a buffer that are copied between host and device at a time: a whole number of vectors, whether of two components or
/// three.
pub(super) const MAX_TRANSFER_CHUNK: usize = 3 << 20;

/// True once [`Gpu::name_for_debuggers`] was called. `WGPU_DEBUG=1` asks for the same, but a process cannot safely set its environment.
static NAMED: AtomicBool = AtomicBool::new(false);

fn flags() -> wgpu::InstanceFlags {
    if NAMED.load(Ordering::Relaxed) { wgpu::InstanceFlags::DEBUG } else { wgpu::InstanceFlags::empty() }
}

/// Does a GPU debugger or profiler want names? `WGPU_DEBUG=1` says so, and turns on wgpu's labels too.
pub(super) fn debugs() -> bool {
    flags().with_env().contains(wgpu::InstanceFlags::DEBUG)
}

impl Gpu {
    /// A wgpu instance as the environment (`WGPU_BACKEND`, `WGPU_VALIDATION`, ...) asks for it, without a window system.
    pub fn instance() -> wgpu::Instance {
        Gpu::instance_with(wgpu::InstanceDescriptor::new_without_display_handle())
    }

    /// As [`Gpu::instance`], from a descriptor that knows the display.
    pub fn instance_with(descriptor: wgpu::InstanceDescriptor) -> wgpu::Instance {
        wgpu::Instance::new(
            wgpu::InstanceDescriptor {
                // No OpenGL: it would list every GPU once more. [`Gpu::adapters`] tries it where nothing else is found.
                backends: wgpu::Backends::PRIMARY,
                // The same in debug and release builds; WGPU_VALIDATION=1 turns the validation layers on.
                flags: flags(),
                ..descriptor
            }
            .with_env(),
        )
    }

    /// Make the instances and pipelines of this process from now on as `WGPU_DEBUG=1` asks for them: with labels, and with names and line
    /// numbers in shaders. To be called before [`Gpu::open`].
    pub fn name_for_debuggers() {
        NAMED.store(true, Ordering::Relaxed);
    }

    /// Open the chosen adapter without a window system. Blocks until the driver has made the device.
    ///
    /// # Errors
    /// No such adapter, or one that cannot be used; the message says why and what to do.
    pub fn open(choice: &AdapterChoice) -> Result<Gpu, GpuError> {
        Gpu::check_room()?;
        pollster::block_on(Gpu::open_one(Gpu::adapters(), choice))
    }

    /// Is there enough address space for drivers? They end the program if one of their allocations or threads fails.
    ///
    /// # Errors
    /// A limit of the process on its address space that leaves too little.
    pub fn check_room() -> Result<(), GpuError> {
        let needed = DRIVERS + PER_CORE * std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
        let Some(left) = memory::address_space().filter(|left| *left < needed) else { return Ok(()) };
        let [needed, left] = [needed, left].map(|bytes| bytes >> 20);
        Err(GpuError::Device(format!(
            "its drivers need {needed} MiB of address space, and limits of the process (ulimit -v) leave {left} MiB"
        )))
    }

    /// As [`Gpu::open`], to be awaited. In a browser this is the only way to open a device. Elsewhere it blocks while the device is asked
    /// how it rounds, as [`Gpu::from_device`] says.
    ///
    /// # Errors
    /// As [`Gpu::open`].
    pub async fn open_async(choice: &AdapterChoice) -> Result<Gpu, GpuError> {
        Gpu::open_one(adapters::found(&Gpu::instance()).await, choice).await
    }

    /// All adapters, best first; adapters of OpenGL only where there are no others. Blocks until drivers have answered.
    pub fn adapters() -> Vec<AdapterReport> {
        let reports = adapters::adapters(&Gpu::instance());
        if !reports.is_empty() || wgpu::Backends::from_env().is_some() {
            return reports;
        }
        let descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        let gl = wgpu::InstanceDescriptor { backends: wgpu::Backends::GL, ..descriptor };
        adapters::adapters(&wgpu::Instance::new(gl))
    }

    /// Open the chosen adapter of an instance, for example one that a window's surface belongs to. Blocks as [`Gpu::open`] does.
    ///
    /// # Errors
    /// As [`Gpu::open`].
    pub fn open_on(instance: &wgpu::Instance, choice: &AdapterChoice) -> Result<Gpu, GpuError> {
        pollster::block_on(Gpu::open_one(adapters::adapters(instance), choice))
    }

    async fn open_one(reports: Vec<AdapterReport>, choice: &AdapterChoice) -> Result<Gpu, GpuError> {
        let AdapterReport { adapter, limits, features, .. } = adapters::choose(reports, choice)?;
        let wanted = wgpu::Features::PASSTHROUGH_SHADERS | wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::SUBGROUP;
        let least = fault::should_fail("limits", "the device has WebGPU's default limits");
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("steerling"),
            required_features: features & wanted,
            required_limits: if least { wgpu::Limits::default() } else { most_limits(&limits) },
            // A world is a few large buffers. With other hints small buffers share blocks of 256 MiB, and uploads keep one of 64 MiB for
            // good.
            memory_hints: wgpu::MemoryHints::MemoryUsage,
            ..Default::default()
        });
        let (device, queue) = request.await.map_err(|e| GpuError::Device(e.to_string()))?;
        let gpu = Gpu { has_most_limits: true, ..Gpu::from_device(device, queue) };
        let stray = Arc::clone(&gpu.stray);
        gpu.device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| record(&stray, error.to_string())));
        Ok(gpu)
    }

    /// Use the caller's own device. To get exact results on Vulkan it needs the feature `PASSTHROUGH_SHADERS`; to have more than some 8
    /// million agents, the limits that [`Gpu::required_limits`] gives. With that feature a GPU is asked how it rounds: this compiles two
    /// small shaders and waits at most half a minute for the result of each. A driver that cannot keep subnormal numbers may refuse one of
    /// them; then the device is not exact.
    ///
    /// An error in a call of this library is returned by that call and reported nowhere else. The caller keeps the handler for uncaptured
    /// errors, which receives only the errors of the caller's own calls. The handler for the loss of the device is replaced, because a
    /// lost device ends everything that runs on it. Make one [`Gpu`] per device and clone it: a second one would take this handler away
    /// from the first, which then does not learn that the device was lost.
    pub fn from_device(device: wgpu::Device, queue: wgpu::Queue) -> Gpu {
        let gpu = Gpu::unprobed(device, queue);
        let failure = Arc::clone(&gpu.failure);
        // A lost device silently drops what is submitted to it: this callback is the only notice.
        gpu.device.set_device_lost_callback(move |reason, message| {
            let destroyed = reason == wgpu::DeviceLostReason::Destroyed;
            let why = if destroyed { "it was destroyed" } else { message.as_str() };
            record(&failure, format!("device lost: {why}"));
        });
        gpu.probed()
    }

    /// As [`Gpu::from_device`], but the caller also keeps the handler for the loss of the device. Pass what that handler receives to
    /// [`Gpu::report`].
    pub fn from_device_with_own_handlers(device: wgpu::Device, queue: wgpu::Queue) -> Gpu {
        Gpu::unprobed(device, queue).probed()
    }

    /// Find out how the device rounds, and so whether it is exact.
    fn probed(mut self) -> Gpu {
        let vulkan = self.info.backend == wgpu::Backend::Vulkan;
        let loads = vulkan && self.device.features().contains(wgpu::Features::PASSTHROUGH_SHADERS);
        self.float = match self.software() {
            _ if !loads => None,
            // Drivers that compute on the CPU divide as the CPU does. (SwiftShader flushes subnormal numbers to 0, but only scenes drawn
            // at random, with parameters at the ends of their ranges, have produced any.)
            true => Some(Float::AsWritten),
            false => probe::float(&self.device, &self.queue),
        };
        self.exact = self.float.is_some();
        self
    }

    fn unprobed(device: wgpu::Device, queue: wgpu::Queue) -> Gpu {
        let info = device.adapter_info();
        let texture_loads = prefers_texture(&info);
        Gpu {
            device,
            queue,
            info,
            exact: false,
            float: None,
            texture_loads,
            has_most_limits: false,
            failure: Arc::default(),
            stray: Arc::default(),
            unanswered: Arc::default(),
            transferred: Arc::default(),
            finder: Arc::default(),
            walls: Arc::default(),
            ways: Arc::default(),
            crowding: Arc::default(),
            compiled: Arc::default(),
        }
    }

    /// A texture with this many rows of texels, four words each, for data that stages only read.
    pub(super) fn texels(&self, label: &'static str, rows: u32) -> wgpu::Texture {
        let bound = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::STORAGE_BINDING;
        let usage = bound | wgpu::TextureUsages::COPY_DST | wgpu::TextureUsages::COPY_SRC;
        texture(&self.device, label, [TEXELS_PER_ROW, rows], 1, wgpu::TextureFormat::Rgba32Uint, usage)
    }

    /// Record that the device cannot be used any more, for example when the caller's own handler was told of its loss. From then on every
    /// step of every simulation on it returns this error.
    pub fn report(&self, failure: impl std::fmt::Display) {
        record(&self.failure, failure.to_string());
    }

    /// Is `other` a clone of this? wgpu's own comparison takes devices of two instances for equal.
    pub(super) fn same_as(&self, other: &Gpu) -> bool {
        Arc::ptr_eq(&self.failure, &other.failure)
    }

    /// Is this an adapter that computes on the CPU?
    pub fn software(&self) -> bool {
        super::limits::software(&self.info)
    }

    /// A limit of this device that a scene exceeds.
    pub(super) fn of_limits(&self, error: GpuError) -> GpuError {
        if self.has_most_limits { error.of_adapter() } else { error }
    }

    /// Name, backend and driver in one line.
    pub fn title(&self) -> String {
        adapters::title(&self.info)
    }

    /// Block until everything submitted so far is done. In a browser blocking is impossible, and this returns at once.
    ///
    /// # Errors
    /// A device that does not answer, and the errors of [`Gpu::check`].
    pub fn wait(&self) -> Result<(), GpuError> {
        self.wait_for(None)?;
        self.check()
    }

    /// Block until this submission is done, or with `None` all of them. Errors of other calls are not reported.
    pub(crate) fn wait_for(&self, submission_index: Option<wgpu::SubmissionIndex>) -> Result<(), GpuError> {
        if fault::should_fail("gpu", "wait") {
            self.report("a fault that a test asked for");
        }
        let polled = self.device.poll(wgpu::PollType::Wait { submission_index, timeout: Some(TIMEOUT) });
        polled.map_err(|e| GpuError::Lost(e.to_string()))?;
        self.alive()
    }

    /// Return an error if the device is lost, or if a call that is not this library's failed on a device that the library opened. After
    /// the latter simulations go on.
    ///
    /// # Errors
    /// The first such failure.
    pub fn check(&self) -> Result<(), GpuError> {
        self.alive()?;
        first(&self.stray, GpuError::Device)
    }

    /// Return the failure after which the device cannot be used any more, if there was one.
    pub(crate) fn alive(&self) -> Result<(), GpuError> {
        first(&self.failure, GpuError::Lost)
    }

    /// Bytes copied between host and device so far. A step adds none, except where ways to goals heed crowds (`map.crowding`).
    pub fn transferred(&self) -> u64 {
        self.transferred.load(Ordering::Relaxed)
    }

    /// Add to [`Gpu::transferred`].
    pub(super) fn count_transfer(&self, bytes: u64) {
        self.transferred.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Write bytes to a buffer, from byte `first` on, in chunks of [`MAX_TRANSFER_CHUNK`].
    pub(crate) fn upload(&self, buffer: &wgpu::Buffer, first: u64, bytes: &[u8]) -> Result<(), GpuError> {
        self.count_transfer(bytes.len() as u64);
        self.caught(|| {
            for (part, bytes) in (0..).zip(bytes.chunks(MAX_TRANSFER_CHUNK)) {
                if part > 0 {
                    // Earlier chunks take memory until they are submitted and done. If the device is lost, the next call that waits
                    // reports it.
                    self.queue.submit([]);
                    let _ = self.device.poll(wgpu::PollType::Wait { submission_index: None, timeout: Some(TIMEOUT) });
                }
                self.queue.write_buffer(buffer, first + part * MAX_TRANSFER_CHUNK as u64, bytes);
            }
        })
    }

    /// Create resources on the device: as [`Gpu::caught`], with a point at which tests inject a fault.
    pub(crate) fn guarded<T>(&self, make: impl FnOnce() -> T) -> Result<T, GpuError> {
        if fault::should_fail("gpu", "make") {
            return Err(GpuError::Device("a fault that a test asked for".to_owned()));
        }
        self.caught(make)
    }

    /// Run `work`, and return the first error that the device reports of it. Handlers for uncaptured errors receive none of these, and
    /// errors of other threads are not included. A browser reports errors later: see [`Gpu::answered`].
    pub(crate) fn caught<T>(&self, work: impl FnOnce() -> T) -> Result<T, GpuError> {
        let (done, mut answer) = scoped(&self.device, work);
        match answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Some(error)) => {
                // A lost device refuses everything: let it report the loss, and return that.
                let _ = self.device.poll(wgpu::PollType::Poll);
                return Err(self.alive().err().unwrap_or(GpuError::Device(error.to_string())));
            }
            Poll::Ready(None) => {}
            Poll::Pending => lock(&self.unanswered.0).push(answer),
        }
        Ok(done)
    }

    /// Wait for the error scopes that the device had not answered when [`Gpu::caught`] returned, as in a browser.
    ///
    /// # Errors
    /// The first error that the device reports.
    pub(super) async fn answered(&self) -> Result<(), GpuError> {
        let answers = std::mem::take(&mut *lock(&self.unanswered.0));
        for answer in answers {
            if let Some(error) = answer.await {
                return Err(GpuError::Device(error.to_string()));
            }
        }
        Ok(())
    }
}

/// The limits to request of an adapter: the defaults, and the adapter's own where more makes worlds larger or steps faster.
pub(super) fn most_limits(limits: &wgpu::Limits) -> wgpu::Limits {
    wgpu::Limits {
        // The largest number of agents depends on these.
        max_storage_buffer_binding_size: limits.max_storage_buffer_binding_size,
        max_buffer_size: limits.max_buffer_size,
        max_texture_dimension_2d: limits.max_texture_dimension_2d,
        // WebGPU's eight are enough if sorted agents are loaded from a texture. More allow fused passes, and let GPUs load from buffers.
        max_storage_buffers_per_shader_stage: limits.max_storage_buffers_per_shader_stage.min(MOST_BINDINGS),
        ..wgpu::Limits::default().or_worse_values_from(limits)
    }
}

/// Is it faster to load sorted agents from a texture? For llvmpipe by far, for SwiftShader the other way around.
pub(super) fn prefers_texture(info: &wgpu::AdapterInfo) -> Option<bool> {
    // By name, because OpenGL does not report a driver.
    info.name.starts_with("llvmpipe").then_some(true)
}

fn first(failure: &Mutex<Option<String>>, error: fn(String) -> GpuError) -> Result<(), GpuError> {
    match &*lock(failure) {
        Some(message) => Err(error(message.clone())),
        None => Ok(()),
    }
}

/// Keep the first failure.
fn record(failure: &Mutex<Option<String>>, message: String) {
    lock(failure).get_or_insert(message);
}
