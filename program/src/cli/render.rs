//! `steerling render`: draw a scene into pictures or a film.

use super::Failure;
use super::interrupt::Interrupt;
use super::shared::{GpuArgs, LookArgs, SceneArgs, arguments, print, print_note};
use super::start::{open_state, read_state};
use super::walk::{Shared, progress_bar};
use crate::pictures;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use steerling::engine::Backend;
use steerling::gpu::{Gpu, GpuError, Simulation};
use steerling::model::{BufferId, Observation, State, density_contrast};
use steerling::output::{FileRecord, Host, PictureRecord, Record, StateFile, next_batch};
use steerling::render::{Caption, Film, FilmError, Format, GIF_FPS, Offscreen, Renderer, View};
use steerling::scene::{Camera, ColorBy, Scene};
use steerling::verify::Witness;

/// How long ffmpeg may take to complete a film once a signal came.
const PATIENCE: Duration = Duration::from_secs(10);

/// Steps before the first picture if the scene has no `start.steps`.
const STEPS: u32 = 300;

/// Default number of agents on an adapter that computes on the CPU: the first picture takes seconds, not minutes.
pub const FEW_AGENTS: u32 = 10_000;

#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    #[command(flatten)]
    look: LookArgs,
    #[command(flatten)]
    gpu: GpuArgs,
    /// Width and height of the picture, px, each 1 to 8192
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = parse_size)]
    size: (u32, u32),
    /// Start from this state, as `run` writes and reads them, in place of the scene's start; a new run begins there, at step 0
    #[arg(long, value_name = "FILE.npy")]
    from: Option<PathBuf>,
    /// Steps before the first picture [default: what the scene's `start.steps` says, or 300; none with --from. Where the scene is a
    /// picture: to the step that it shows, seen with its camera]
    #[arg(long, visible_alias = "steps", value_name = "N")]
    after: Option<u32>,
    /// Number of pictures
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    frames: u32,
    /// Steps between two pictures
    #[arg(long, value_name = "K", default_value_t = 1)]
    every: u32,
    /// Pictures per second of a film, 1 to 240, or of a GIF, 1 to 50 [default: 60, or 50 in a GIF]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=240))]
    fps: Option<u32>,
    /// What to write: NAME.png, NAME.gif, NAME.mp4 or NAME.webm (by way of ffmpeg), numbered pictures such as
    /// NAME-%06d.png, or a folder of them, FOLDER/ [default: SCENE-STEP.png]
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Overwrite files
    #[arg(long)]
    force: bool,
}

/// Draw a scene without a window.
pub fn run(mut args: Args) -> Result<(), Failure> {
    let record = args.scene.picture()?;
    let scene = args.scene.clone().looking(&args.look).open_of(record.as_ref())?;
    let picture = args.resume_picture(record, &scene)?;
    let (scene, from) = open_state(args.from.as_deref(), scene, args.scene.agents)?;
    let name = args.out.clone().unwrap_or_else(|| default_name(&scene, &args));
    draw(&args, &scene, from, picture, &args.gpu.open()?, &mut std::iter::once(name))
}

/// Draw one picture of a scene where no window can be opened, and say so.
pub fn instead_of_window(scene: SceneArgs, gpu: GpuArgs, why: &str) -> Result<(), Failure> {
    print_note(&format!("note: no window ({why}); drawing a picture instead, as `steerling render` does"));
    let mut args = Args { scene, gpu, ..arguments("render") };
    let record = args.scene.picture()?;
    let scene = args.scene.open_of(record.as_ref())?;
    let picture = args.resume_picture(record, &scene)?;
    let (mut scene, from) = open_state(args.from.as_deref(), scene, args.scene.agents)?;
    let gpu = args.gpu.open()?;
    if gpu.software()
        && picture.is_none()
        && from.is_none()
        && args.scene.agents.is_none()
        && scene.agent_count() > FEW_AGENTS
    {
        let all = scene.agent_count();
        print_note(&format!("note: {FEW_AGENTS} agents in place of {all}; --agents N asks for another number"));
        args.scene.agents = Some(FEW_AGENTS);
        scene = args.scene.open()?;
    }
    // No file is overwritten: if the name is taken, the next number that is free is used.
    let after = args.steps_before(&scene);
    let numbered = (2..).map(|number| PathBuf::from(format!("{}-{after:06}-{number}.png", scene.name)));
    let mut names = std::iter::once(default_name(&scene, &args)).chain(numbered);
    draw(&args, &scene, from, picture, &gpu, &mut names)
}

