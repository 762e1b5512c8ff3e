//! `steerling run`.

use super::Failure;
use super::engine::{DeviceKind, open_backend, record};
use super::interrupt::Interrupt;
use super::shared::{GpuArgs, SceneArgs, print, tell};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};
use steerling::engine::{Backend, Engine, EngineError};
use steerling::model::{Observation, Snapshot, State};
use steerling::output::{
    Computed, Manifest, Metrics, OutputError, Resumed, RunFolder, SceneRecord, StateFile, States, Timings,
};
use steerling::output::{Recipe, columns, read_checkpoint, utc_stamp};
use steerling::scene::Scene;

/// Steps are waited for in batches of about this long, so that Ctrl-C and the progress bar react.
const BATCH: Duration = Duration::from_millis(100);

/// Rows of the metrics that are read together at most.
const MOST_ROWS: u64 = 1000;

/// Arguments of `steerling run`.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// Number of steps
    #[arg(long, value_name = "N", default_value_t = 1000, allow_negative_numbers = true)]
    steps: u64,
    /// Folder to write run.json, metrics.csv and states to [default: out/SCENE-SEED-TIME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write metrics and the state every K steps [default: metrics a hundred times, the state at the end]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
    /// Start from this state: a float32 or float64 array with a row x, y, vx, vy (in 3-D x, y, z, vx, vy, vz) per agent.
    /// A scene with one species gets as many agents as there are rows, in a world of unchanged size. The run begins at step 0: noise
    /// is that of a new run, trajectories are at their start, and nobody remembers anything; to go on, use --resume
    #[arg(long, value_name = "FILE.npy")]
    from: Option<PathBuf>,
    /// Write a checkpoint every K steps, from which --resume goes on
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    checkpoint_every: Option<u64>,
    /// Go on from a checkpoint, to --steps in all. It holds the scene; one that is named too must be the same
    #[arg(long, value_name = "FILE", conflicts_with = "from")]
    resume: Option<PathBuf>,
    /// What computes the steps [default: a GPU where there is one]
    #[arg(long, value_enum)]
    device: Option<DeviceKind>,
    #[command(flatten)]
    gpu: GpuArgs,
}

/// Run `steerling run`.
pub fn run(args: Args) -> Result<(), Failure> {
    let start = Instant::now();
    let checkpoint = args.resume.as_ref().map(|path| open_checkpoint(path, &args)).transpose()?;
    let (recipe, before, scene, snapshot) = match checkpoint {
        Some((recipe, before, scene, snapshot)) => (Some(recipe), Some(before), scene, Some(snapshot)),
        None => (None, None, args.scene.open()?, None),
    };
    let (scene, from) = match &args.from {
        Some(path) => open_state(path, scene, args.scene.agents).map(|(scene, file)| (scene, Some(file)))?,
        None => (scene, None),
    };
    args.out.as_ref().map_or(Ok(()), |out| RunFolder::check(out))?;
    let place = open_backend(args.device, &args.gpu)?;
    let computed = going_on(&args, before, Computed::on(&place))?;
    place.check(&scene)?;
    let rows = from.as_ref().filter(|_| args.scene.agents.is_none()).map(StateFile::agents);
    let mut engine = start_engine(&place, &scene, from)?;
    // Its files are hashed as soon as the engine has read them, and so has refused any that are too large.
    let recipe = match recipe {
        Some(recipe) => recipe,
        None => Recipe::new(&scene, args.scene.agents, rows)?,
    };
    if let Some(snapshot) = &snapshot {
        engine.restore(snapshot)?;
    }
    let every = args.every.unwrap_or(args.steps.div_ceil(100).max(1));
    let interrupt = Interrupt::listen()?;
    let mut run = Run {
        folder: match &args.out {
            Some(out) => RunFolder::create(out)?,
            None => RunFolder::create_numbered(&default_folder(&scene))?,
        },
        manifest: begin_manifest(&args, &scene, &place, every, snapshot.as_ref().map(|snapshot| snapshot.steps)),
        engine: Arc::new(Mutex::new(engine)),
        every,
        keep_states: args.every.is_some(),
        checkpoint_every: args.checkpoint_every,
        recipe,
        computed,
        interrupt: interrupt.clone(),
        spatial: scene.world.spatial,
        step: snapshot.map_or(0, |snapshot| snapshot.steps),
        observed: None,
        step_times: Vec::new(),
    };
    run.manifest.timings.setup = start.elapsed().as_secs_f64();
    let result = run.walk(args.steps).and_then(|()| run.keep_state());
    let recorded = run.finish(start, &result);
    if let (Err(_), Err(error)) = (&result, &recorded) {
        // What failed first is what is to be mended.
        tell(&format!("note: the record of the run cannot be written either: {error}"));
    }
    result?;
    recorded?;
    print(&run.summary(&place))?;
    match interrupt.signal().filter(|_| run.step < args.steps) {
        Some(signal) => Err(Failure::Interrupted { code: signal.code }),
        None => Ok(()),
    }
}

