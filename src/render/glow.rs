//! The afterglow: light that a picture leaves for the pictures after it.

use super::View;
use super::targets::LIGHT;
use crate::gpu::resources::texture;

/// The afterglow of one tile.
#[derive(Debug)]
pub struct Glow {
    /// The afterglow before the step of the latest picture.
    pub before: Layer,
    /// The afterglow that the latest picture leaves.
    pub now: Layer,
    /// The share of `before` that is left in `now`.
    pub share: f32,
    steps: u64,
    view: View,
    place: TilePlace,
}

/// A tile of a picture (x, y, width, height), and the size of the picture, px.
#[derive(Debug, Clone, Copy)]
pub struct TilePlace {
    pub picture: (u32, u32),
    pub tile: [u32; 4],
}

impl TilePlace {
    /// Is it the same part of a picture with the same aspect ratio, whatever the size? Equal within one pixel, because sizes are
    /// whole pixels.
    fn is_like(&self, other: &TilePlace) -> bool {
        let equal = |one: (u32, u32), other: (u32, u32)| {
            let [one, other] = [one, other].map(|(long, of)| (u64::from(long), u64::from(of)));
            (one.0 * other.1).abs_diff(other.0 * one.1) <= one.1.max(other.1)
        };
        let ([x, y, width, height], [left, top, wide, high]) = (self.tile, other.tile);
        let ((w, h), (of_w, of_h)) = (self.picture, other.picture);
        let across = [(x, left), (width, wide), (h, of_h)].iter().all(|(one, other)| equal((*one, w), (*other, of_w)));
        across && [(y, top), (height, high)].iter().all(|(one, other)| equal((*one, h), (*other, of_h)))
    }

    fn size(&self) -> (u32, u32) {
        (self.tile[2], self.tile[3])
    }
}

/// A texture, and its size, px.
#[derive(Debug, Clone)]
pub struct Layer {
    pub view: wgpu::TextureView,
    size: (u32, u32),
}

impl Layer {
    /// An empty layer.
    fn new(device: &wgpu::Device, size: (u32, u32)) -> Layer {
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING;
        let texture = texture(device, "afterglow", size.into(), 1, LIGHT, usage);
        Layer { view: texture.create_view(&Default::default()), size }
    }
}

impl Glow {
    /// The afterglow for the next picture, after `steps` steps; it is halved every `half_life` steps. A picture of the same step
    /// starts from the same afterglow as the latest one, so drawing it again changes nothing. The afterglow starts anew, because it
    /// would smear, if the latest picture was of a later step, had another aspect ratio, or showed another view of a plane or of the
    /// same step.
    pub fn next(
        latest: Option<Glow>,
        device: &wgpu::Device,
        place: TilePlace,
        (steps, half_life): (u64, f32),
        view: &View,
    ) -> Glow {
        let size = place.size();
        let still =
            |glow: &Glow| place.is_like(&glow.place) && (glow.view == *view || view.spatial() && steps > glow.steps);
        let Some(glow) = latest.filter(|glow| steps >= glow.steps && still(glow)) else {
            let [before, now] = [(1, 1), size].map(|size| Layer::new(device, size));
            return Glow { before, now, share: 0.0, steps, view: *view, place };
        };
        let passed = steps - glow.steps;
        let (before, now, share) = match passed {
            0 => (glow.before, glow.now, glow.share),
            _ => (glow.now, glow.before, (-(passed as f32) / half_life).exp2()),
        };
        let now = if now.size == size { now } else { Layer::new(device, size) };
        Glow { before, now, share, steps, view: *view, place }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture of half the size is like the original, within a pixel; a wider one is not, nor is another tile of a large one.
    #[test]
    fn pictures_of_one_shape_are_alike() {
        let whole = |width, height| TilePlace { picture: (width, height), tile: [0, 0, width, height] };
        let of = |tile| TilePlace { picture: (8192, 4096), tile };
        let first = of([0, 0, 4096, 2048]);
        for (one, other, alike) in [
            (whole(1280, 720), whole(1280, 720), true),
            (whole(1279, 719), whole(640, 360), true),
            (whole(1280, 720), whole(1270, 720), false),
            (whole(1280, 720), whole(1280, 680), false),
            (whole(1280, 720), whole(640, 720), false),
            (first, TilePlace { picture: (4096, 2048), tile: [0, 0, 2048, 1024] }, true),
            (first, whole(4096, 2048), false),
            (first, of([4096, 0, 4096, 2048]), false),
        ] {
            assert_eq!((one.is_like(&other), other.is_like(&one)), (alike, alike), "{one:?} {other:?}");
        }
    }
}
