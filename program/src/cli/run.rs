//! `steerling run`: run a scene and write its run folder.

use super::Failure;
use super::engine::{DeviceKind, open_backend};
use super::interrupt::{Interrupt, Signal};
use super::shared::{self, GpuArgs, SceneArgs, command_line, print, print_note};
use super::start::Start;
use super::walk::{Shared, progress_bar};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};
use steerling::engine::Backend;
use steerling::model::{MapMemory, Observation};
use steerling::output::{Columns, Computed, Manifest, Metrics, OutputError, RunFolder, SceneRecord, States};
use steerling::output::{
    Device, End, EventTables, EventsRecord, Host, Recipe, Tracked, Tracks, TracksRecord, Until, Walk, Witness, columns,
};
use steerling::scene::Scene;

#[derive(Debug, Clone, Default, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Number of steps
    #[arg(long, value_name = "N", default_value_t = 1000, allow_negative_numbers = true)]
    pub steps: u64,
    /// Folder to write run.json, metrics.csv and states to [default: out/SCENE-SEED-TIME, or where --resume goes on in place]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write metrics and the state every K steps: --metrics-every and --states-every in one
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub every: Option<u64>,
    /// Write a row of metrics every K steps [default: a hundred times]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "every")]
    pub metrics_every: Option<u64>,
    /// Write the state every K steps, or none at all [default: at the end]
    #[arg(long, value_name = "K|none", conflicts_with = "every")]
    pub states_every: Option<StatesEvery>,
    /// End the run as soon as this holds in its rows of metrics, such as "polarization > 0.9 for 2 s". Exit code 7 where it never does
    #[arg(long, value_name = "CONDITION")]
    pub until: Option<String>,
    /// Observe these in each row, in place of what the scene asks for: names of docs/observables.md, some with a distance in u, such as
    /// "milling, groups:2.5". As --set observe=LIST
    #[arg(long, value_name = "LIST", conflicts_with = "resume")]
    pub observe: Option<String>,
    /// Write where these agents are to tracks.csv: ids such as 1,5,9, or a share of all, such as 1%
    #[arg(long, value_name = "IDS|SHARE")]
    pub track: Option<Tracked>,
    /// Write tracks.csv every K steps [default: as often as a row of metrics]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..), requires = "track")]
    pub track_every: Option<u64>,
    /// List each agent that changes its action state (and the agent that was the reason), leaves or enters, in the step where it does, and
    /// write the list to events.csv every K steps; the same for crossings of lines in crossings.csv
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub events: Option<u64>,
    /// Write each table as Parquet too, when the run ends: metrics.parquet and so on
    #[arg(long)]
    pub parquet: bool,
    /// Start from this state: a float32 or float64 array with a row x, y, vx, vy (in 3-D x, y, z, vx, vy, vz) per agent.
    /// A scene with one species gets as many agents as there are rows, in a world of unchanged size. The run begins at step 0: noise
    /// and trajectories begin anew, and no agent remembers anything; to go on, use --resume
    #[arg(long, value_name = "FILE.npy")]
    pub from: Option<PathBuf>,
    /// Write a checkpoint every K steps, from which --resume goes on
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub checkpoint_every: Option<u64>,
    /// Write a checkpoint when the run ends, also where Ctrl-C or SIGTERM ends it
    #[arg(long)]
    pub checkpoint_at_end: bool,
    /// Go on from a checkpoint, or from the latest one in the folder of a run, to --steps in all: in the folder of its run, unless --out
    /// names another. It holds the scene; one that is named too must be the same
    #[arg(long, value_name = "FILE|DIR", conflicts_with = "from")]
    pub resume: Option<PathBuf>,
    /// What computes the steps [default: a GPU where there is one]
    #[arg(long, value_enum)]
    pub device: Option<DeviceKind>,
    #[command(flatten)]
    pub gpu: GpuArgs,
}

/// Parts in which a state is read and written. Not more, because reading any part scans the whole state on the device.
const STATE_PARTS: u32 = 8;
/// Fewest agents of a part.
const FEWEST_AT_ONCE: u32 = 1 << 16;

/// Steps between readings of events, if a run goes on in place whose flag is not given again.
const CONTINUED_EVENTS_EVERY: u64 = 50;