/// Open a checkpoint, and make its scene again.
fn open_checkpoint(path: &Path, args: &Args) -> Result<(Recipe, Computed, Scene, Snapshot), Failure> {
    let (asked, (recipe, computed, snapshot)) = (&args.scene, read_checkpoint(path)?);
    if snapshot.steps > args.steps {
        let (path, done, steps) = (path.display(), snapshot.steps, args.steps);
        return Err(Failure::Usage(format!(
            "{path} is of step {done}, and --steps {steps}, which counts from step 0, ends before"
        )));
    }
    let refuse = |reason: &str| Failure::Data { path: path.to_owned(), reason: reason.to_owned() };
    let named = asked.scene.is_some() || asked.agents.is_some() || asked.seed.is_some() || !asked.overrides.is_empty();
    let scene = recipe.scene()?;
    recipe.check_files(&scene)?;
    if named {
        let other = SceneArgs { scene: asked.scene.clone().or(Some(recipe.origin.clone())), ..asked.clone() }.open()?;
        if Recipe::new(&other, asked.agents, recipe.rows)? != recipe {
            return Err(refuse("is a checkpoint of another scene, number of agents, seed or --set"));
        }
    }
    if snapshot.agents() != scene.agent_count() || snapshot.spatial() != scene.world.spatial {
        return Err(refuse("has other agents than its scene"));
    }
    Ok((recipe, computed, scene, snapshot))
}

/// What the results of the run depend on, with what they depended on before it was gone on with. Refused with other shaders.
fn going_on(args: &Args, before: Option<Computed>, now: Computed) -> Result<Computed, Failure> {
    let Some(before) = before else { return Ok(now) };
    if let Some(shader) = before.other_shader(&now) {
        let reason = format!(
            "the run had another {}; go on with the same --shaders, or without where it had none",
            shader.display()
        );
        return Err(Failure::Data { path: args.resume.clone().unwrap_or_default(), reason });
    }
    for (then, now, what) in [
        (before.exact, now.exact, "with floats computed as written"),
        (before.ordered, now.ordered, "in the order of ids"),
    ] {
        if then != now {
            let (then, now) = if then { ("", "not ") } else { ("not ", "") };
            tell(&format!("note: the run was {then}{what}, and goes on {now}so: the results are not those of one run"));
        }
    }
    if before.built_in != now.built_in {
        tell(
            "note: the run was begun by a program with other shaders, and goes on with these: the results are not those of one run",
        );
    }
    Ok(Computed { exact: before.exact && now.exact, ordered: before.ordered && now.ordered, ..now })
}

/// Open a user's state, and give the scene as many agents.
pub(super) fn open_state(path: &Path, scene: Scene, agents: Option<u32>) -> Result<(Scene, StateFile), Failure> {
    let file = StateFile::open(path, scene.world.spatial)?;
    let (rows, needed) = (file.agents(), scene.agent_count());
    if scene.species.len() == 1 && agents.is_none() {
        let scene = scene.edit(|draft| {
            draft.species[0].count = rows;
            Ok(())
        })?;
        return Ok((scene, file));
    }
    if rows != needed {
        let reason = match agents {
            Some(_) => format!("has {rows} rows, and --agents asks for {needed}"),
            None => format!(
                "has {rows} rows, and the {} species of the scene have {needed} agents in all; set their counts, such \
                 as --set species.0.count=100",
                scene.species.len()
            ),
        };
        return Err(Failure::Data { path: path.to_owned(), reason });
    }
    Ok((scene, file))
}

