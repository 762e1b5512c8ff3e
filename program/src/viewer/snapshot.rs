//! The picture of the moment, as a file.

use super::session::Session;
use steerling::gpu::GpuError;
use steerling::render::{Caption, Film, FilmError, Offscreen, Renderer, View};
use steerling::scene::Scene;
use image::RgbaImage;
use std::path::PathBuf;

/// The picture of the moment, without the user interface.
pub fn picture_of(session: &Session, view: &View, size: (u32, u32)) -> Result<RgbaImage, GpuError> {
    let (scene, simulation) = (session.scene(), session.simulation());
    let gpu = simulation.gpu();
    let target = Offscreen::new(gpu, size)?;
    let mut renderer = Renderer::new(gpu, Offscreen::FORMAT, scene)?;
    renderer.set_errors(session.errors());
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    renderer.draw(&mut encoder, target.view(), size, simulation, view);
    gpu.queue.submit([encoder.finish()]);
    target.image()
}

/// Write a picture of a scene after so many steps to a new file in the working directory.
pub fn save_picture(image: &RgbaImage, scene: &Scene, step: u64) -> Result<PathBuf, FilmError> {
    let caption = Caption { scene: scene.name.clone(), seed: scene.seed };
    let stem = format!("{}-{step:06}", scene.name);
    let write = |name: String| {
        let mut film = Film::create(name.as_ref(), image.dimensions(), 1, 1.0, false, caption.clone())?;
        film.push(image, step)?;
        film.finish()
    };
    let mut written = write(format!("{stem}.png"));
    for number in 2..1000 {
        let Err(FilmError::Exists(_)) = written else { break };
        written = write(format!("{stem}-{number}.png"));
    }
    Ok(written?.into_iter().next().unwrap_or_default())
}
