//! Writes pictures to files: one PNG, numbered PNGs, a GIF, or a film by way of ffmpeg.

use super::caption::{Caption, write_png};
use super::ffmpeg::Ffmpeg;
use crate::files::{self, Part};
use image::RgbaImage;
use std::io::{self, BufWriter, ErrorKind};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The format of the written files, which follows from the name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// One PNG.
    Picture,
    /// A PNG for each frame, numbered from 0: the path up to the number, its least number of digits, and the rest.
    Numbered(String, usize, String),
    /// A GIF.
    Gif,
    /// A film, mp4 or webm, encoded by ffmpeg.
    Film(&'static str),
}

/// Why a picture or a film cannot be written.
#[derive(Debug, Error)]
pub enum FilmError {
    /// The file exists already.
    #[error("{0} exists; give --force to overwrite it, or another --out")]
    Exists(PathBuf),
    /// The name's ending says nothing about the format.
    #[error("{0}: the name must end in .png, .gif, .mp4 or .webm, or in / for a folder of numbered pictures")]
    Ending(PathBuf),
    /// Several frames do not fit into one picture.
    #[error("{path}: {frames} frames do not fit into one PNG; number them with %06d.png, or make a .gif or .mp4")]
    OnePicture {
        /// The file.
        path: PathBuf,
        /// Frames asked for.
        frames: u32,
    },
    /// A size or a speed that the format does not have.
    #[error("{path}: {reason}")]
    Size {
        /// The file.
        path: PathBuf,
        /// What the format does not allow, for a person.
        reason: String,
    },
    /// ffmpeg is not installed.
    #[error("{0} needs the program ffmpeg, which is not on the PATH; install it, or write a .gif or numbered PNGs")]
    NoFfmpeg(PathBuf),
    /// ffmpeg failed, or a file cannot be written.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// What went wrong, for a person.
        reason: String,
    },
}

/// The most pictures per second of a GIF: browsers show a picture that should stay for less than two hundredths of a second
/// for ten hundredths.
pub const GIF_FPS: f64 = 50.0;

/// A picture, pictures or a film being written. Each file appears under its name only when it is complete.
pub struct Film {
    path: PathBuf,
    size: (u32, u32),
    fps: f64,
    force: bool,
    sink: Sink,
    frames: u32,
    written: Vec<PathBuf>,
}

enum Sink {
    Pictures(Format),
    Gif(Box<gif::Encoder<BufWriter<Part>>>),
    Ffmpeg(Ffmpeg),
}

impl std::fmt::Debug for Film {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Film({}, {} frames)", self.path.display(), self.frames)
    }
}

impl Format {
    /// The format that a name asks for.
    ///
    /// # Errors
    /// A name with another ending.
    pub fn of(path: &Path) -> Result<Format, FilmError> {
        let text = path.to_string_lossy().into_owned();
        if text.ends_with(['/', std::path::MAIN_SEPARATOR]) {
            return Ok(Format::Numbered(text, 6, ".png".into()));
        }
        match path.extension().map(|e| e.to_string_lossy().to_lowercase()).as_deref() {
            Some("png") => Ok(numbered(&text).unwrap_or(Format::Picture)),
            Some("gif") => Ok(Format::Gif),
            Some("mp4") => Ok(Format::Film("mp4")),
            Some("webm") => Ok(Format::Film("webm")),
            _ => Err(FilmError::Ending(path.into())),
        }
    }
}

/// Split a pattern such as `frame-%06d.png` at the last placeholder in the file's name. `None` if there is none, as in
/// `50%done.png`.
fn numbered(text: &str) -> Option<Format> {
    let name = text.rfind(['/', std::path::MAIN_SEPARATOR]).map_or(0, |at| at + 1);
    let taken_apart = |(at, _): (usize, &str)| {
        let (digits, after) = text[at + 1..].split_once('d')?;
        let width = match digits {
            "" if after.starts_with(char::is_alphabetic) => return None,
            "" => 1,
            _ => digits.parse().ok().filter(|width| *width <= 12 && !digits.starts_with('+'))?,
        };
        Some(Format::Numbered(text[..at].into(), width, after.into()))
    };
    text.rmatch_indices('%').take_while(|(at, _)| *at >= name).find_map(taken_apart)
}

impl Film {
    /// Begin to write `frames` pictures of `size` px, width and height.
    ///
    /// # Errors
    /// A file that exists (unless `force`), a folder that does not, a name, a size or a speed that does not fit, no ffmpeg.
    pub fn create(path: &Path, size: (u32, u32), frames: u32, fps: f64, force: bool) -> Result<Film, FilmError> {
        let format = Format::of(path)?;
        check_size(path, &format, size, fps)?;
        if format == Format::Picture && frames > 1 {
            return Err(FilmError::OnePicture { path: path.into(), frames });
        }
        let path = std::path::absolute(path).map_err(|e| file_error(path, e))?;
        let wanted = if matches!(format, Format::Numbered(..)) { frames } else { 1 };
        for frame in 0..wanted {
            let path = frame_path(&format, &path, frame);
            if !force && path.exists() {
                return Err(FilmError::Exists(path));
            }
        }
        if matches!(format, Format::Numbered(..)) {
            let folder = folder_of(&frame_path(&format, &path, 0));
            files::create_folders(&folder).map_err(|e| file_error(&folder, e))?;
        }
        let sink = match format {
            Format::Picture => {
                // The file is created only when the picture is there, which may take hours.
                files::check(&path, force).map_err(|error| kept_error(&path, error))?;
                Sink::Pictures(format)
            }
            Format::Gif => Sink::Gif(Box::new(gif_encoder(begin(&path, force)?, &path, size)?)),
            Format::Film(container) => {
                let started = Ffmpeg::start(begin(&path, force)?, container, size, fps);
                Sink::Ffmpeg(started.map_err(|error| match error.kind() {
                    ErrorKind::NotFound => FilmError::NoFfmpeg(path.clone()),
                    _ => file_error(&path, format!("ffmpeg cannot be started: {error}")),
                })?)
            }
            pictures => Sink::Pictures(pictures),
        };
        Ok(Film { path, size, fps, force, sink, frames: 0, written: Vec::new() })
    }

