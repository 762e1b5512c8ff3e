//! The picture of the moment, and what was seen so far, as files.

use super::session::Session;
use image::RgbaImage;
use std::io::{self, Write};
use std::path::PathBuf;
use steerling::files;
use steerling::gpu::GpuError;
use steerling::render::{Caption, Film, FilmError, Offscreen, Renderer, View};
use steerling::scene::Scene;

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

/// Write all that was seen of the run as a table, to a new file in the working directory.
pub fn save_table(session: &Session) -> io::Result<PathBuf> {
    let table = session.past().seen.table(session.scene());
    let quoted = |cell: &String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    let line = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
    let text: String = table.iter().map(line).collect();
    let write = |name: String| {
        files::write_whole(name.as_ref(), false, false, |out| out.write_all(text.as_bytes())).map(|()| name.into())
    };
    let stem = format!("{}-plots", session.scene().name);
    let mut written = write(format!("{stem}.csv"));
    for number in 2..1000 {
        if !written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists) {
            break;
        }
        written = write(format!("{stem}-{number}.csv"));
    }
    written
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
