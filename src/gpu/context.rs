//! A device, its queue, and what they promise.

use super::adapters::{self, AdapterChoice, AdapterReport};
use super::compiled::Compiled;
use super::error::GpuError;
use super::find::Finder;
use super::precise::Float;
use super::probe;
use super::resources::texture;
use crate::model::texels::TEXELS_PER_ROW;
use crate::{fault, memory};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, atomic::AtomicBool, atomic::AtomicU64, atomic::Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Longest wait for one submission; a driver that takes longer is taken for dead.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Address space that drivers take while they are opened and compile, and for each of the threads that they start, bytes: 850 MB were
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
    /// True where shaders are loaded as SPIR-V with NoContraction, and floats are rounded as IEEE 754 says, so that results can be
    /// compared to the bit.
    pub exact: bool,
    /// How floats are written for it, where it is exact.
    pub(super) float: Option<Float>,
    /// Are sorted agents loaded from a texture (`shaders/common/sorted.wgsl`) or from buffers? `None`: from buffers, if the device
    /// binds as many as a scene needs, and else from a texture, because that takes none. The results do not depend on it.
    pub texture_loads: Option<bool>,
    /// Why nothing can go on here: the device is lost, does not answer, or its owner reported a failure.
    failure: Failure,
    /// What went wrong in calls that are not this library's, on a device that it opened.
    stray: Failure,
    unanswered: Arc<Unanswered>,
    transferred: Arc<AtomicU64>,
    /// The pipelines that find agents by their ids, made at first use.
    pub(super) finder: Arc<OnceLock<Finder>>,
    /// The passes that find the nearest walls of a map, made at first use.
    pub(super) walls: Arc<OnceLock<[wgpu::ComputePipeline; 2]>>,
    /// The passes that compute ways to goals, made at first use.
    pub(super) ways: Arc<OnceLock<[wgpu::ComputePipeline; 6]>>,
    /// The pass that counts crowds, once ways heed them.
    pub(super) crowding: Arc<OnceLock<[wgpu::ComputePipeline; 1]>>,
    /// Its latest pipelines.
    pub(super) compiled: Arc<Compiled>,
}

/// The first failure of its kind.
type Failure = Arc<Mutex<Option<String>>>;

/// The first error of some calls, if any.
type Answer = Pin<Box<dyn Future<Output = Option<wgpu::Error>> + Send>>;

/// Answers that have yet to come.
#[derive(Default)]
struct Unanswered(Mutex<Vec<Answer>>);

impl std::fmt::Debug for Unanswered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Unanswered")
    }
}

/// Storage buffers that a pass of any scene binds at most, where all agents lie in buffers.
const MOST_BINDINGS: u32 = 24;