/// Draw under the first of the names that is free. If `picture` is given, use its camera.
fn draw(
    args: &Args,
    scene: &Scene,
    from: Option<StateFile>,
    picture: Option<PictureRecord>,
    gpu: &Gpu,
    names: &mut dyn Iterator<Item = PathBuf>,
) -> Result<(), Failure> {
    let options = args.gpu.options()?;
    // Check this before the state of all agents is made.
    Simulation::check(gpu, scene, &options)?;
    let place = Backend::Gpu(Box::new(gpu.clone()), Box::new(options.clone()));
    let start = args.from.as_deref().map(FileRecord::of_file).transpose()?;
    let record = pictures::record_of(scene, &place, start);
    let record =
        record.inspect_err(|error| print_note(&format!("note: the pictures will not record their run: {error}"))).ok();
    let state = read_state(from, scene)?;
    let simulation = Simulation::new(gpu, scene, &state, options)?;
    drop(state);
    let mut studio = Studio::new(simulation, scene, record, args)?;
    if let Some(picture) = picture {
        pictures::see(&mut studio.view, &picture);
        studio.camera.follow = false;
    }
    let interrupt = Interrupt::listen()?;
    let mut film = begin(args, names, None)?;
    let waiting = interrupt.clone();
    film.give_up_when(move || waiting.older_than(PATIENCE))?;
    let after = args.steps_before(scene);
    let steps = u64::from(after) + u64::from(args.every) * u64::from(args.frames - 1);
    let bar = progress_bar(steps);
    let studio = Shared::new(studio, &interrupt, &bar);
    let mut frame = |frame| {
        advance(&studio, if frame == 0 { after } else { args.every }, &interrupt)?;
        let (picture, caption) = studio.ask(Studio::picture)?;
        let mut pushed = film.push(&picture, &caption);
        while let Err(FilmError::Exists(path)) = pushed {
            // Another program has taken the name since `begin`.
            film = begin(args, names, Some(path))?;
            pushed = film.push(&picture, &caption);
        }
        pushed.map_err(|error| given_up(error.into(), &interrupt))
    };
    let drawn = (0..args.frames).try_for_each(&mut frame);
    bar.finish_and_clear();
    if !matches!(drawn, Ok(()) | Err(Failure::Interrupted { .. })) {
        return drawn;
    }
    let files = film.finish().map_err(|error| given_up(error.into(), &interrupt))?;
    print_files(&files)?;
    drawn?;
    let (observation, state, steps) =
        studio.ask(|Studio { simulation, .. }| Ok((simulation.observe()?, simulation.state()?, simulation.steps())))?;
    report(&observation, &state, steps, scene)?;
    interrupt.check()
}

/// Begin to write under the next free name. If there is none, the error names the last one that was tried, or else `taken`.
fn begin(args: &Args, names: &mut dyn Iterator<Item = PathBuf>, mut taken: Option<PathBuf>) -> Result<Film, FilmError> {
    for name in names {
        let usual = if Format::of(&name)? == Format::Gif { GIF_FPS } else { 60.0 };
        match Film::create(&name, args.size, args.frames, args.fps.map_or(usual, f64::from), args.force) {
            Err(FilmError::Exists(path)) => taken = Some(path),
            film => return film,
        }
    }
    Err(FilmError::Exists(taken.unwrap_or_default()))
}

/// The failure to report for a film: an interruption if it was given up because of a signal.
fn given_up(failure: Failure, interrupt: &Interrupt) -> Failure {
    match interrupt.signal().filter(|_| interrupt.older_than(PATIENCE)) {
        Some(signal) => {
            print_note(&format!("note: {failure}"));
            Failure::Interrupted { code: signal.code }
        }
        None => failure,
    }
}

impl Args {
    /// If the scene is named by a picture whose run can be repeated, draw the picture's step of that run, from the file that it began
    /// with. Returns the picture's camera, unless the user asks for another camera, world or number of agents.
    fn resume_picture(&mut self, record: Option<Record>, scene: &Scene) -> Result<Option<PictureRecord>, Failure> {
        let Some(record) = record.filter(|_| self.from.is_none()) else { return Ok(None) };
        let from = record.from.as_ref().filter(|_| self.scene.agents.is_none());
        self.from = from.map(|from| PathBuf::from(&from.path));
        let Some(picture) = record.picture.filter(|_| self.after.is_none()) else { return Ok(None) };
        if picture.changed {
            print_note(&format!("note: the scene of the picture, from its start: {}", pictures::CHANGED));
            return Ok(None);
        }
        self.after = u32::try_from(record.steps).ok();
        let seen = |scene: &Scene| (scene.camera, scene.world.size, scene.agent_count());
        Ok((seen(&record.scene()?) == seen(scene)).then_some(picture))
    }

    /// Steps before the first picture.
    fn steps_before(&self, scene: &Scene) -> u32 {
        self.after.unwrap_or(match scene.start.steps {
            _ if self.from.is_some() => 0,
            0 => STEPS,
            steps => steps,
        })
    }
}

/// A simulation, and a renderer with a target of its own.
struct Studio {
    simulation: Simulation,
    /// Computes errors against the reference, if the look shows them.
    witness: Option<Witness>,
    renderer: Renderer,
    target: Offscreen,
    /// The record that pictures hold, if the run has one.
    record: Option<Record>,
    view: View,
    camera: Camera,
    /// Time of the simulation from one picture to the next, s.
    seconds_between_pictures: f32,
}

