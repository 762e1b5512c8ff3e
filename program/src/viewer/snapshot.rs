//! The picture of the moment, as a file.

use super::session::Session;
use std::path::PathBuf;
use steerling::gpu::GpuError;
use steerling::render::{Caption, Film, FilmError, Offscreen, Renderer, View};

/// Write the picture to a new file in the working directory.
pub fn save_picture(session: &Session, view: &View, size: (u32, u32)) -> Result<Result<PathBuf, FilmError>, GpuError> {
    let (scene, simulation) = (session.scene(), session.simulation());
    let gpu = simulation.gpu();
    let target = Offscreen::new(gpu, size)?;
    let mut renderer = Renderer::new(gpu, Offscreen::FORMAT, scene)?;
    renderer.set_errors(session.errors());
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    renderer.draw(&mut encoder, target.view(), size, simulation, view);
    gpu.queue.submit([encoder.finish()]);
    let image = target.image()?;
    let caption = Caption { scene: scene.name.clone(), seed: scene.seed };
    let stem = format!("{}-{:06}", scene.name, session.steps());
    let write = |name: String| {
        let mut film = Film::create(name.as_ref(), size, 1, 1.0, false, caption.clone())?;
        film.push(&image, session.steps())?;
        film.finish()
    };
    let mut written = write(format!("{stem}.png"));
    for number in 2..1000 {
        let Err(FilmError::Exists(_)) = written else { break };
        written = write(format!("{stem}-{number}.png"));
    }
    Ok(written.map(|files| files.into_iter().next().unwrap_or_default()))
}
