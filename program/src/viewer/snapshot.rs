//! Files of the present picture, of films, and of the measured history.

use super::session::Session;
use image::RgbaImage;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use steerling::files;
use steerling::gpu::GpuError;
use steerling::output::lines;
use steerling::render::{Caption, Film, FilmError, Offscreen, Renderer, View};

/// The present picture of a session, without the user interface.
pub fn picture_of(session: &Session, view: &View, size: (u32, u32)) -> Result<RgbaImage, GpuError> {
    let (scene, simulation) = (session.scene(), session.simulation());
    let gpu = simulation.gpu();
    let target = Offscreen::new(gpu, size)?;
    let mut renderer = Renderer::new(gpu, Offscreen::FORMAT, scene)?;
    renderer.set_values(session.values());
    target.draw(&mut renderer, simulation, view);
    target.image()
}

/// The longer side of a large picture, px. Each device that can run a simulation can draw it.
const LARGE: u32 = 3840;

/// The size of a large picture with the same aspect ratio, px.
pub fn enlarged((width, height): (u32, u32)) -> (u32, u32) {
    let longer = width.max(height).max(1);
    let side = |side: u32| ((u64::from(side) * u64::from(LARGE)).div_ceil(longer.into()) as u32).max(1);
    (side(width), side(height))
}

/// Write a small picture to a file, and replace an existing one.
pub fn save_thumbnail(image: &RgbaImage, path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), files::create_folders)?;
    let mut bytes = io::Cursor::new(Vec::new());
    image.write_to(&mut bytes, image::ImageFormat::Png).map_err(io::Error::other)?;
    files::write_whole(path, true, false, |out| out.write_all(bytes.get_ref()))
}

/// Write the measured history of the run as a table, to a new CSV file in the working directory. Returns its absolute path.
pub fn save_table(session: &Session) -> io::Result<PathBuf> {
    let text = lines(&session.past().seen.table(session.scene()));
    let exists = |error: &io::Error| error.kind() == io::ErrorKind::AlreadyExists;
    under_new_name(&format!("{}-plots", session.scene().name), "csv", exists, |path| {
        files::write_whole(path, false, false, |out| out.write_all(text.as_bytes()))
            .and_then(|()| std::path::absolute(path))
    })
}

/// Write a picture to a new PNG file in the working directory. Returns its path.
pub fn save_picture(image: &RgbaImage, caption: &Caption) -> Result<PathBuf, FilmError> {
    let stem = format!("{}-{:06}", caption.scene, caption.step);
    let written = under_new_name(&stem, "png", is_there, |path| {
        let mut film = Film::create(path, image.dimensions(), 1, 1.0, false)?;
        film.push(image, caption)?;
        film.finish()
    });
    Ok(written?.into_iter().next().unwrap_or_default())
}

/// Begin a film with `rate` pictures per second, in a new file in the working directory: an MP4 if ffmpeg is found, otherwise a GIF.
pub fn begin_film(scene: &str, size: (u32, u32), rate: f64) -> Result<Film, FilmError> {
    let begin = |ending| {
        under_new_name(&format!("{scene}-film"), ending, is_there, |path| Film::create(path, size, 1, rate, false))
    };
    match begin("mp4") {
        Err(FilmError::NoFfmpeg(_)) => begin("gif"),
        film => film,
    }
}

fn is_there(error: &FilmError) -> bool {
    matches!(error, FilmError::Exists(_))
}

/// Write under the first of the names STEM.ENDING, STEM-2.ENDING ... that is free in the working directory. `exists` tells that error.
fn under_new_name<T, E>(
    stem: &str,
    ending: &str,
    exists: impl Fn(&E) -> bool,
    write: impl Fn(&Path) -> Result<T, E>,
) -> Result<T, E> {
    let mut written = write(format!("{stem}.{ending}").as_ref());
    for number in 2..1000 {
        if !written.as_ref().is_err_and(&exists) {
            break;
        }
        written = write(format!("{stem}-{number}.{ending}").as_ref());
    }
    written
}
