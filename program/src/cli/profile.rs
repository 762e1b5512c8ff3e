//! `steerling profile`: the time of every stage on the GPU.

mod other;
mod tables;

use super::Failure;
use super::bench::predictions::on_gpus;
use super::capture::Capture;
use super::shared::{GpuArgs, SceneArgs, note_written, print_note, print_report, write_failure, write_file};
use super::start::{open_state, read_state};
use other::{Other, SHADERS};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use steerling::engine::Backend;
use steerling::files;
use steerling::gpu::{Gpu, GpuError, Options, Simulation, StepTimer, Times, quantile};
use steerling::measure::{Advice, Ceilings, Facts, Instructions, Load, Prediction, Ratio, SearchLoop, Work, turns};
use steerling::model::{CompiledScene, MapMemory, StageId, State};
use tables::{table, trace};

#[derive(Debug, Clone, Default, clap::Args)]
#[command(after_long_help = "\
Steps are timed in a realistic state: after a warm-up until the number of neighbors is steady, or from a given state. The report also
says what was counted in that state, and what would make the step faster.

Examples:
  steerling profile flock --agents 100000
  steerling profile flock --agents 1000000 --warmup 3 --against plain
  steerling profile bw.toml --from flocked.npy --against shaders=my-shaders
  steerling profile murmuration --json > before.json
  steerling profile murmuration --against before.json
  renderdoccmd capture -w -d . steerling profile flock --agents 10000 --capture flock.rdc")]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    #[command(flatten)]
    gpu: GpuArgs,
    /// Steps to time
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    steps: u32,
    /// Steps to run before [default: until the mean number of neighbors changes by less than 1 % in 50 steps, at least 200 and at
    /// most 2000 steps, and no longer than a minute; with --from 3]
    #[arg(long)]
    warmup: Option<u32>,
    /// Start from this state, as `run --from` does
    #[arg(long, value_name = "FILE.npy")]
    from: Option<PathBuf>,
    /// Also run something else, alternating step by step, and print the ratio of medians with a 95 % interval: `plain` is the common
    /// design (cells as wide as the perception radius, whole rows, the order of threads within a cell) with the same scene and
    /// state; `stages` the same step with each stage in passes of its own; shaders=DIR the same with other shaders, both sides with
    /// bounds checks; workgroup-size=K the same in workgroups of 64, 128 or 256; FILE.json compares with what --json printed before;
    /// anything else is another scene, without the changes of --set
    #[arg(long, visible_alias = "baseline", value_name = "plain|stages|shaders=DIR|workgroup-size=K|FILE.json|SCENE")]
    against: Option<String>,
    /// Also print how long the step would take on known GPUs
    #[arg(long)]
    predict: bool,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
    /// Write the timed steps as a trace that chrome://tracing and Perfetto open
    #[arg(long, value_name = "FILE")]
    chrome_trace: Option<PathBuf>,
    /// After the timed steps, capture two steps stage by stage and two in a row for RenderDoc, with all names and the lines of
    /// shaders. The program must run under RenderDoc: renderdoccmd capture -w -d . steerling profile ...; -d is the folder that paths
    /// start from
    #[arg(long, value_name = "FILE.rdc")]
    capture: Option<PathBuf>,
    /// Overwrite the files of --chrome-trace and --capture if they exist
    #[arg(long)]
    force: bool,
}

/// Steps of the warm-up from one look at the mean number of neighbors to the next.
const BLOCK: u32 = 50;
/// The number of neighbors is steady if it changes by at most this share within a block.
const STEADY: f64 = 0.01;
/// Flocks need some time to begin to form.
const LEAST_WARMUP: u32 = 200;
const MOST_WARMUP: u32 = 2000;
const LONGEST_WARMUP: Duration = Duration::from_secs(60);
/// Steps before the timed ones where a state is given.
const WARMUP_OF_STATE: u32 = 3;