/// The simulation at its start. The state in host memory ends here: a million agents take 25 MB.
fn start_engine(place: &Backend, scene: &Scene, from: Option<StateFile>) -> Result<Engine, Failure> {
    let state = from.map_or_else(|| Ok(State::initial(scene)), |file| read_state(file, scene))?;
    Ok(place.start(scene, &state)?)
}

/// Read a user's state, and say what is wrong with it.
pub(super) fn read_state(file: StateFile, scene: &Scene) -> Result<State, Failure> {
    let mut state = file.read()?;
    state.confine(scene);
    let bad = state.frozen.iter().filter(|frozen| **frozen).count();
    if bad > 0 {
        tell(&format!("note: {bad} agents of the state are not finite; they stand still and nobody perceives them"));
    }
    Ok(state)
}

fn default_folder(scene: &Scene) -> PathBuf {
    Path::new("out").join(format!("{}-{}-{}", scene.name, scene.seed, utc_stamp(SystemTime::now())))
}

fn begin_manifest(args: &Args, scene: &Scene, place: &Backend, every: u64, step: Option<u64>) -> Manifest {
    let columns = columns(scene.world.spatial);
    Manifest {
        program: "steerling",
        version: env!("CARGO_PKG_VERSION"),
        scene: SceneRecord::new(scene, args.scene.agents),
        seed: scene.seed,
        agents: scene.agent_count(),
        dt: scene.dt,
        from: args.from.as_ref().map(|path| path.display().to_string()),
        resumed: args.resume.as_ref().zip(step).map(|(path, step)| Resumed { file: path.display().to_string(), step }),
        steps_asked: args.steps,
        steps: 0,
        interrupted: false,
        signal: None,
        error: None,
        device: record(place, &args.gpu),
        timings: Timings::default(),
        digest: String::new(),
        polarization: 0.0,
        mean_neighbors: 0.0,
        mean_speed: 0.0,
        bad_agents: 0,
        unseen: 0,
        first_bad: None,
        metrics: Metrics { file: "metrics.csv", every, columns: RunFolder::columns() },
        states: States {
            files: Vec::new(),
            dtype: "<f4",
            shape: [u64::from(scene.agent_count()), columns.len() as u64],
            columns,
            rows: "row i is the agent with id i",
        },
    }
}

/// A run under way.
struct Run {
    /// Shared with the thread that steps, which may be left alone.
    engine: Arc<Mutex<Engine>>,
    folder: RunFolder,
    manifest: Manifest,
    /// Steps between rows of the metrics.
    every: u64,
    /// Is the state written with each row, and not only at the end?
    keep_states: bool,
    /// Steps between checkpoints, where they are written.
    checkpoint_every: Option<u64>,
    recipe: Recipe,
    computed: Computed,
    interrupt: Interrupt,
    spatial: bool,
    step: u64,
    /// The step of the latest row.
    observed: Option<u64>,
    /// Seconds per step of each batch.
    step_times: Vec<f64>,
}

impl Run {
    /// Step and observe until the end or until somebody asks to stop.
    fn walk(&mut self, steps: u64) -> Result<(), Failure> {
        let bar = progress_bar(steps);
        let mut batch = 1;
        self.observe()?;
        while self.step < steps && self.interrupt.signal().is_none() {
            let next_of = |every: u64| (self.step / every + 1).saturating_mul(every).min(steps);
            let next_row = next_of(self.every);
            let next = self.checkpoint_every.map_or(steps, next_of);
            let now = batch.min(next - self.step);
            // No step waits for a row; only states are written before the next.
            let rows = match self.step.is_multiple_of(self.every) {
                true if self.keep_states => (now / self.every).min(1),
                true => (now / self.every).min(MOST_ROWS),
                false => 0,
            };
            let now = if rows > 0 { rows * self.every } else { now.min(next_row - self.step) };
            let (start, every) = (Instant::now(), self.every);
            let seen = self.with(move |engine| match rows {
                0 => engine.step(now as u32).map(|()| Vec::new()),
                rows => engine.observations(rows as u32, every as u32),
            })?;
            let took = start.elapsed();
            for (row, seen) in (1..).zip(&seen) {
                self.row(self.step + row * self.every, seen)?;
            }
            self.step += now;
            self.manifest.timings.steps += took.as_secs_f64();
            self.step_times.push(took.as_secs_f64() / now as f64);
            bar.set_position(self.step);
            batch = match took {
                _ if took * 2 < BATCH => (now * 2).max(batch).min(1 << 20),
                _ if took > BATCH * 2 => (now / 2).max(1),
                _ => batch,
            };
            if rows == 0 && self.step == next_row {
                self.observe()?;
            } else if rows > 0 && self.keep_states {
                self.keep_state()?;
            }
            if self.checkpoint_every.is_some_and(|every| self.step.is_multiple_of(every)) {
                self.folder.checkpoint(&self.recipe, &self.computed, &self.with(|engine| engine.snapshot())?)?;
            }
        }
        bar.finish_and_clear();
        if self.observed == Some(self.step) { Ok(()) } else { self.observe() }
    }