/// How often states are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatesEvery {
    Never,
    Steps(u64),
}

impl std::str::FromStr for StatesEvery {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            _ if text == "none" => Ok(StatesEvery::Never),
            Ok(steps) if steps > 0 => Ok(StatesEvery::Steps(steps)),
            _ => Err("it must be a number of steps, at least 1, or none"),
        }
    }
}

pub fn run(mut args: Args) -> Result<(), Failure> {
    let begun = Instant::now();
    // In quotes, because a bare word may be a TOML value of another kind.
    args.scene.overrides.extend(args.observe.iter().map(|list| format!("observe={list:?}")));
    let start = match &args.resume {
        Some(path) => Start::of_checkpoint(path, &args.scene, args.steps)?,
        None => Start::of_scene(&args.scene, args.from.as_deref())?,
    };
    // Check the arguments before the device is opened, which takes longest.
    let until = args.until.as_ref().map(|text| shared::until(text, &start.scene)).transpose()?;
    tracked(&args, &start.scene)?;
    if args.events.is_some() && EventTables::names(&start.scene).is_empty() {
        return Err(Failure::Usage(
            "--events: no species of this scene has several action states, or agents that leave or enter, and it has no lines"
                .to_owned(),
        ));
    }
    args.out.as_ref().map_or(Ok(()), |out| RunFolder::check(out))?;
    let place = open_backend(args.device, &args.gpu)?;
    carry_out(&args, start, until, &place, begun).map(drop)
}

