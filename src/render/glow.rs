//! The afterglow: light that a picture leaves for the pictures after it.

use super::View;
use super::targets::LIGHT;
use crate::gpu::resources::texture;

/// What the pictures of one tile leave behind.
#[derive(Debug)]
pub struct Glow {
    /// What was left before the step of the latest picture.
    pub before: Layer,
    /// What that picture leaves.
    pub now: Layer,
    /// How much of what was before is left in it.
    pub share: f32,
    steps: u64,
    view: View,
}

/// A texture, and its size, px.
#[derive(Debug, Clone)]
pub struct Layer {
    pub view: wgpu::TextureView,
    size: (u32, u32),
}

impl Layer {
    /// One that holds nothing.
    fn new(device: &wgpu::Device, size: (u32, u32)) -> Layer {
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING;
        let texture = texture(device, "afterglow", size.into(), LIGHT, usage);
        Layer { view: texture.create_view(&Default::default()), size }
    }
}

impl Glow {
    /// For the next picture, of this size, px, after so many steps. What was left is halved in so many steps. A picture of the same step
    /// begins with what the latest one began with, so drawing it again changes nothing. Nothing is left of a later step, nor of
    /// another view of a plane or of the same step: that would be a smear.
    pub fn next(
        latest: Option<Glow>,
        device: &wgpu::Device,
        size: (u32, u32),
        (steps, half_life): (u64, f32),
        view: &View,
    ) -> Glow {
        let still = |glow: &Glow| glow.view == *view || view.spatial() && steps > glow.steps;
        let Some(glow) = latest.filter(|glow| steps >= glow.steps && still(glow)) else {
            let [before, now] = [(1, 1), size].map(|size| Layer::new(device, size));
            return Glow { before, now, share: 0.0, steps, view: *view };
        };
        let passed = steps - glow.steps;
        let (before, now, share) = match passed {
            0 => (glow.before, glow.now, glow.share),
            _ => (glow.now, glow.before, (-(passed as f32) / half_life).exp2()),
        };
        let now = if now.size == size { now } else { Layer::new(device, size) };
        Glow { before, now, share, steps, view: *view }
    }
}
