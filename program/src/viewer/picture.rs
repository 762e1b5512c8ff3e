//! The picture of one run, or of two side by side, in the window.

use super::canvas::Sketch;
use super::gui::Gui;
use super::session::Session;
use steerling::gpu::{Gpu, GpuError};
use steerling::render::{Renderer, View};
use steerling::scene::{ColorBy, Scene};

/// Draws the picture of the shown run, and of the run beside it.
pub struct Picture {
    renderer: Renderer,
    /// The renderer of the run beside, and the scene that it draws.
    other: Option<(Renderer, Scene)>,
    sketch: Sketch,
    format: wgpu::TextureFormat,
    /// Width and height of the picture of one run, px.
    pub size: (u32, u32),
    /// The x of the shown run's picture in the window, px: 0, or the width of the picture of the run beside, on its left.
    pub left: u32,
    /// Is it drawn at half resolution while the scene runs?
    pub half: bool,
}

impl Picture {
    /// A picture of a scene. On an adapter that computes on the CPU it starts at half resolution.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat, scene: &Scene, size: (u32, u32)) -> Result<Picture, GpuError> {
        let mut renderer = Renderer::new(gpu, format, scene)?;
        renderer.set_beside(Gui::ground(format));
        let sketch = Sketch::new(gpu, format);
        Ok(Picture { renderer, other: None, sketch, format, size, left: 0, half: gpu.software() })
    }

    /// Width and height of all that is drawn, px, from the upper left corner of the window.
    pub fn room(&self) -> (u32, u32) {
        (self.left + self.size.0, self.size.1)
    }

    /// Fit the pictures of one run or two into an area of this size, px. Returns whether size or place changed.
    pub fn fit(&mut self, room: (u32, u32), other: Option<&Session>) -> Result<bool, GpuError> {
        match (other.map(|other| (other.scene(), other.simulation().gpu())), &mut self.other) {
            (None, renderer) => *renderer = None,
            (Some((scene, _)), Some((renderer, drawn))) => {
                if scene != drawn {
                    renderer.set_scene(scene)?;
                    drawn.clone_from(scene);
                }
            }
            (Some((scene, gpu)), none) => {
                let mut renderer = Renderer::new(gpu, self.format, scene)?;
                renderer.set_beside(Gui::ground(self.format));
                *none = Some((renderer, scene.clone()));
            }
        }
        // Both have the same even width, so that they are equal at half resolution, too.
        let half = room.0 / 4 * 2;
        let two = self.other.is_some() && half > 0;
        let (left, width) = if two { (half, half) } else { (0, room.0) };
        let before = (self.left, self.size);
        (self.left, self.size) = (left, (width, room.1));
        Ok(before != (self.left, self.size))
    }

    /// Show another scene, or other values of it.
    pub fn set_scene(&mut self, scene: &Scene) -> Result<(), GpuError> {
        self.renderer.set_scene(scene)
    }

    /// Forget the afterglow of earlier pictures, because another run is shown, or a step that was reached in leaps.
    pub fn forget(&mut self) {
        let both = self.other.iter_mut().map(|(renderer, _)| renderer).chain([&mut self.renderer]);
        both.for_each(Renderer::forget);
    }

    /// Record commands that draw the picture of a session, and of the run beside if given, into the window's texture, which has the size
    /// `window`, px.
    pub fn draw(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        window: (u32, u32),
        (session, other): (&Session, Option<&Session>),
        view: &View,
    ) {
        let gpu = session.simulation().gpu();
        // While paused there is time for full resolution.
        let halves = self.half && !session.paused();
        let small = halves.then(|| self.sketch.view(gpu, self.format, window));
        let coarse = if halves { 2 } else { 1 };
        let size = (self.size.0.div_ceil(coarse), self.size.1.div_ceil(coarse));
        self.renderer.set_corner((self.left / coarse, 0));
        // The left picture is drawn first, because it also clears the area around both.
        let left = self.other.as_mut().map(|(renderer, _)| renderer).zip(other);
        for (renderer, own) in left.into_iter().chain([(&mut self.renderer, session)]) {
            // Both use the color scale of the shown run, since there is one legend.
            renderer.set_scale((!std::ptr::eq(own, session)).then(|| session.scene()));
            // Distances between the two runs are kept by the shown run, and are the same for both.
            let of = if session.scene().look.color == ColorBy::Divergence { session } else { own };
            renderer.set_values(of.values());
            renderer.set_coarse(coarse as f32);
            renderer.draw(encoder, small.as_ref().unwrap_or(target), size, own.simulation(), view);
        }
        if halves {
            self.sketch.enlarge(gpu, encoder, target);
        }
    }
}
