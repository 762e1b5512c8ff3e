//! The window's surface: creation, resizing, loss, and presentation.

use super::ViewerError;
use std::sync::Arc;
use std::time::Duration;
use steerling::gpu::{self, AdapterChoice, AdapterReport, Gpu, GpuError};
use wgpu::CurrentSurfaceTexture as Current;
use winit::event_loop::OwnedDisplayHandle;
use winit::window::Window;

/// The longest time that a frame may take on the GPU; after it the device counts as failed.
const TIMEOUT: Duration = Duration::from_secs(300);
/// The number of frames in a row that may get no texture before the window counts as failed.
const PATIENCE: u32 = 100;

/// What a window is drawn into.
pub struct Canvas {
    instance: wgpu::Instance,
    gpu: Gpu,
    surface: Option<wgpu::Surface<'static>>,
    config: wgpu::SurfaceConfiguration,
    /// Does the surface still have to be configured with `config`?
    stale: bool,
    failures: u32,
    submitted: Option<wgpu::SubmissionIndex>,
}

impl Canvas {
    /// A surface of the window, and the chosen adapter that can draw into it.
    pub fn new(
        display: &OwnedDisplayHandle,
        window: &Arc<Window>,
        choice: &AdapterChoice,
    ) -> Result<Canvas, ViewerError> {
        let descriptor = || wgpu::InstanceDescriptor::new_with_display_handle(Box::new(display.clone()));
        let first = Canvas::on(Gpu::instance_with(descriptor()), window, choice);
        match first {
            // Some windows can only be drawn into by OpenGL.
            Err(ViewerError::NoWindow(_) | ViewerError::Gpu(GpuError::NoAdapter { unknown_choice: false, .. }))
                if wgpu::Backends::from_env().is_none() =>
            {
                let (backends, flags) = (wgpu::Backends::GL, wgpu::InstanceFlags::empty());
                let gl = wgpu::InstanceDescriptor { backends, flags, ..descriptor() };
                Canvas::on(wgpu::Instance::new(gl), window, choice).or(first)
            }
            result => result,
        }
    }