/// Carry out a run on this device, and return the digest of its end.
pub fn carry_out(
    args: &Args,
    mut start: Start,
    until: Option<Until>,
    place: &Backend,
    begun: Instant,
) -> Result<String, Failure> {
    let computed = start.computed(place)?;
    let software = matches!(place, Backend::Gpu(gpu, _) if gpu.software());
    if let Some(memory) = MapMemory::of(&start.scene, software)? {
        print_note(&format!("note: the map has {memory}"));
    }
    let (mut engine, recipe) = start.engine(place, args.checkpoint_every.is_some() || args.checkpoint_at_end)?;
    let run_folder = start.checkpoint.as_ref().and_then(|checkpoint| checkpoint.run_folder.clone());
    let lacks_table = run_folder.as_ref().is_some_and(|folder| !folder.join("metrics.csv").is_file());
    let run_folder = run_folder.filter(|_| args.out.is_none() && !lacks_table);
    // Tables of a run that goes on in place are continued, even if their flags are not given again.
    let is_there = |name: &&str| run_folder.as_ref().is_some_and(|folder| folder.join(name).is_file());
    let events_every =
        args.events.or(EventTables::names(&start.scene).iter().any(is_there).then_some(CONTINUED_EVENTS_EVERY));
    if events_every.is_some() {
        engine.list_events()?;
    }
    let interrupt = Interrupt::listen()?;
    let folder = match (&args.out, &run_folder) {
        (Some(out), _) => RunFolder::create(out, &start.scene)?,
        (None, Some(run_folder)) => {
            let repeats = start.repeats(&computed);
            let folder = RunFolder::reopen(run_folder, &start.scene, (start.step(), args.steps), repeats)?;
            if folder.reached > start.step() {
                let (step, reached) = (start.step(), folder.reached);
                let not = if repeats { "" } else { ", not to the same bits; later states and checkpoints are removed" };
                print_note(&format!(
                    "note: the run goes on from step {step}, and computes its rows up to step {reached} again{not}"
                ));
            }
            folder
        }
        (None, None) => {
            if lacks_table {
                print_note(
                    "note: the run of the checkpoint has no metrics.csv, so the run does not go on in that folder",
                );
            }
            RunFolder::create_numbered(&default_folder(&start.scene), &start.scene)?
        }
    };
    let every = args.metrics_every.or(args.every).or(folder.spacing).unwrap_or(args.steps.div_ceil(100).max(1));
    let states = args.states_every.or(args.every.map(StatesEvery::Steps));
    let known = run_folder.filter(|_| args.track.is_none());
    let known = known.and_then(|folder| Tracks::known(&folder, start.scene.agent_count()));
    if let Some((ids, _)) = &known {
        print_note(&format!("note: tracks.csv goes on with its {} agents", ids.len()));
    }
    let (ids, spacing) = known.map_or_else(|| Ok::<_, Failure>((tracked(args, &start.scene)?, None)), Ok)?;
    let tracks = match ids.is_empty() {
        true => None,
        false => Some(Track {
            table: Tracks::open(folder.path(), &start.scene, start.step())?,
            ids,
            every: args.track_every.or(spacing).unwrap_or(every),
        }),
    };
    let events = match events_every {
        None => None,
        Some(every) => Some((EventTables::open(folder.path(), &start.scene, start.step())?, every)),
    };
    let mut run = Run {
        tracks,
        events,
        manifest: begin_manifest(args, &start, &recipe, &computed, place, every),
        folder,
        last_state: states != Some(StatesEvery::Never),
        states_every: states.and_then(|states| if let StatesEvery::Steps(steps) = states { Some(steps) } else { None }),
        checkpoint_every: args.checkpoint_every,
        recipe,
        computed,
        spatial: start.scene.world.spatial,
    };
    run.manifest.states.every = run.states_every;
    let record = |track: &Track| TracksRecord { file: "tracks.csv", every: track.every, agents: track.ids.len() };
    let files = EventTables::names(&start.scene);
    run.manifest.events = events_every.map(|every| EventsRecord { files, every, unlisted: 0 });
    run.manifest.tracks = run.tracks.as_ref().map(record);
    let bar = progress_bar(args.steps);
    let mut walk = Walk::new(Shared::new(engine, &interrupt, &bar), start.step(), args.steps, every);
    let (tracked, seen) = (run.tracks.as_ref().map(|track| track.every), events_every);
    walk.stops = [run.states_every, run.checkpoint_every, tracked, seen].into_iter().flatten().collect();
    walk.until = until;
    run.manifest.timings.setup = begun.elapsed().as_secs_f64();
    bar.set_position(walk.step);
    run.folder.forget_end()?;
    let result = run.walk(&mut walk, args.checkpoint_at_end);
    bar.finish_and_clear();
    let recorded = run.finish(begun, &mut walk, &interrupt, &result);
    if let (Err(_), Err(error)) = (&result, &recorded) {
        // The first failure is the one that the user has to fix.
        print_note(&format!("note: the record of the run cannot be written either: {error}"));
    }
    let (step, reached) = (walk.step, run.folder.reached);
    if step < reached {
        print_note(&format!(
            "note: the run had rows up to step {reached}, and now ends with step {step}; to compute the others again, \
             go on to --steps {reached} from a checkpoint of step {step} or before"
        ));
    }
    let end = result?;
    recorded?;
    let tables =
        ["metrics", "tracks", "events", "crossings"].map(|name| run.folder.path().join(name).with_extension("csv"));
    // A Parquet file that exists already is rewritten: it has the rows from before the run was resumed.
    let wanted = |table: &&PathBuf| table.exists() && (args.parquet || table.with_extension("parquet").exists());
    // Convert all before anything is printed, because printing may fail. Files that were written are named even if another one failed.
    let written: Vec<_> = tables.iter().filter(wanted).map(|table| super::parquet::write_beside(table)).collect();
    print(&run.summary(&walk, place))?;
    written.into_iter().try_for_each(|path| print(&format!("{}\n", path?.display())))?;
    match (end, &args.until) {
        (End::Stop(Signal { code, .. }), _) => Err(Failure::Interrupted { code }),
        (End::Steps, Some(until)) => {
            Err(Failure::Unmet(format!("--until {until}: not met within {} steps", args.steps)))
        }
        _ => Ok(run.manifest.digest),
    }
}

/// The ids of the agents that are tracked.
fn tracked(args: &Args, scene: &Scene) -> Result<Vec<u32>, Failure> {
    let ids = args.track.as_ref().map(|tracked| tracked.ids(scene.agent_count())).transpose();
    Ok(ids.map_err(|reason| Failure::Usage(format!("--track: {reason}")))?.unwrap_or_default())
}

