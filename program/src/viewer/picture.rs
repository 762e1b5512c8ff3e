//! The picture within the window.

use super::canvas::Sketch;
use super::gui::Gui;
use super::session::Session;
use steerling::gpu::{Gpu, GpuError};
use steerling::render::{Renderer, View};
use steerling::scene::{ColorBy, Scene};

/// What draws the picture, and how.
pub struct Picture {
    renderer: Renderer,
    /// What draws another run beside it, and the scene that it draws.
    other: Option<(Renderer, Scene)>,
    sketch: Sketch,
    format: wgpu::TextureFormat,
    /// Width and height of the picture of one run, px.
    pub size: (u32, u32),
    /// How far it is from the left end of the window, where another run is drawn left of it, px.
    pub place: u32,
    /// Is it drawn at half resolution while the scene runs?
    pub half: bool,
}

impl Picture {
    /// A picture of a scene; where the CPU computes, at half resolution at first.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat, scene: &Scene, size: (u32, u32)) -> Result<Picture, GpuError> {
        let mut renderer = Renderer::new(gpu, format, scene)?;
        renderer.set_beside(Gui::ground(format));
        let sketch = Sketch::new(gpu, format);
        Ok(Picture { renderer, other: None, sketch, format, size, place: 0, half: gpu.software() })
    }

    /// Width and height of all that is drawn, px, from the upper left corner of the window.
    pub fn room(&self) -> (u32, u32) {
        (self.place + self.size.0, self.size.1)
    }

    /// Fill a room of this size, px, with one run or two. Is that another size than before?
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
        // Both are as wide, and at half resolution as well.
        let half = room.0 / 4 * 2;
        let two = self.other.is_some() && half > 0;
        let (place, width) = if two { (half, half) } else { (0, room.0) };
        let before = (self.place, self.size);
        (self.place, self.size) = (place, (width, room.1));
        Ok(before != (self.place, self.size))
    }

    /// Show another scene, or other values of it.
    pub fn set_scene(&mut self, scene: &Scene) -> Result<(), GpuError> {
        self.renderer.set_scene(scene)
    }

    /// Another run is shown: what pictures of the one before left behind is not of it.
    pub fn forget(&mut self) {
        self.renderer.forget();
    }

    /// Record the picture of a session, and of another one where there are two, into the window's texture, which has this size.
    pub fn draw(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        window: (u32, u32),
        (session, other): (&Session, Option<&Session>),
        view: &View,
    ) {
        let gpu = session.simulation().gpu();
        // At rest there is time for all pixels.
        let halves = self.half && !session.paused();
        let small = halves.then(|| self.sketch.view(gpu, self.format, window));
        let coarse = if halves { 2 } else { 1 };
        let size = (self.size.0.div_ceil(coarse), self.size.1.div_ceil(coarse));
        self.renderer.set_corner((self.place / coarse, 0));
        // The left one clears what is around both.
        let left = self.other.as_mut().map(|(renderer, _)| renderer).zip(other);
        for (renderer, own) in left.into_iter().chain([(&mut self.renderer, session)]) {
            // One legend for both.
            renderer.set_scale((!std::ptr::eq(own, session)).then(|| session.scene()));
            // How far the two are apart is known of the shown one, and the same of both.
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