/// Most bytes of a buffer that are on their way between host and device at a time: whole vectors of two and of three components.
pub(super) const PART: usize = 3 << 20;

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

    /// Open the chosen adapter without a window system. Blocks until the driver has made the device.
    ///
    /// # Errors
    /// No such adapter, or one that cannot be used; the message says why and what to do.
    pub fn open(choice: &AdapterChoice) -> Result<Gpu, GpuError> {
        Gpu::check_room()?;
        pollster::block_on(Gpu::open_one(Gpu::adapters(), choice))
    }

    /// Is there room for drivers, which end the program where an allocation or a thread of theirs fails?
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

    /// As [`Gpu::open`], to be awaited: in a browser nothing else opens a device. Outside of one it waits for the answer to how the
    /// device rounds, as [`Gpu::from_device`] says.
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
        let least = fault::strikes("limits", "the device has WebGPU's default limits");
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("steerling"),
            required_features: features & wanted,
            required_limits: if least { wgpu::Limits::default() } else { most_limits(&limits) },
            // A world is few large buffers. Otherwise small ones share blocks of 256 MiB, and uploads keep one of 64 MiB for good.
            memory_hints: wgpu::MemoryHints::MemoryUsage,
            ..Default::default()
        });
        let (device, queue) = request.await.map_err(|e| GpuError::Device(e.to_string()))?;
        let gpu = Gpu::from_device(device, queue);
        let stray = Arc::clone(&gpu.stray);
        gpu.device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| record(&stray, error.to_string())));
        Ok(gpu)
    }

    /// Use the caller's own device. To get exact results on Vulkan it needs the feature `PASSTHROUGH_SHADERS`; to have
    /// more than some 8 million agents, the limits that [`Gpu::required_limits`] gives. With that feature a GPU is asked how it
    /// rounds: this compiles two small shaders and waits for their results, half a minute for each at most. A driver that cannot keep
    /// subnormal numbers may refuse one of them; then the device is not exact.
    ///
    /// What goes wrong in a call of this library is returned by that call, and nobody else hears of it; the handler for uncaptured
    /// errors stays the caller's, and so do its errors. Only the handler for the loss of the device is set, and replaces one set
    /// before: a lost device ends all that runs on it.
    pub fn from_device(device: wgpu::Device, queue: wgpu::Queue) -> Gpu {
        let gpu = Gpu::unasked(device, queue);
        let failure = Arc::clone(&gpu.failure);
        // What is submitted to a lost device vanishes in silence: this is the only notice of it.
        gpu.device.set_device_lost_callback(move |reason, message| {
            let destroyed = reason == wgpu::DeviceLostReason::Destroyed;
            let why = if destroyed { "it was destroyed" } else { message.as_str() };
            record(&failure, format!("device lost: {why}"));
        });
        gpu.asked()
    }

    /// As [`Gpu::from_device`], but the handler for the loss of the device stays the caller's too. [`Gpu::report`] takes what it
    /// receives.
    pub fn from_device_with_own_handlers(device: wgpu::Device, queue: wgpu::Queue) -> Gpu {
        Gpu::unasked(device, queue).asked()
    }

    /// Find out how it rounds.
    fn asked(mut self) -> Gpu {
        let vulkan = self.info.backend == wgpu::Backend::Vulkan;
        let loads = vulkan && self.device.features().contains(wgpu::Features::PASSTHROUGH_SHADERS);
        self.float = match self.software() {
            _ if !loads => None,
            // Drivers that compute on the CPU divide as it does. (SwiftShader makes subnormal numbers 0, which only
            // scenes drawn at random have met, with parameters at the ends of their ranges.)
            true => Some(Float::AsWritten),
            false => probe::float(&self.device, &self.queue),
        };
        self.exact = self.float.is_some();
        self
    }

    fn unasked(device: wgpu::Device, queue: wgpu::Queue) -> Gpu {
        let info = device.adapter_info();
        let texture_loads = prefers_texture(&info);
        Gpu {
            device,
            queue,
            info,
            exact: false,
            float: None,
            texture_loads,
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

    /// A texture of so many rows of words, four to a texel, that shaders only read.
    pub(super) fn texels(&self, label: &'static str, rows: u32) -> wgpu::Texture {
        let bound = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::STORAGE_BINDING;
        let usage = bound | wgpu::TextureUsages::COPY_DST | wgpu::TextureUsages::COPY_SRC;
        texture(&self.device, label, [TEXELS_PER_ROW, rows], wgpu::TextureFormat::Rgba32Uint, usage)
    }

    /// Record that the device cannot go on, such as its loss, of which the caller's own handler heard; from then on every step of
    /// every simulation returns it.
    pub fn report(&self, failure: impl std::fmt::Display) {
        record(&self.failure, failure.to_string());
    }

    /// Is the other one a clone of this? wgpu's own comparison takes devices of two instances for equal.
    pub(super) fn same_as(&self, other: &Gpu) -> bool {
        Arc::ptr_eq(&self.failure, &other.failure)
    }

    /// Is this an adapter that computes on the CPU?
    pub fn software(&self) -> bool {
        super::limits::software(&self.info)
    }

    /// Name, backend and driver in one line.
    pub fn title(&self) -> String {
        adapters::title(&self.info)
    }

    /// Block until everything submitted so far is done. In a browser nothing can be waited for, and this returns at once.
    ///
    /// # Errors
    /// A device that does not answer, and what [`Gpu::check`] finds.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.wait_for(None)?;
        self.check()
    }

    /// Block until this submission is done, or all of them; whatever other calls did wrong.
    pub(crate) fn wait_for(&self, submission_index: Option<wgpu::SubmissionIndex>) -> Result<(), GpuError> {
        if fault::strikes("gpu", "wait") {
            self.report("a fault that a test asked for");
        }
        let polled = self.device.poll(wgpu::PollType::Wait { submission_index, timeout: Some(TIMEOUT) });
        polled.map_err(|e| GpuError::Lost(e.to_string()))?;
        self.alive()
    }

    /// Is the device lost, or did calls that are not this library's go wrong on a device that it opened? Simulations go on after the
    /// latter.
    ///
    /// # Errors
    /// The first such failure.
    pub fn check(&self) -> Result<(), GpuError> {
        self.alive()?;
        first(&self.stray, GpuError::Device)
    }

    /// Can anything go on here?
    pub(crate) fn alive(&self) -> Result<(), GpuError> {
        first(&self.failure, GpuError::Lost)
    }

    /// Bytes copied between host and device so far. A step copies none.
    pub fn transferred(&self) -> u64 {
        self.transferred.load(Ordering::Relaxed)
    }

    /// Count bytes that are copied between host and device.
    pub(super) fn count_transfer(&self, bytes: u64) {
        self.transferred.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Write to a buffer.
    pub(crate) fn upload(&self, buffer: &wgpu::Buffer, first: u64, bytes: &[u8]) -> Result<(), GpuError> {
        self.count_transfer(bytes.len() as u64);
        self.caught(|| {
            for (part, bytes) in (0..).zip(bytes.chunks(PART)) {
                if part > 0 {
                    // What was written before takes memory until it is submitted and done. The next call that waits reports a lost device.
                    self.queue.submit([]);
                    let _ = self.device.poll(wgpu::PollType::Wait { submission_index: None, timeout: Some(TIMEOUT) });
                }
                self.queue.write_buffer(buffer, first + part * PART as u64, bytes);
            }
        })
    }

    /// Make something on the device, or say why it cannot be made.
    pub(crate) fn guarded<T>(&self, make: impl FnOnce() -> T) -> Result<T, GpuError> {
        if fault::strikes("gpu", "make") {
            return Err(GpuError::Device("a fault that a test asked for".to_owned()));
        }
        self.caught(make)
    }

    /// Do this, or say what the device refused of it. Handlers for uncaptured errors receive nothing of it, and what other threads do
    /// wrong meanwhile is theirs. A browser answers later: see [`Gpu::answered`].
    pub(crate) fn caught<T>(&self, work: impl FnOnce() -> T) -> Result<T, GpuError> {
        let filters = [wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Validation, wgpu::ErrorFilter::Internal];
        let scopes = filters.map(|filter| self.device.push_error_scope(filter));
        let done = work();
        let mut answer = answer_of(scopes);
        match answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Some(error)) => {
                // Of a device that is lost all is refused.
                let _ = self.device.poll(wgpu::PollType::Poll);
                return Err(self.alive().err().unwrap_or(GpuError::Device(error.to_string())));
            }
            Poll::Ready(None) => {}
            Poll::Pending => self.unanswered.0.lock().unwrap_or_else(PoisonError::into_inner).push(answer),
        }
        Ok(done)
    }

    /// What the device refused of calls that it had not answered when they returned, as in a browser.
    ///
    /// # Errors
    /// The first that it refused.
    pub(super) async fn answered(&self) -> Result<(), GpuError> {
        let answers = std::mem::take(&mut *self.unanswered.0.lock().unwrap_or_else(PoisonError::into_inner));
        for answer in answers {
            if let Some(error) = answer.await {
                return Err(GpuError::Device(error.to_string()));
            }
        }
        Ok(())
    }
}