impl Studio {
    fn new(mut simulation: Simulation, scene: &Scene, record: Option<Record>, args: &Args) -> Result<Studio, Failure> {
        simulation.keep_accelerations(scene.look.color == ColorBy::Force);
        let gpu = simulation.gpu();
        let target = Offscreen::new(gpu, args.size)?;
        let renderer = Renderer::new(gpu, Offscreen::FORMAT, scene)?;
        let seconds_between_pictures = args.every as f32 * scene.dt;
        let witness = (scene.look.color == ColorBy::Error).then(Witness::default);
        let (view, camera) = (View::from_scene(scene), scene.camera);
        Ok(Studio { simulation, witness, renderer, target, record, view, camera, seconds_between_pictures })
    }

    /// Run so many steps. If they are the last ones before a picture, the witness, where there is one, takes the last of them.
    fn advance(&mut self, steps: u32, last: bool) -> Result<(), GpuError> {
        let witness = self.witness.as_mut().filter(|_| last && steps > 0);
        self.simulation.step(steps - u32::from(witness.is_some()))?;
        if let Some(witness) = witness {
            self.renderer.set_values(Some(&witness.step(&mut self.simulation)?));
        }
        self.simulation.gpu().wait()
    }

    /// A picture of the current state, and what it holds about itself. A step that is not valid is an error before it is drawn.
    fn picture(&mut self) -> Result<(image::RgbaImage, Caption), GpuError> {
        let Studio { simulation, renderer, target, record, view, camera, seconds_between_pictures, .. } = self;
        let digest = simulation.observe()?.digest_hex();
        let gpu = simulation.gpu();
        if camera.follow {
            let [positions, ids] = [BufferId::Position, BufferId::Id].map(|buffer| simulation.words(buffer));
            view.follow(&positions?, &ids?, View::eased(*seconds_between_pictures), target.size());
        }
        target.draw(renderer, simulation, view);
        gpu.wait()?;
        let run = record.clone().map(|record| (record, false));
        let caption = pictures::caption(simulation.scene(), run, view, simulation.steps(), digest);
        view.turn(camera.turn * *seconds_between_pictures);
        Ok((target.image()?, caption))
    }
}

impl From<FilmError> for Failure {
    fn from(error: FilmError) -> Self {
        match error {
            FilmError::Ending(_) | FilmError::OnePicture { .. } | FilmError::Size { .. } => {
                Failure::Usage(error.to_string())
            }
            FilmError::File { path, reason } => Failure::File { path, reason },
            FilmError::Exists(_) | FilmError::NoFfmpeg(_) => Failure::Other(error.to_string()),
        }
    }
}

fn default_name(scene: &Scene, args: &Args) -> PathBuf {
    match args.frames {
        1 => format!("{}-{:06}.png", scene.name, args.steps_before(scene)),
        _ => format!("{}-%06d.png", scene.name),
    }
    .into()
}

/// A width and a height, px, such as 1280x720.
pub fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let parse = |text: &str| text.parse().ok().filter(|side| (1..=8192).contains(side));
    let sides = text.split_once(['x', 'X']).and_then(|(width, height)| Some((parse(width)?, parse(height)?)));
    sides.ok_or_else(|| "give two numbers from 1 to 8192 with an x between them, such as 1280x720".into())
}

fn advance(studio: &Shared<Studio>, steps: u32, interrupt: &Interrupt) -> Result<(), Failure> {
    let (mut left, mut batch) = (steps, 1);
    while left > 0 {
        let (now, start) = (left.min(batch as u32), Instant::now());
        left -= now;
        studio.ask(move |studio| studio.advance(now, left == 0))?;
        interrupt.check()?;
        batch = next_batch(batch, now.into(), start.elapsed());
        studio.progressed(now.into());
    }
    interrupt.check()
}

/// Print the paths of the pictures.
fn print_files(files: &[PathBuf]) -> Result<(), Failure> {
    match files {
        [] => print("nothing written\n"),
        [file] => print(&format!("{}\n", file.display())),
        [first, .., last] => print(&format!("{} pictures: {} to {}\n", files.len(), first.display(), last.display())),
    }
}

/// Print the figures of the last picture.
fn report(observation: &Observation, state: &State, steps: u64, scene: &Scene) -> Result<(), Failure> {
    let contrast = density_contrast(state, scene);
    print(&format!(
        "{} agents after {steps} steps ({:.2} s): polarization {:.3}, density contrast {} (evenly spread: 1), \
         mean neighbors {:.1}, mean speed {:.1} u/s\n",
        scene.agent_count(),
        steps as f64 * f64::from(scene.dt),
        observation.polarization,
        contrast.map_or("unknown, there are too few agents".into(), |contrast| format!("{contrast:.2}")),
        observation.mean_neighbors,
        observation.mean_speed,
    ))?;
    if observation.bad_agents > 0 {
        let bad = observation.bad_agents;
        print_note(&format!("warning: the state of {bad} agents is not finite, or beyond 1e9; they are not drawn"));
    }
    if observation.unseen > 0 {
        let (unseen, crowd) = (observation.unseen, scene.world.crowd);
        print_note(&format!(
            "note: some cells hold more than {crowd} agents; no agent perceives {unseen} of these (world.crowd)"
        ));
    }
    Ok(())
}