#[derive(Serialize)]
struct StageFigures {
    stage: StageId,
    dispatches: usize,
    median_ms: f64,
    p95_ms: f64,
    share: f64,
    bytes: u64,
    bytes_per_agent: f64,
    gb_per_s: f64,
    /// Instructions of its code: the body of each loop counted once, both sides of each branch.
    instructions: u32,
}

#[derive(Serialize)]
struct Figures {
    adapter: String,
    exact: bool,
    scene: String,
    agents: u32,
    cells: u32,
    /// Memory that the map takes; `None` without a map.
    #[serde(skip_serializing_if = "Option::is_none")]
    map: Option<MapMemory>,
    steps: u32,
    #[serde(flatten)]
    start: Start,
    passes_timed: bool,
    dropped_timestamps: u32,
    step_median_ms: f64,
    step_p95_ms: f64,
    samples_ms: Vec<f64>,
    agents_per_s: f64,
    dispatches: usize,
    memory_bytes: u64,
    lanes_in_step: u32,
    stages: Vec<StageFigures>,
    /// What the reference counted; `None` if memory is too short for it.
    load: Option<Load>,
    search_loop: Option<SearchLoop>,
    ceilings: Ceilings,
    floor: Floor,
    advice: Vec<Advice>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    predictions: Vec<Prediction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<BaselineFigures>,
}

/// The state from which the timed steps begin.
#[derive(Serialize)]
struct Start {
    /// Steps of the warm-up.
    warmup: u32,
    /// File of the state that the warm-up began from, if the user gave one.
    from: Option<String>,
    /// Was the number of neighbors steady? `None` if the length of the warm-up was fixed.
    steady: Option<bool>,
    /// Mean number of neighbors.
    neighbors: f64,
}

/// The shares of the measured step that its parts would take at the ceilings of the device; `None` without a ceiling.
#[derive(Serialize, Default)]
struct Floor {
    copy: Option<f64>,
    search: Option<f64>,
    dispatches: Option<f64>,
}

#[derive(Serialize)]
struct BaselineFigures {
    name: String,
    step_median_ms: f64,
    /// Median of ours over median of the baseline's: below 1 is faster.
    #[serde(flatten)]
    ratio: Ratio,
    samples_ms: Vec<f64>,
}

/// The fields that are read of what `--json` printed earlier.
#[derive(Deserialize)]
struct Earlier {
    adapter: String,
    scene: String,
    agents: u32,
    samples_ms: Vec<f64>,
}

