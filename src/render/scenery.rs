//! Draws obstacles, paths, the surface and the fixed targets of a scene. A scene without them pays nothing.

use super::pipelines::Pipelines;
use super::shapes::Shapes;
use crate::gpu::Gpu;
use crate::gpu::resources::{filled, group};

/// The shapes of a scene's scenery on the GPU. Shapes at rest are uploaded once per scene, not for each picture.
#[derive(Debug)]
pub struct SceneryLayer {
    vertices: wgpu::Buffer,
    strokes: wgpu::Buffer,
    counts: (u32, u32),
}

impl SceneryLayer {
    /// Upload these shapes; `None` if there are none.
    pub fn new(gpu: &Gpu, shapes: &Shapes) -> Option<SceneryLayer> {
        if shapes.fills.is_empty() && shapes.strokes.is_empty() {
            return None;
        }
        let buffer = |label, contents: &[u8]| {
            // An empty buffer cannot be bound.
            let contents = if contents.is_empty() { &[0; 64] } else { contents };
            filled(&gpu.device, label, contents, wgpu::BufferUsages::STORAGE)
        };
        Some(SceneryLayer {
            vertices: buffer("scenery faces", bytemuck::cast_slice(&shapes.fills)),
            strokes: buffer("scenery lines", bytemuck::cast_slice(&shapes.strokes)),
            counts: (shapes.fills.len() as u32, shapes.strokes.len() as u32),
        })
    }

    /// Draw faces, then lines, once for each copy of the world.
    pub fn draw(
        &self,
        gpu: &Gpu,
        pass: &mut wgpu::RenderPass<'_>,
        pipelines: &Pipelines,
        frame: &wgpu::Buffer,
        copies: u32,
    ) {
        let bind = |label, buffer: &wgpu::Buffer| {
            let bound = [frame, buffer].map(wgpu::Buffer::as_entire_binding);
            group(&gpu.device, label, &pipelines.scenery_layout, bound)
        };
        let (vertices, strokes) = self.counts;
        if vertices > 0 {
            pass.set_pipeline(&pipelines.fill);
            pass.set_bind_group(0, &bind("scenery faces", &self.vertices), &[]);
            pass.draw(0..vertices, 0..copies);
        }
        if strokes > 0 {
            pass.set_pipeline(&pipelines.stroke);
            pass.set_bind_group(0, &bind("scenery lines", &self.strokes), &[]);
            pass.draw(0..6, 0..strokes * copies);
        }
    }
}
