//! The parameter block of a picture, and how a view becomes one. Twin of `shaders/render/frame.wgsl`.

use super::View;
use super::colors::{BACKGROUND, linear};
use crate::scene::Scene;
use bytemuck::{Pod, Zeroable};

/// Field by field the struct `Frame` of `frame.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Frame {
    pub view: [f32; 16],
    pub tile: [f32; 2],
    pub center: [f32; 2],
    pub half_size: [f32; 3],
    pub focal: f32,
    pub background: [f32; 3],
    pub near: f32,
    pub fade_start: f32,
    pub fade_range: f32,
    pub exposure: f32,
    pub perspective: u32,
    pub components: u32,
    pub species_count: u32,
    pub encode: u32,
    pub smallest: f32,
    pub memory_words: u32,
    pub padding: [u32; 3],
}

impl Frame {
    /// The parameters of one tile, x, y, width and height in px, of a picture of this size.
    pub fn new(view: &View, scene: &Scene, size: (u32, u32), tile: [u32; 4], encode: bool) -> Frame {
        let [x, y, width, height] = tile.map(|v| v as f32);
        let distance = view.distance(size);
        let largest = scene.species.iter().map(|s| s.radius).fold(0.0, f32::max);
        let radius = largest * view.pixels_per_unit(size);
        let smallest = smallest(radius);
        Frame {
            view: view.view(size).to_cols_array(),
            tile: [width, height],
            center: [size.0 as f32 * 0.5 - x, size.1 as f32 * 0.5 - y],
            half_size: (scene.world.size * 0.5).to_array(),
            focal: view.focal(size),
            background: linear(BACKGROUND),
            near: if view.spatial() { distance * 1e-3 } else { 0.5 },
            fade_start: distance - view.reach(),
            fade_range: 2.0 * view.reach(),
            exposure: exposure(scene, (radius / radius.max(smallest)).powi(2)),
            perspective: u32::from(view.spatial()),
            components: if scene.world.spatial { 3 } else { 2 },
            species_count: scene.species.len() as u32,
            encode: u32::from(encode),
            smallest,
            memory_words: 0,
            padding: [0; 3],
        }
    }
}

/// Half the length that an agent is drawn at least, px, where the agents' true one is `radius`. Below 1.1, too few samples
/// hit a triangle to show its size. Smaller agents come several to a pixel: their light is spread further, so that they
/// look like a crowd and not like noise.
fn smallest(radius: f32) -> f32 {
    let t = ((radius - 0.3) / 0.6).clamp(0.0, 1.0);
    2.0 + (1.1 - 2.0) * t * t * (3.0 - 2.0 * t)
}

/// Brightness per agent area in a pixel, such that agents spread evenly over the world are dim, and flocks stand out. It
/// depends on the density, so it stays as the camera moves. In nearly empty worlds it ends where a single agent, which
/// gives the light `single`, shines.
fn exposure(scene: &Scene, single: f32) -> f32 {
    let agents: f32 = scene.species.iter().map(|s| s.count as f32 * s.radius * s.radius).sum();
    let size = scene.world.size;
    let mut shown = size.x * size.y;
    if scene.world.spatial {
        // A box shows a quarter of its surface on average, and flight toward the camera and the depth cue take half of
        // the light.
        shown += size.y * size.z + size.z * size.x;
    }
    (EVEN * shown / agents.max(1e-9)).min(BRIGHTEST / single.max(1e-9))
}

/// Light that evenly spread agents give, before the curve of `composite.wgsl`.
const EVEN: f32 = 0.32;
/// The most light that one agent gives a pixel, before that curve.
const BRIGHTEST: f32 = 2.0;
