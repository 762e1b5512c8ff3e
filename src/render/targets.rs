//! The textures and buffers that a picture is composed in.

use crate::gpu::resources::{texture, zeros};

/// Linear light in floats, so that the light of many agents can be added up.
pub const LIGHT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;
/// Depth, reversed: 1 is near, 0 infinitely far.
pub const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Samples per pixel.
pub const SAMPLES: u32 = 4;
/// Largest tile, px. Larger pictures are composed of tiles: the cover of one is 128 MiB, which every adapter can bind.
pub const LARGEST: (u32, u32) = (4096, 2048);

/// The textures of one tile.
#[derive(Debug)]
pub struct Targets {
    pub size: (u32, u32),
    /// Colors with several samples per pixel.
    pub samples: wgpu::TextureView,
    pub depth: wgpu::TextureView,
    /// The resolved layer of everything that is drawn solid.
    pub solid: wgpu::TextureView,
    /// The cover of agents that are too small to be drawn solid.
    pub cover: wgpu::Buffer,
}

impl Targets {
    /// Make the textures of a tile of this size, px, with `cover_size` bytes of cover.
    pub fn new(device: &wgpu::Device, size: (u32, u32), cover_size: u64) -> Targets {
        let view = |label, sample_count, format, extra| {
            let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | extra;
            texture(device, label, size.into(), sample_count, format, usage).create_view(&Default::default())
        };
        let none = wgpu::TextureUsages::empty();
        let read = wgpu::TextureUsages::TEXTURE_BINDING;
        Targets {
            size,
            samples: view("samples", SAMPLES, LIGHT, none),
            depth: view("depth", SAMPLES, DEPTH, read),
            solid: view("solid layer", 1, LIGHT, read),
            cover: zeros(device, "cover", cover_size, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST),
        }
    }
}

/// Cover a picture with tiles: x, y, width and height, px.
pub fn tiles((width, height): (u32, u32)) -> Vec<[u32; 4]> {
    let row = |y: u32| {
        let tile = move |x: u32| [x, y, LARGEST.0.min(width - x), LARGEST.1.min(height - y)];
        (0..width).step_by(LARGEST.0 as usize).map(tile)
    };
    (0..height).step_by(LARGEST.1 as usize).flat_map(row).collect()
}