    fn on(instance: wgpu::Instance, window: &Arc<Window>, choice: &AdapterChoice) -> Result<Canvas, ViewerError> {
        let surface = create_surface(&instance, window)?;
        let reports = gpu::adapters(&instance);
        gpu::check_usable(&reports)?;
        let formats = |report: &AdapterReport| surface.get_capabilities(&report.adapter).formats;
        let choice = match choice {
            AdapterChoice::Best => {
                let best = reports.iter().position(|r| r.refusals.is_empty() && !formats(r).is_empty());
                let none = || ViewerError::NoWindow("no adapter can draw into it".to_owned());
                AdapterChoice::Index(best.ok_or_else(none)?)
            }
            choice => choice.clone(),
        };
        let gpu = Gpu::open_on(&instance, &choice)?;
        let Some(formats) = reports.iter().find(|report| report.info == gpu.info).map(formats) else {
            return Err(GpuError::Device(format!("{} has vanished", gpu.info.name)).into());
        };
        // The user interface expects blending of sRGB values as they are, so prefer a format without sRGB conversion.
        let plain = formats.iter().find(|format| !format.is_srgb());
        let Some(format) = plain.or(formats.first()).copied() else {
            return Err(ViewerError::NoWindow(format!("{} cannot draw into this window", gpu.title())));
        };
        let config = wgpu::SurfaceConfiguration {
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
            format,
            color_space: wgpu::SurfaceColorSpace::Auto,
            width: 1,
            height: 1,
            present_mode: wgpu::PresentMode::AutoVsync,
            desired_maximum_frame_latency: 2,
            alpha_mode: wgpu::CompositeAlphaMode::Auto,
            view_formats: Vec::new(),
        };
        let surface = Some(surface);
        let mut canvas = Canvas { instance, gpu, surface, config, stale: true, failures: 0, submitted: None };
        canvas.resize(window.inner_size().into());
        Ok(canvas)
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Format of the surface.
    pub fn format(&self) -> wgpu::TextureFormat {
        self.config.format
    }

    /// Set the size of the window, px.
    pub fn resize(&mut self, (width, height): (u32, u32)) {
        let most = self.gpu.device.limits().max_texture_dimension_2d;
        (self.config.width, self.config.height) = (width.min(most), height.min(most));
        self.stale = true;
    }

    /// Drop the surface, because the window system takes it away or a new canvas is made.
    pub fn suspend(&mut self) {
        self.surface = None;
    }

    /// Create the surface again, if there is none.
    pub fn resume(&mut self, window: &Arc<Window>) -> Result<(), ViewerError> {
        if self.surface.is_none() {
            self.surface = Some(create_surface(&self.instance, window)?);
            self.resize(window.inner_size().into());
        }
        Ok(())
    }

    /// The texture of the next frame; `None` if the window cannot be drawn into right now: try again a little later.
    pub fn acquire(&mut self, window: &Arc<Window>) -> Result<Option<wgpu::SurfaceTexture>, ViewerError> {
        let Some(surface) = self.surface.as_ref().filter(|_| self.config.width * self.config.height > 0) else {
            return Ok(None);
        };
        // The window may change between two calls, so a validation error of the surface is no failure of the device.
        let scope = self.gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
        if self.stale {
            surface.configure(&self.gpu.device, &self.config);
            self.stale = false;
        }
        let current = surface.get_current_texture();
        let complaint = pollster::block_on(scope.pop());
        let (texture, why) = match current {
            Current::Success(texture) => (Some(texture), None),
            Current::Suboptimal(texture) => {
                self.stale = true;
                (Some(texture), None)
            }
            // The window is hidden, or an earlier frame is not shown yet.
            Current::Timeout | Current::Occluded => return Ok(None),
            Current::Outdated => (None, Some("outdated")),
            Current::Lost => {
                self.surface = None;
                self.surface = Some(create_surface(&self.instance, window)?);
                (None, Some("lost"))
            }
            Current::Validation => (None, Some("invalid")),
        };
        let Some(why) = why else {
            self.failures = 0;
            return Ok(texture);
        };
        self.resize(window.inner_size().into());
        self.failures += 1;
        tracing::debug!("the surface is {why}: {complaint:?}");
        match (self.failures > PATIENCE, complaint) {
            (false, _) => Ok(None),
            (true, Some(error)) => Err(ViewerError::Window(error.to_string())),
            (true, None) => Err(ViewerError::Window(format!("its surface stays {why}"))),
        }
    }

    /// Submit the commands, and show the texture. Waits for the frame before, so that at most two are under way.
    pub fn present(
        &mut self,
        commands: impl IntoIterator<Item = wgpu::CommandBuffer>,
        texture: wgpu::SurfaceTexture,
    ) -> Result<(), GpuError> {
        if let Some(submission_index) = self.submitted.take() {
            let wait = wgpu::PollType::Wait { submission_index: Some(submission_index), timeout: Some(TIMEOUT) };
            self.gpu.device.poll(wait).map_err(|error| GpuError::Device(error.to_string()))?;
        }
        self.submitted = Some(self.gpu.queue.submit(commands));
        self.gpu.queue.present(texture);
        self.gpu.check()
    }
}

/// A texture of half the window's width and height, for a picture that is drawn at half resolution and enlarged.
pub struct Sketch {
    blitter: wgpu::util::TextureBlitter,
    target: Option<((u32, u32), wgpu::TextureView)>,
}

impl Sketch {
    /// A sketch for targets of this format.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Sketch {
        let builder = wgpu::util::TextureBlitterBuilder::new(&gpu.device, format);
        Sketch { blitter: builder.sample_type(wgpu::FilterMode::Linear).build(), target: None }
    }

    /// The view to draw into, for a window of this size, px: of half its width and height. Made again when the size changes.
    pub fn view(&mut self, gpu: &Gpu, format: wgpu::TextureFormat, window: (u32, u32)) -> wgpu::TextureView {
        let size = (window.0.div_ceil(2), window.1.div_ceil(2));
        let made = self.target.take().filter(|(made, _)| *made == size).unwrap_or_else(|| {
            let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some("sketch"),
                size: wgpu::Extent3d { width: size.0, height: size.1, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
                view_formats: &[],
            });
            (size, texture.create_view(&Default::default()))
        });
        self.target.insert(made).1.clone()
    }

    /// Draw the texture over the whole target, enlarged with linear filtering.
    pub fn enlarge(&self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, target: &wgpu::TextureView) {
        if let Some((_, view)) = &self.target {
            self.blitter.copy(&gpu.device, encoder, view, target);
        }
    }
}

fn create_surface(instance: &wgpu::Instance, window: &Arc<Window>) -> Result<wgpu::Surface<'static>, ViewerError> {
    let surface = instance.create_surface(Arc::clone(window));
    surface.map_err(|error| ViewerError::NoWindow(format!("no surface to draw into: {error}")))
}
