//! The picture within the window.

use super::canvas::Sketch;
use super::gui::Gui;
use super::session::Session;
use steerling::gpu::{Gpu, GpuError};
use steerling::render::{Renderer, View};
use steerling::scene::Scene;

/// What draws the picture, and how.
pub struct Picture {
    renderer: Renderer,
    sketch: Sketch,
    format: wgpu::TextureFormat,
    /// Width and height, px, from the upper left corner of the window.
    pub size: (u32, u32),
    /// Is it drawn at half resolution while the scene runs?
    pub half: bool,
}

impl Picture {
    /// A picture of a scene; where the CPU computes, at half resolution at first.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat, scene: &Scene, size: (u32, u32)) -> Result<Picture, GpuError> {
        let mut renderer = Renderer::new(gpu, format, scene)?;
        renderer.set_beside(Gui::ground(format));
        Ok(Picture { renderer, sketch: Sketch::new(gpu, format), format, size, half: gpu.software() })
    }

    /// Show another scene, or other values of it.
    pub fn set_scene(&mut self, scene: &Scene) -> Result<(), GpuError> {
        self.renderer.set_scene(scene)
    }

    /// Record the picture of a session into the window's texture, which has this size.
    pub fn draw(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        window: (u32, u32),
        session: &Session,
        view: &View,
    ) {
        let simulation = session.simulation();
        let gpu = simulation.gpu();
        self.renderer.set_errors(session.errors());
        // At rest there is time for all pixels.
        if self.half && !session.paused() {
            let halved = (self.size.0.div_ceil(2), self.size.1.div_ceil(2));
            let small = self.sketch.view(gpu, self.format, window);
            self.renderer.set_coarse(2.0);
            self.renderer.draw(encoder, &small, halved, simulation, view);
            self.sketch.enlarge(gpu, encoder, target);
        } else {
            self.renderer.set_coarse(1.0);
            self.renderer.draw(encoder, target, self.size, simulation, view);
        }
    }
}
