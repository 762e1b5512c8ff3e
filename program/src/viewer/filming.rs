//! A film of the window's picture. The simulated time from picture to picture is constant, however slow the machine is, because the run
//! waits for each picture.

use super::format::grouped;
use super::session::Session;
use image::RgbaImage;
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use steerling::gpu::GpuError;
use steerling::render::{Caption, Film, FilmError, Offscreen, Renderer, View};
use steerling::scene::Scene;

/// Pictures per second of simulated time, as nearly as whole steps allow.
const RATE: f64 = 30.0;
/// The most pictures that wait to be written; then the run waits.
const WAITING: usize = 3;
/// How long the film may take to complete after the window was closed; then it is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// A film that is being recorded, or whose file is being completed.
pub struct Filming {
    size: (u32, u32),
    /// Steps from picture to picture.
    every: u64,
    dt: f64,
    /// The step of the next picture.
    next: u64,
    frames: u32,
    studio: Option<Studio>,
    /// Sends pictures to the writer; `None` once recording has ended.
    pictures: Option<SyncSender<RgbaImage>>,
    writer: Option<JoinHandle<Result<Vec<PathBuf>, FilmError>>>,
    /// When the window was closed. The writer reads it to give up after `PATIENCE`.
    closed: Arc<OnceLock<Instant>>,
    note: fn(&str),
}

/// Draws the pictures of a film.
struct Studio {
    renderer: Renderer,
    target: Offscreen,
    scene: Scene,
}

impl Filming {
    /// Begin a film of pictures of this size, px. `begin` begins its file, given their size and the number of pictures per second. `note`
    /// is told the result if the window closes first.
    pub fn begin(
        session: &Session,
        size: (u32, u32),
        note: fn(&str),
        begin: impl FnOnce((u32, u32), f64) -> Result<Film, FilmError>,
    ) -> Result<Filming, FilmError> {
        let dt = f64::from(session.scene().dt);
        let every = (1.0 / (RATE * dt)).round().max(1.0) as u64;
        // An MP4 needs even sizes.
        let size = (size.0.max(2) & !1, size.1.max(2) & !1);
        let mut film = begin(size, 1.0 / (every as f64 * dt))?;
        let closed = Arc::new(OnceLock::<Instant>::new());
        let ends = Arc::clone(&closed);
        film.give_up_when(move || ends.get().is_some_and(|at| at.elapsed() > PATIENCE))?;
        let (pictures, coming) = sync_channel::<RgbaImage>(WAITING);
        let write = move || {
            let caption = Caption::default();
            coming.iter().try_for_each(|picture| film.push(&picture, &caption))?;
            film.finish()
        };
        Ok(Filming {
            size,
            every,
            dt,
            next: session.steps(),
            frames: 0,
            studio: None,
            pictures: Some(pictures),
            writer: Some(std::thread::spawn(write)),
            closed,
            note,
        })
    }

    /// The step at which the run, now at step `now`, has to wait for the next picture; `None` once recording has ended. After the run went
    /// to another step, that is `now`.
    pub fn next(&self, now: u64) -> Option<u64> {
        let next = if now > self.next || now + self.every < self.next { now } else { self.next };
        self.pictures.as_ref().map(|_| next)
    }

    /// The number of pictures so far, and their duration, s; `None` once recording has ended.
    pub fn length(&self) -> Option<(u32, f64)> {
        self.pictures.as_ref().map(|_| (self.frames, self.seconds()))
    }

    fn seconds(&self) -> f64 {
        f64::from(self.frames) * self.every as f64 * self.dt
    }

    /// Take a picture, if one is due at this step and the run is not paused.
    pub fn look(&mut self, session: &Session, view: &View) -> Result<(), GpuError> {
        let now = session.steps();
        let due = self.next(now) == Some(now) && !session.paused();
        let Some(pictures) = self.pictures.as_ref().filter(|_| due) else { return Ok(()) };
        let (scene, simulation) = (session.scene(), session.simulation());
        let gpu = simulation.gpu();
        let Studio { renderer, target, scene: drawn } = match &mut self.studio {
            Some(studio) => studio,
            none => none.insert(Studio {
                renderer: Renderer::new(gpu, Offscreen::FORMAT, scene)?,
                target: Offscreen::new(gpu, self.size)?,
                scene: scene.clone(),
            }),
        };
        if drawn != scene {
            renderer.set_scene(scene)?;
            drawn.clone_from(scene);
        }
        renderer.set_values(session.values());
        target.draw(renderer, simulation, view);
        if pictures.send(target.image()?).is_err() {
            // The writer has failed; `told` says why.
            self.end();
            return Ok(());
        }
        (self.frames, self.next) = (self.frames + 1, now + self.every);
        Ok(())
    }

    /// Drop what lies on a lost device; it is made again with the next picture.
    pub fn forget(&mut self) {
        self.studio = None;
    }

    /// End recording. The writer completes the file on its thread.
    pub fn end(&mut self) {
        (self.pictures, self.studio) = (None, None);
    }

    /// A message about the file, once it is complete or has failed.
    pub fn told(&mut self) -> Option<String> {
        let writer = self.writer.take_if(|writer| writer.is_finished())?;
        self.end();
        Some(match writer.join() {
            Ok(Ok(files)) => match files.first() {
                Some(file) => format!("Saved {}: {}", file.display(), long(self.frames, self.seconds())),
                None => "No picture was recorded, and nothing was written".to_owned(),
            },
            Ok(Err(error)) => format!("There is no film: {error}"),
            Err(_) => "There is no film: its writer failed".to_owned(),
        })
    }
}

/// A text with a number of pictures and their duration, s.
pub fn long(frames: u32, seconds: f64) -> String {
    let pictures = if frames == 1 { "picture" } else { "pictures" };
    format!("{} {pictures}, {seconds:.1} s", grouped(frames.into()))
}

/// Closing the window waits until the file is complete, or is given up.
impl Drop for Filming {
    fn drop(&mut self) {
        self.end();
        let _ = self.closed.set(Instant::now());
        while self.writer.as_ref().is_some_and(|writer| !writer.is_finished()) {
            std::thread::sleep(Duration::from_millis(5));
        }
        if let Some(told) = self.told() {
            (self.note)(&told);
        }
    }
}