pub fn run(args: Args) -> Result<(), Failure> {
    for path in args.chrome_trace.iter().chain(&args.capture) {
        files::check(path, args.force).map_err(|error| write_failure(path, &error))?;
    }
    let capture = args.capture.as_ref().map(|path| Capture::new().map(|capture| (capture, path))).transpose()?;
    if capture.is_some() {
        Gpu::name_for_debuggers();
    }
    let scene = args.scene.open()?;
    let (scene, file) = open_state(args.from.as_deref(), scene, args.scene.agents)?;
    let mut options = args.gpu.options()?;
    if args.against.as_ref().is_some_and(|name| name.starts_with(SHADERS)) {
        options.shaders = options.shaders.as_user_shaders();
    }
    let other = args.against.as_deref().map(|name| Other::read(name, &args.scene, &options)).transpose()?;
    let gpu = args.gpu.open()?;
    Simulation::check(&gpu, &scene, &options)?;
    if let Some(Other::Scene(theirs)) = &other {
        Simulation::check(&gpu, theirs, &options)?;
    }
    let state = read_state(file, &scene)?;
    let mut ours = Simulation::new(&gpu, &scene, &state, options.clone())?;
    drop(state);
    let start = warm_up(&mut ours, &args)?;
    let snapshot = ours.snapshot()?;

    let mut theirs = other.as_ref().map_or(Ok(None), |other| other.simulation(&ours, &options, start.warmup))?;
    let origin = Instant::now();
    let timer = StepTimer::since(origin, &ours);
    let other_timer = theirs.as_ref().map(|theirs| StepTimer::since(origin, theirs));
    let (mut times, mut other_times) = (Times::default(), Times::default());
    for step in 0..args.steps {
        for turn in turns(2, step as usize) {
            match (&mut theirs, &other_timer) {
                (Some(theirs), Some(timer)) if turn == 1 => timer.step(theirs, &mut other_times)?,
                _ if turn == 0 => timer.step(&mut ours, &mut times)?,
                _ => {}
            }
        }
    }
    ours.observe()?;
    theirs.as_ref().map_or(Ok(()), |theirs| theirs.observe().map(drop))?;

    let load = match Backend::Cpu.check(&scene) {
        Ok(()) => Some(Load::count(&scene, &snapshot).map_err(GpuError::from)?),
        Err(error) => {
            print_note(&format!("note: nothing is counted: {error}"));
            None
        }
    };
    let mut figures = figures(&args, &ours, start, &timer, &times)?;
    figures.load = load;
    figures.map = MapMemory::of(&scene, gpu.software())?;
    figures.floor = floor(&mut figures);
    if let Some(load) = &figures.load {
        let share = |id| figures.stages.iter().find(|stage| stage.stage == id).map(|stage| stage.share);
        let scaled = match args.scene.agents {
            Some(_) => scene.world.size[0] / SceneArgs { agents: None, ..args.scene.clone() }.open()?.world.size[0],
            None => 1.0,
        };
        let facts = Facts {
            scene: &scene,
            scaled,
            snapshot: &snapshot,
            options: &options,
            load,
            search: figures.search_loop,
            lanes: figures.lanes_in_step,
            steer: share(StageId::Steer).or_else(|| share(StageId::Stride)).filter(|_| figures.passes_timed),
            scan: share(StageId::Scan).filter(|_| figures.passes_timed),
            launch_share: figures.floor.dispatches.unwrap_or(0.0),
            memory_share: figures.floor.copy.unwrap_or(0.0),
        };
        figures.advice = facts.advice()?;
        if args.predict {
            let model = CompiledScene::new(&scene, options.grid)?;
            figures.predictions = on_gpus(&model, load, figures.search_loop.unwrap_or_default(), &options)?;
        }
    }
    figures.baseline = other.and_then(|other| {
        let name = args.against.clone().unwrap_or_default();
        let samples = match other {
            Other::Earlier(earlier) => earlier.samples_ms,
            _ => milliseconds(&other_times),
        };
        let ratio = Ratio::of_medians(&figures.samples_ms, &samples)?;
        Some(BaselineFigures { name, step_median_ms: quantile(&samples, 0.5), ratio, samples_ms: samples })
    });
    print_report(&figures, args.json, table)?;
    if let Some(path) = &args.chrome_trace {
        let mut sides = vec![("ours", &ours, &times)];
        sides.extend(theirs.as_ref().map(|theirs| (args.against.as_deref().unwrap_or_default(), theirs, &other_times)));
        write_file(path, args.force, trace(&sides).as_bytes())?;
        note_written(path);
    }
    if let Some((capture, path)) = capture {
        capture.take(&mut ours, path, args.force)?;
        note_written(path);
    }
    Ok(())
}

/// Run the warm-up: for a fixed number of steps, or until the number of neighbors is steady.
fn warm_up(simulation: &mut Simulation, args: &Args) -> Result<Start, GpuError> {
    let from = args.from.as_ref().map(|path| path.display().to_string());
    let fixed = args.warmup.or(from.is_some().then_some(WARMUP_OF_STATE));
    let (mut warmup, mut steady) = (fixed.unwrap_or(0), None);
    simulation.step(warmup)?;
    let mut neighbors = simulation.observe()?.mean_neighbors;
    let begin = Instant::now();
    while fixed.is_none() && steady != Some(true) && warmup < MOST_WARMUP && begin.elapsed() < LONGEST_WARMUP {
        simulation.step(BLOCK)?;
        warmup += BLOCK;
        let now = simulation.observe()?.mean_neighbors;
        steady = Some((now - neighbors).abs() <= STEADY * now && warmup >= LEAST_WARMUP);
        neighbors = now;
    }
    Ok(Start { warmup, from, steady, neighbors })
}

