//! A film of the window's picture. Each of its pictures shows as much simulated time after the one before, however slow the machine is:
//! the run waits for them.

use super::format::grouped;
use super::session::Session;
use super::snapshot::begin_film;
use image::RgbaImage;
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use steerling::gpu::GpuError;
use steerling::render::{Caption, Film, FilmError, Offscreen, Renderer, View};
use steerling::scene::Scene;

/// Pictures in a second of simulated time, as nearly as whole steps allow.
const RATE: f64 = 30.0;
/// Pictures that may wait to be written.
const WAITING: usize = 3;
/// How long ffmpeg may take to its end when the window is closed.
const PATIENCE: Duration = Duration::from_secs(10);

/// A film that is being recorded, or written to its end.
pub struct Filming {
    size: (u32, u32),
    /// Steps from picture to picture.
    every: u64,
    dt: f64,
    /// The step of the next picture.
    next: u64,
    frames: u32,
    studio: Option<Studio>,
    /// Where pictures go; none when there will be no more.
    pictures: Option<SyncSender<RgbaImage>>,
    writer: Option<JoinHandle<Result<Vec<PathBuf>, FilmError>>>,
    closed: Arc<OnceLock<Instant>>,
    note: fn(&str),
}

/// What draws its pictures.
struct Studio {
    renderer: Renderer,
    target: Offscreen,
    scene: Scene,
}

impl Filming {
    /// Begin a film of what is seen in a picture of this size, px, in the working directory.
    pub fn begin(session: &Session, size: (u32, u32), note: fn(&str)) -> Result<Filming, FilmError> {
        Filming::begin_as(session, size, note, |size, rate| begin_film(&session.scene().name, size, rate))
    }

    /// The same in a file that is begun with its size, px, and pictures a second.
    pub fn begin_as(
        session: &Session,
        size: (u32, u32),
        note: fn(&str),
        begin: impl FnOnce((u32, u32), f64) -> Result<Film, FilmError>,
    ) -> Result<Filming, FilmError> {
        let dt = f64::from(session.scene().dt);
        let every = (1.0 / (RATE * dt)).round().max(1.0) as u64;
        // As an MP4 wants it.
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

    /// The step at which the run, which is at step `now`, has to wait for a picture. After a journey to another step it is filmed there at once.
    pub fn next(&self, now: u64) -> Option<u64> {
        let next = if now > self.next || now + self.every < self.next { now } else { self.next };
        self.pictures.as_ref().map(|_| next)
    }

    /// Pictures, and the time that they take, s; none where there will be no more.
    pub fn length(&self) -> Option<(u32, f64)> {
        self.pictures.as_ref().map(|_| (self.frames, self.seconds()))
    }

    fn seconds(&self) -> f64 {
        f64::from(self.frames) * self.every as f64 * self.dt
    }

    /// Take a picture, if it is time.
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
            // The writer has failed, and says why.
            self.end();
            return Ok(());
        }
        (self.frames, self.next) = (self.frames + 1, now + self.every);
        Ok(())
    }

    /// What lay on a device that is lost is made again.
    pub fn forget(&mut self) {
        self.studio = None;
    }

    /// There are no more pictures. The file is written to its end meanwhile.
    pub fn end(&mut self) {
        (self.pictures, self.studio) = (None, None);
    }

    /// What has become of the file, when it is written to its end.
    pub fn told(&mut self) -> Option<String> {
        let writer = self.writer.take_if(|writer| writer.is_finished())?;
        self.end();
        Some(match writer.join() {
            Ok(Ok(files)) => match files.first() {
                Some(file) => format!("Saved {}: {}", file.display(), long(self.frames, self.seconds())),
                None => "No picture was recorded, and nothing written".to_owned(),
            },
            Ok(Err(error)) => format!("There is no film: {error}"),
            Err(_) => "There is no film: its writer failed".to_owned(),
        })
    }
}

/// So many pictures, and the time that they take, s, in words.
pub fn long(frames: u32, seconds: f64) -> String {
    let pictures = if frames == 1 { "picture" } else { "pictures" };
    format!("{} {pictures}, {seconds:.1} s", grouped(frames.into()))
}

/// The end of the window waits for the file.
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