/// What to request of an adapter: the default limits, and the adapter's own where more makes worlds larger or steps faster.
pub(super) fn most_limits(limits: &wgpu::Limits) -> wgpu::Limits {
    wgpu::Limits {
        // The number of agents depends on them.
        max_storage_buffer_binding_size: limits.max_storage_buffer_binding_size,
        max_buffer_size: limits.max_buffer_size,
        max_texture_dimension_2d: limits.max_texture_dimension_2d,
        // The eight of WebGPU are enough where sorted agents are loaded from a texture. With these a pass may stand for several, and
        // GPUs load from buffers.
        max_storage_buffers_per_shader_stage: limits.max_storage_buffers_per_shader_stage.min(MOST_BINDINGS),
        ..wgpu::Limits::default().or_worse_values_from(limits)
    }
}

/// Is it faster to load sorted agents from a texture? For llvmpipe by far, for SwiftShader the other way around.
pub(super) fn prefers_texture(info: &wgpu::AdapterInfo) -> Option<bool> {
    // OpenGL names no driver.
    info.name.starts_with("llvmpipe").then_some(true)
}

fn first(failure: &Mutex<Option<String>>, error: fn(String) -> GpuError) -> Result<(), GpuError> {
    match &*failure.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(message) => Err(error(message.clone())),
        None => Ok(()),
    }
}

fn answer_of(scopes: [wgpu::ErrorScopeGuard; 3]) -> Answer {
    // The scope that was pushed last is popped first.
    let heard: Vec<_> = scopes.into_iter().rev().map(wgpu::ErrorScopeGuard::pop).collect();
    Box::pin(async move {
        let mut first = None;
        for heard in heard {
            first = first.or(heard.await);
        }
        first
    })
}

/// Keep the first failure.
fn record(failure: &Mutex<Option<String>>, message: String) {
    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(message);
}