fn default_folder(scene: &Scene) -> PathBuf {
    let stamp = humantime::format_rfc3339_seconds(SystemTime::now()).to_string().replace(['-', ':'], "");
    Path::new("out").join(format!("{}-{}-{stamp}", scene.name, scene.seed))
}

fn begin_manifest(
    args: &Args,
    start: &Start,
    recipe: &Recipe,
    computed: &Computed,
    place: &Backend,
    every: u64,
) -> Manifest {
    let (scene, columns) = (&start.scene, columns(start.scene.world.spatial));
    Manifest {
        program: "steerling",
        version: env!("CARGO_PKG_VERSION"),
        commit: super::COMMIT,
        command: command_line(),
        hash: start.hash(recipe, computed),
        scene: SceneRecord::new(scene, recipe),
        seed: scene.seed,
        agents: scene.agent_count(),
        dt: scene.dt,
        from: start.from.clone(),
        resumed: start.checkpoint.as_ref().map(|checkpoint| checkpoint.resumed.clone()),
        steps_asked: args.steps,
        until: args.until.clone(),
        ended: "error",
        device: Device::of(place),
        metrics: Metrics { file: "metrics.csv", every, columns: Columns::of(scene).names().to_vec() },
        states: States {
            dtype: "<f4",
            shape: [u64::from(scene.agent_count()), columns.len() as u64],
            columns,
            rows: "row i is the agent with id i",
            ..Default::default()
        },
        ..Default::default()
    }
}

/// The agents that are tracked.
struct Track {
    table: Tracks,
    ids: Vec<u32>,
    every: u64,
}

impl Track {
    fn keep(&mut self, step: u64, engine: &Shared) -> Result<(), Failure> {
        let ids = self.ids.clone();
        Ok(self.table.add(step, &self.ids, &engine.ask(move |engine| engine.agents(&ids))?)?)
    }
}

/// What a run writes.
struct Run {
    tracks: Option<Track>,
    /// The tables of events, and the number of steps after which they are written.
    events: Option<(EventTables, u64)>,
    folder: RunFolder,
    manifest: Manifest,
    /// Steps between states; `None` if no state is written before the end.
    states_every: Option<u64>,
    /// Is the state at the end written?
    last_state: bool,
    /// Steps between checkpoints; `None` if none are written before the end.
    checkpoint_every: Option<u64>,
    recipe: Recipe,
    computed: Computed,
    spatial: bool,
}

impl Witness<Shared> for Run {
    fn row(&mut self, step: u64, seen: &Observation) -> Result<(), Failure> {
        // The manifest takes the observation first, in case it cannot be written to the metrics.
        self.manifest.see(step, seen);
        Ok(self.folder.observe(step, seen)?)
    }

    fn stop(&mut self, step: u64, engine: &Shared) -> Result<(), Failure> {
        let due = |every: Option<u64>| every.is_some_and(|every| step.is_multiple_of(every));
        if due(self.states_every) {
            self.keep_state(step, engine)?;
        }
        if let Some(track) = self.tracks.as_mut().filter(|track| due(Some(track.every))) {
            track.keep(step, engine)?;
        }
        // A checkpoint does not hold the list of events, so its events are written before.
        if self.events.as_ref().is_some_and(|(_, every)| due(Some(*every))) || due(self.checkpoint_every) {
            self.keep_events(engine)?;
        }
        if due(self.checkpoint_every) && step > 0 {
            self.checkpoint(engine)?;
        }
        Ok(())
    }
}

impl Run {
    fn walk(&mut self, walk: &mut Walk<Shared>, checkpoint_at_end: bool) -> Result<End<Signal>, Failure> {
        if self.states_every.is_some_and(|every| walk.step.is_multiple_of(every)) {
            self.keep_state(walk.step, &walk.host)?;
        }
        if let Some(track) = self.tracks.as_mut().filter(|track| walk.step.is_multiple_of(track.every)) {
            track.keep(walk.step, &walk.host)?;
        }
        let end = walk.go(self)?;
        self.keep_events(&walk.host)?;
        if self.last_state {
            self.keep_state(walk.step, &walk.host)?;
        }
        let is_kept = walk.step > 0 && self.checkpoint_every.is_some_and(|every| walk.step.is_multiple_of(every));
        if checkpoint_at_end && !is_kept {
            self.checkpoint(&walk.host)?;
        }
        Ok(end)
    }