    /// Ask the engine, or leave it to what it does.
    fn with<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&mut Engine) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Failure> {
        Ok(self.interrupt.patiently_with(&self.engine, ask)??)
    }

    /// A row of the metrics, and where asked for the state.
    fn observe(&mut self) -> Result<(), Failure> {
        let seen = self.with(|engine| engine.observe())?;
        self.row(self.step, &seen)?;
        if self.keep_states { self.keep_state() } else { Ok(()) }
    }

    fn row(&mut self, step: u64, seen: &Observation) -> Result<(), Failure> {
        // What was seen is so, whether or not it can be written to the metrics.
        self.manifest.see(step, seen);
        self.folder.observe(step, step as f64 * f64::from(self.manifest.dt), seen)?;
        self.observed = Some(step);
        Ok(())
    }

    /// Write the current state, unless it is written already.
    fn keep_state(&mut self) -> Result<(), Failure> {
        let name = RunFolder::state_name(self.step);
        if !self.folder.states().contains(&name) {
            self.folder.state(self.step, &self.with(|engine| engine.motion())?, self.spatial)?;
        }
        Ok(())
    }

    /// Write `run.json`, also after a failure.
    fn finish(&mut self, start: Instant, result: &Result<(), Failure>) -> Result<(), OutputError> {
        self.step_times.sort_by(f64::total_cmp);
        let manifest = &mut self.manifest;
        let signal = self.interrupt.signal().filter(|_| manifest.steps < manifest.steps_asked);
        (manifest.interrupted, manifest.signal) = (signal.is_some(), signal.map(|signal| signal.name));
        let failure = result.as_ref().err().filter(|failure| !matches!(failure, Failure::Interrupted { .. }));
        manifest.error = failure.map(Failure::to_string);
        manifest.states.files = self.folder.states().to_vec();
        manifest.timings.step_median = self.step_times.get(self.step_times.len() / 2).copied();
        manifest.timings.total = start.elapsed().as_secs_f64();
        self.folder.manifest(&self.manifest)
    }

    fn summary(&self, place: &Backend) -> String {
        let Manifest { scene, agents, digest, polarization, mean_neighbors, timings, .. } = &self.manifest;
        let folder = self.folder.path().display();
        let states = self.folder.states();
        let mut text = format!("{folder}/run.json\n{folder}/metrics.csv\n");
        match (states.first(), states.last()) {
            (Some(first), Some(last)) if first != last => {
                text += &format!("{folder}/{first} to {last} ({} states)\n", states.len());
            }
            (_, Some(last)) => text += &format!("{folder}/{last}\n"),
            _ => {}
        }
        text += &format!("{}: {agents} agents, {} steps in {:.2} s", scene.name, self.step, timings.steps);
        if let Some(median) = timings.step_median {
            text += &format!(" ({:.3} ms a step)", median * 1e3);
        }
        text += &format!(" on {}; digest {digest}, polarization {polarization:.3}", place.title());
        text += &format!(", {mean_neighbors:.2} neighbors");
        if let (bad, Some(first)) = (self.manifest.bad_agents, self.manifest.first_bad) {
            text += &format!(", {bad} bad agents (the first is {first})");
        }
        if self.manifest.unseen > 0 {
            text += &format!(", {} agents in crowded cells that nobody perceives (world.crowd)", self.manifest.unseen);
        }
        text + "\n"
    }
}

/// A bar on a terminal, nothing elsewhere and nothing with --quiet.
fn progress_bar(steps: u64) -> ProgressBar {
    if !tracing::enabled!(tracing::Level::INFO) {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {per_sec}, {eta} left");
    ProgressBar::new(steps).with_style(style.expect("a template that is right"))
}