fn milliseconds(times: &Times) -> Vec<f64> {
    times.steps.iter().map(|seconds| seconds * 1e3).collect()
}

/// The shares of the step. A ceiling at which a part would take longer than the whole step is none, and is removed.
fn floor(f: &mut Figures) -> Floor {
    let step = (f.step_median_ms / 1e3).max(1e-12);
    let share = |ceiling: &mut Option<f64>, time: &dyn Fn(f64) -> f64| {
        let share = ceiling.map(|ceiling| time(ceiling) / step).filter(|share| *share <= 1.0);
        *ceiling = ceiling.filter(|_| share.is_some());
        share
    };
    let bytes: u64 = f.stages.iter().map(|stage| stage.bytes).sum();
    let search = f.search_loop.unwrap_or_default();
    let counted = |load| Work::counted(load, f.lanes_in_step, f.agents, bytes, f.dispatches, search);
    let instructions = f.load.as_ref().map_or(0.0, |load| counted(load).search_instructions());
    let dispatches = f.dispatches as f64;
    Floor {
        copy: share(&mut f.ceilings.copy_gb_per_s, &|ceiling| bytes as f64 / (ceiling * 1e9)),
        search: share(&mut f.ceilings.instructions_g_per_s, &|ceiling| instructions / (ceiling * 1e9)),
        dispatches: share(&mut f.ceilings.dispatch_us, &|ceiling| dispatches * ceiling * 1e-6),
    }
}

fn figures(
    args: &Args,
    simulation: &Simulation,
    start: Start,
    timer: &StepTimer,
    times: &Times,
) -> Result<Figures, Failure> {
    let options = args.gpu.options()?;
    let stage_times = times.stages(simulation);
    let instructions = Instructions::count(simulation.model(), &options)?;
    let total: f64 = stage_times.iter().map(|(_, t)| quantile(t, 0.5)).sum();
    let stage = |(stage, times): &(&'static steerling::model::Stage, Vec<f64>)| {
        let median = quantile(times, 0.5);
        let own = || simulation.of_step().filter(|p| p.stage.id == stage.id);
        let bytes = own().map(|p| simulation.least_traffic(p)).sum();
        StageFigures {
            stage: stage.id,
            dispatches: own().count(),
            median_ms: median * 1e3,
            p95_ms: quantile(times, 0.95) * 1e3,
            share: if total > 0.0 { median / total } else { 0.0 },
            bytes,
            bytes_per_agent: bytes as f64 / f64::from(simulation.model().world.agent_count.max(1)),
            gb_per_s: if median > 0.0 { bytes as f64 / median / 1e9 } else { 0.0 },
            instructions: own().filter_map(|p| Some(instructions.passes.iter().find(|code| code.0 == p.id)?.1)).sum(),
        }
    };
    let median = quantile(&times.steps, 0.5);
    let world = &simulation.model().world;
    Ok(Figures {
        adapter: simulation.gpu().title(),
        exact: simulation.gpu().exact,
        scene: simulation.scene().name.clone(),
        agents: world.agent_count,
        cells: world.cell_count,
        map: None,
        steps: args.steps,
        start,
        passes_timed: timer.times_passes(),
        dropped_timestamps: times.dropped,
        step_median_ms: median * 1e3,
        step_p95_ms: quantile(&times.steps, 0.95) * 1e3,
        samples_ms: milliseconds(times),
        agents_per_s: if median > 0.0 { f64::from(world.agent_count) / median } else { 0.0 },
        dispatches: simulation.of_step().count(),
        memory_bytes: simulation.allocated_bytes(),
        lanes_in_step: simulation.gpu().info.subgroup_max_size.max(1),
        stages: stage_times.iter().map(stage).collect(),
        load: None,
        search_loop: instructions.search,
        ceilings: Ceilings::measure(simulation.gpu())?,
        floor: Floor::default(),
        advice: Vec::new(),
        predictions: Vec::new(),
        baseline: None,
    })
}