    /// End ffmpeg, which may have stalled, as soon as `tired` returns true. Then the film fails.
    ///
    /// # Errors
    /// No thread can be started to watch it.
    pub fn give_up_when(&self, tired: impl Fn() -> bool + Send + 'static) -> Result<(), FilmError> {
        match &self.sink {
            Sink::Ffmpeg(ffmpeg) => ffmpeg.end_when(tired).map_err(|e| file_error(&self.path, e)),
            _ => Ok(()),
        }
    }

    /// Add the next picture. PNGs also get the caption.
    ///
    /// # Errors
    /// A file that cannot be written, ffmpeg that failed.
    pub fn push(&mut self, image: &RgbaImage, caption: &Caption) -> Result<(), FilmError> {
        if image.dimensions() != self.size {
            return Err(file_error(&self.path, "the pictures differ in size"));
        }
        match &mut self.sink {
            Sink::Pictures(format) => {
                let path = frame_path(format, &self.path, self.frames);
                let write = |file: &mut BufWriter<Part>| write_png(file, image, caption);
                files::write_whole(&path, self.force, false, write).map_err(|e| kept_error(&path, e))?;
                self.written.push(path);
            }
            Sink::Gif(encoder) => {
                let rgb: Vec<u8> = image.pixels().flat_map(|p| [p[0], p[1], p[2]]).collect();
                let mut frame = gif::Frame::from_rgb_speed(self.size.0 as u16, self.size.1 as u16, &rgb, 10);
                // In hundredths of a second, from rounded end times, so that rounding errors do not add up.
                let end = |frames: u32| (f64::from(frames) * 100.0 / self.fps).round();
                frame.delay = (end(self.frames + 1) - end(self.frames)) as u16;
                encoder.write_frame(&frame).map_err(|e| file_error(&self.path, e))?;
            }
            Sink::Ffmpeg(ffmpeg) => ffmpeg.push(image.as_raw()).map_err(|e| file_error(&self.path, e))?,
        }
        self.frames += 1;
        Ok(())
    }

    /// Complete the files, and return their absolute paths; an empty list if there was no picture.
    ///
    /// # Errors
    /// A file that cannot be written, ffmpeg that failed.
    pub fn finish(self) -> Result<Vec<PathBuf>, FilmError> {
        match self.sink {
            // Interrupted before the first picture: a film of nothing is no film.
            Sink::Gif(_) | Sink::Ffmpeg(_) if self.frames == 0 => return Ok(Vec::new()),
            Sink::Pictures(_) => return Ok(self.written),
            Sink::Gif(encoder) => {
                let buffered = encoder.into_inner().map_err(|e| file_error(&self.path, e))?;
                let part = buffered.into_inner().map_err(|e| file_error(&self.path, e.error()))?;
                part.keep(&self.path, self.force).map_err(|e| kept_error(&self.path, e))?;
            }
            Sink::Ffmpeg(ffmpeg) => {
                let part = ffmpeg.finish().map_err(|e| file_error(&self.path, e))?;
                part.keep(&self.path, self.force).map_err(|e| kept_error(&self.path, e))?;
            }
        }
        Ok(vec![self.path])
    }
}

fn file_error(path: &Path, reason: impl ToString) -> FilmError {
    FilmError::File { path: path.into(), reason: reason.to_string() }
}

fn kept_error(path: &Path, error: io::Error) -> FilmError {
    match error.kind() {
        ErrorKind::AlreadyExists => FilmError::Exists(path.into()),
        _ => file_error(path, error),
    }
}

fn begin(path: &Path, force: bool) -> Result<Part, FilmError> {
    Part::begin(path, force).map_err(|error| kept_error(path, error))
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

fn frame_path(format: &Format, path: &Path, frame: u32) -> PathBuf {
    let Format::Numbered(before, width, after) = format else { return path.into() };
    let path = PathBuf::from(format!("{before}{frame:0width$}{after}"));
    std::path::absolute(&path).unwrap_or(path)
}

fn check_size(path: &Path, format: &Format, (width, height): (u32, u32), fps: f64) -> Result<(), FilmError> {
    let refuse = |reason: String| Err(FilmError::Size { path: path.into(), reason });
    match format {
        Format::Film("mp4") if width % 2 + height % 2 > 0 => {
            refuse(format!("{width}x{height}: an mp4 has an even width and height"))
        }
        Format::Gif if width.max(height) > u32::from(u16::MAX) => refuse(format!("{width}x{height} is too large")),
        Format::Gif if fps > GIF_FPS => {
            refuse(format!("a GIF shows at most {GIF_FPS} pictures per second, and {fps} are asked for (--fps)"))
        }
        _ => Ok(()),
    }
}

fn gif_encoder(
    part: Part,
    path: &Path,
    (width, height): (u32, u32),
) -> Result<gif::Encoder<BufWriter<Part>>, FilmError> {
    let file = BufWriter::new(part);
    let mut encoder = gif::Encoder::new(file, width as u16, height as u16, &[]).map_err(|e| file_error(path, e))?;
    encoder.set_repeat(gif::Repeat::Infinite).map_err(|e| file_error(path, e))?;
    Ok(encoder)
}