    /// Write a checkpoint. The tables up to it are made durable first: a run that goes on from it adds to them.
    fn checkpoint(&self, engine: &Shared) -> Result<(), Failure> {
        self.tracks.as_ref().map_or(Ok(()), |track| track.table.sync())?;
        self.events.as_ref().map_or(Ok(()), |(tables, _)| tables.sync())?;
        self.folder.checkpoint(&self.recipe, &self.computed, &engine.ask(|engine| engine.snapshot())?)?;
        Ok(())
    }

    /// Write the events since the last call.
    fn keep_events(&mut self, engine: &Shared) -> Result<(), Failure> {
        let (Some((tables, _)), Some(record)) = (&mut self.events, &mut self.manifest.events) else {
            return Ok(());
        };
        let taken = engine.ask(|engine| engine.take_events())?;
        record.unlisted += u64::from(taken.unlisted);
        Ok(tables.add(&taken)?)
    }

    /// Write the current state, unless it is written already.
    fn keep_state(&mut self, step: u64, engine: &Shared) -> Result<(), Failure> {
        let name = RunFolder::state_name(step);
        if !self.folder.states().contains(&name) {
            // In parts, so that no second copy of the state takes memory beside the simulation.
            let agents = self.manifest.agents;
            let share = agents.div_ceil(STATE_PARTS).max(FEWEST_AT_ONCE);
            let part = |first: u32| engine.ask(move |engine| engine.motion(first..agents.min(first + share)));
            self.folder.state(step, (agents, self.spatial), (0..agents).step_by(share as usize).map(part))?;
        }
        Ok(())
    }

    /// Write `run.json`, also after a failure.
    fn finish(
        &mut self,
        begun: Instant,
        walk: &mut Walk<Shared>,
        interrupt: &Interrupt,
        result: &Result<End<Signal>, Failure>,
    ) -> Result<(), OutputError> {
        walk.step_times.sort_by(f64::total_cmp);
        let manifest = &mut self.manifest;
        let signal = || interrupt.signal().map(|signal| signal.name);
        (manifest.ended, manifest.signal, manifest.error) = match result {
            Ok(End::Steps) => ("steps", None, None),
            Ok(End::Until) => ("until", None, None),
            Ok(End::Stop(signal)) => ("signal", Some(signal.name), None),
            Err(Failure::Interrupted { .. }) => ("signal", signal(), None),
            Err(failure) => {
                ("error", signal().filter(|_| manifest.steps < manifest.steps_asked), Some(failure.to_string()))
            }
        };
        self.folder.list_states(walk.step);
        manifest.states.files = self.folder.states().to_vec();
        manifest.timings.steps = walk.seconds;
        manifest.timings.step_median = walk.step_times.get(walk.step_times.len() / 2).copied();
        manifest.timings.total = begun.elapsed().as_secs_f64();
        self.folder.manifest(&self.manifest)
    }

    fn summary(&self, walk: &Walk<Shared>, place: &Backend) -> String {
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
        let done = walk.step - self.manifest.resumed.as_ref().map_or(0, |resumed| resumed.step);
        text += &format!("{}: {agents} agents, {done} steps in {:.2} s", scene.name, timings.steps);
        if let Some(median) = timings.step_median {
            text += &format!(" ({:.3} ms a step)", median * 1e3);
        }
        text += &format!(" on {}; digest {digest}, polarization {polarization:.3}", place.title());
        text += &mean_neighbors.map_or(String::new(), |neighbors| format!(", {neighbors:.2} neighbors"));
        if let (bad, Some(first)) = (self.manifest.bad_agents, self.manifest.first_bad) {
            text += &format!(", {bad} bad agents (the first is {first})");
        }
        if self.manifest.unseen > 0 {
            text +=
                &format!(", {} agents in crowded cells that no agent perceives (world.crowd)", self.manifest.unseen);
        }
        if let Some(record) = self.manifest.events.as_ref().filter(|record| record.unlisted > 0) {
            let lost = record.unlisted;
            text += &format!(", {lost} events are not listed: more than 65,535 happened between two writes (--events)");
        }
        text + "\n"
    }
}
