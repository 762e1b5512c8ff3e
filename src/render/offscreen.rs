//! A render target that needs no window system.

use super::targets::LARGEST;
use super::{Renderer, View};
use crate::gpu::resources::{texture, zeros};
use crate::gpu::{Gpu, GpuError, Simulation};
use crate::memory;

/// Bytes of a row of a texture copy are a multiple of this.
const ROW: u32 = wgpu::COPY_BYTES_PER_ROW_ALIGNMENT;

/// A texture to draw into, and to read back.
#[derive(Debug)]
pub struct Offscreen {
    gpu: Gpu,
    size: (u32, u32),
    texture: wgpu::Texture,
    view: wgpu::TextureView,
    rows: wgpu::Buffer,
}

impl Offscreen {
    /// Format of the texture.
    pub const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;

    /// A texture of this width and height, px.
    ///
    /// # Errors
    /// A size that is zero or larger than the device allows, or too little memory.
    pub fn new(gpu: &Gpu, size: (u32, u32)) -> Result<Offscreen, GpuError> {
        let most = gpu.device.limits().max_texture_dimension_2d;
        let (width, height) = size;
        if width.min(height) == 0 || width.max(height) > most {
            let message = format!("a picture of {width}x{height} px: {} allows 1 to {most} px", gpu.info.name);
            return Err(GpuError::Device(message));
        }
        // On the device: the texture, the buffer of rows, and the layers of a tile. On the host: copies of the rows on
        // their way into a file.
        let pixels = u64::from(width) * u64::from(height);
        let tile = pixels.min(u64::from(LARGEST.0) * u64::from(LARGEST.1));
        let (host, device) = (8 * pixels, 8 * pixels + 64 * tile);
        let needed = host + if gpu.software() { device } else { 0 };
        if let Some(usable) = memory::usable().filter(|usable| needed > *usable) {
            return Err(GpuError::Picture { width, height, needed_mib: needed >> 20, available_mib: usable >> 20 });
        }
        gpu.guarded(|| Offscreen::make(gpu, size))
    }

    fn make(gpu: &Gpu, size: (u32, u32)) -> Offscreen {
        let (width, height) = size;
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
        let texture = texture(&gpu.device, "picture", [width, height], 1, Self::FORMAT, usage);
        let bytes = u64::from((width * 4).next_multiple_of(ROW)) * u64::from(height);
        let rows = zeros(&gpu.device, "rows", bytes, wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST);
        let view = texture.create_view(&Default::default());
        Offscreen { gpu: gpu.clone(), size, texture, view, rows }
    }

    /// Width and height, px.
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    /// The texture view to draw into.
    pub fn view(&self) -> &wgpu::TextureView {
        &self.view
    }

    /// Draw a simulation as this view shows it, without waiting. [`Offscreen::image`] waits.
    pub fn draw(&self, renderer: &mut Renderer, simulation: &Simulation, view: &View) {
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        renderer.draw(&mut encoder, &self.view, self.size, simulation, view);
        self.gpu.queue.submit([encoder.finish()]);
    }

    /// Read back what was drawn.
    ///
    /// # Errors
    /// A device that failed.
    pub fn image(&self) -> Result<image::RgbaImage, GpuError> {
        let (width, height) = self.size;
        let bytes_per_row = (width * 4).next_multiple_of(ROW);
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        encoder.copy_texture_to_buffer(
            self.texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &self.rows,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(bytes_per_row),
                    rows_per_image: None,
                },
            },
            self.texture.size(),
        );
        self.gpu.queue.submit([encoder.finish()]);
        let words = self.gpu.download(&self.rows)?;
        let rows = bytemuck::cast_slice::<u32, u8>(&words).chunks_exact(bytes_per_row as usize);
        let pixels: Vec<u8> = rows.flat_map(|row| &row[..4 * width as usize]).copied().collect();
        Ok(image::RgbaImage::from_raw(width, height, pixels).unwrap_or_default())
    }
}
