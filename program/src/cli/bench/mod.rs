//! `steerling bench`: the time of whole steps, and of pictures, in a fixed suite of worlds.

mod chart;
mod contest;
pub mod predictions;
mod report;
mod states;
mod suite;

use super::Failure;
use super::interrupt::Interrupt;
use super::render::parse_size;
use super::shared::{GpuArgs, PLAIN, note_written, plain, print, print_json, print_note, write_failure, write_file};
use contest::{Contestant, Runner, contest};
use report::{Comparison, Drawing, Report, Row};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use steerling::files;
use steerling::gpu::{Gpu, GpuError, Options, Simulation};
use steerling::measure::{FEWEST, Ratio, median};
use steerling::model::{BufferId, Snapshot, State};
use steerling::output::write_state;
use steerling::render::{Offscreen, Renderer, View};
use suite::World;
use tempfile::TempDir;

/// Default numbers of agents.
const SIZES: [u32; 4] = [1 << 16, 1 << 18, 1 << 20, 1 << 22];
/// The same on an adapter that computes on the CPU.
const FEW: [u32; 2] = [1 << 12, 1 << 14];

#[derive(Debug, Clone, Default, clap::Args)]
#[command(after_long_help = "\
A sample times a few steps that are submitted together, always from the same state, until they are complete. Flocked states are computed
once and kept (--cache).

Examples:
  steerling bench
  steerling bench bw_2d bw_3d --agents 262144,1048576 --json > before.json
  steerling bench bw_2d bw_3d --agents 262144,1048576 --baseline before.json --bound 1.05
  steerling bench flock --baseline plain --plot flock.svg
  steerling bench bw_2d --agents 65536 --against 'python3 theirs.py --agents {agents} --state {state}'

Exit code 3 if --bound is given and the whole 95 % interval of a ratio lies above it.")]
pub struct Args {
    /// Worlds to run [default: all]
    names: Vec<String>,
    /// List the worlds, and run none
    #[arg(long)]
    list: bool,
    /// Numbers of agents; the worlds grow so that density stays [default: 65536 to 4194304, as many as fit; 4096 and 16384 on an
    /// adapter that computes on the CPU]
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    agents: Vec<u32>,
    /// Run only fresh states, or only flocked ones
    #[arg(long, value_name = "fresh|flocked", value_parser = [FRESH, FLOCKED])]
    state: Option<String>,
    /// Samples of each row
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    samples: u32,
    /// Steps of a sample [default: as many as take 20 ms, up to 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    steps: Option<u32>,
    /// Seed of all random numbers
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Compare with what an earlier --json printed, or with the common design in turn with ours: `plain` has cells as wide as the
    /// perception radius, whole rows, and the order of threads within a cell
    #[arg(long, value_name = "plain|FILE")]
    baseline: Option<String>,
    /// Fail where the ratio to the baseline is above this; at least 6 samples are needed on both sides
    #[arg(long, value_name = "RATIO", requires = "baseline", allow_negative_numbers = true, value_parser = parse_bound)]
    bound: Option<f64>,
    /// Run a command in turn with ours. It prints the milliseconds of a step as JSON: a number, or an object with `median_ms`.
    /// {agents}, {dimensions} and {state}, an NPY file of where ours starts, are put in. More than 1 MiB of output is an
    /// error; `timeout` before the command bounds its time
    #[arg(long, value_name = "COMMAND")]
    against: Option<String>,
    /// Also predict the time of each row on known GPUs, and print how far such predictions are from what others published
    #[arg(long)]
    predict: bool,
    /// Do not time pictures
    #[arg(long)]
    no_drawing: bool,
    /// Width and height of the pictures, px
    #[arg(long, value_name = "WxH", default_value = "1920x1080", value_parser = parse_size)]
    size: (u32, u32),
    /// Folder in which flocked states are kept [default: steerling/bench in the system's folder for caches]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Print the figures and every sample as JSON
    #[arg(long)]
    json: bool,
    /// Write a chart of the time per agent against the number of agents
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Overwrite the chart if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    gpu: GpuArgs,
}

const FRESH: &str = "fresh";
const FLOCKED: &str = "flocked";

fn parse_bound(text: &str) -> Result<f64, String> {
    let bound = text.parse().ok().filter(|bound| (0.01..=100.0).contains(bound));
    bound.ok_or_else(|| "give a ratio from 0.01 to 100, such as 1.05".into())
}

pub fn run(args: Args) -> Result<(), Failure> {
    let worlds = World::select(&args.names)?;
    if args.list {
        let lines = worlds.iter().map(|world| Ok(format!("{:12} {}\n", world.name, world.shows()?)));
        return print(&lines.collect::<Result<String, Failure>>()?);
    }
    if args.bound.is_some() && (args.samples as usize) < FEWEST {
        return Err(Failure::Usage(format!("--bound needs at least --samples {FEWEST}")));
    }
    if let Some(path) = &args.plot {
        if path.extension().is_none_or(|ending| ending != "svg") {
            let path = path.display();
            return Err(Failure::Usage(format!("--plot {path}: the chart is an SVG, so the name must end in .svg")));
        }
        files::check(path, args.force).map_err(|error| write_failure(path, &error))?;
    }
    let earlier = args.baseline.as_deref().filter(|name| *name != PLAIN).map(|name| Report::read(Path::new(name)));
    let earlier = earlier.transpose()?;
    let gpu = args.gpu.open()?;
    if let Some(earlier) = earlier.as_ref().filter(|earlier| earlier.adapter != gpu.title()) {
        print_note(&format!("warning: the baseline was measured on another adapter, {}", earlier.adapter));
    }
    let interrupt = Interrupt::listen()?;
    let mut report = Report {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        adapter: gpu.title(),
        exact: gpu.exact,
        interrupted: false,
        rows: Vec::new(),
        published: Vec::new(),
    };
    // Dropped with this function, even if an abandoned thread still works on a row.
    let states = TempDir::new().map_err(|error| Failure::Other(format!("no folder for states: {error}")))?;
    let bench = Arc::new(Bench {
        states: states.path().to_owned(),
        options: args.gpu.options()?,
        cache: args.cache.clone().or_else(states::default_folder),
        gpu,
        earlier,
        interrupt,
        args,
    });
    if !bench.args.json {
        let baseline = bench.args.baseline.as_deref().map(|name| if name == PLAIN { PLAIN } else { "baseline" });
        print(&report::head(&report.adapter, baseline, bench.args.against.is_some()))?;
    }
    let result = measure_rows(&bench, &worlds, &mut report.rows);
    report.interrupted = matches!(result, Err(Failure::Interrupted { .. }));
    if bench.args.predict {
        report.published = predictions::checks(&bench.options)?;
        if !bench.args.json {
            print(&predictions::table(&report.rows, &report.published))?;
        }
    }
    // The rows so far are printed even after a failure.
    if bench.args.json {
        print_json(&report)?;
    }
    if let (Some(path), Some(svg)) = (&bench.args.plot, chart::chart(&report)) {
        write_file(path, bench.args.force, svg.as_bytes())?;
        note_written(path);
    }
    result?;
    bench.judge(&report.rows)
}

/// A benchmark under way.
struct Bench {
    args: Args,
    gpu: Gpu,
    options: Options,
    cache: Option<PathBuf>,
    earlier: Option<Report>,
    interrupt: Interrupt,
    /// Temporary folder for the states that the commands of `--against` ask for.
    states: PathBuf,
}

/// Measure the rows of these worlds, and print each as soon as it is done. A signal abandons the row under way.
fn measure_rows(bench: &Arc<Bench>, worlds: &[World], rows: &mut Vec<Row>) -> Result<(), Failure> {
    let asked = !bench.args.agents.is_empty();
    let usual = if bench.gpu.software() { &FEW[..] } else { &SIZES[..] };
    let sizes = if asked { bench.args.agents.clone() } else { usual.to_vec() };
    for world in worlds {
        for &agents in sizes.iter().filter(|agents| asked || world.runs_unasked(**agents)) {
            for state in [FRESH, FLOCKED] {
                let wanted = bench.args.state.as_deref().is_none_or(|only| only == state);
                if !wanted || (state == FLOCKED && world.flocked_after == 0) {
                    continue;
                }
                let (working, world) = (Arc::clone(bench), *world);
                let row = bench.interrupt.run_abandonable(move || working.row(&world, agents, state, asked))??;
                if let Some(row) = row.as_ref().filter(|_| !bench.args.json) {
                    print(&report::line(row))?;
                }
                rows.extend(row);
            }
        }
    }
    Ok(())
}

impl Bench {
    /// Take the samples of a row. `None` if its world does not fit the device; an error if the user asked for that number of agents.
    fn row(&self, world: &World, agents: u32, state: &str, asked: bool) -> Result<Option<Row>, Failure> {
        let scene = world.scene(agents, self.args.seed)?;
        if let Err(error) = Simulation::check(&self.gpu, &scene, &self.options) {
            if asked || !matches!(error, GpuError::TooLarge { .. } | GpuError::OutOfMemory { .. }) {
                return Err(error.into());
            }
            print_note(&format!("note: left out: {error}"));
            return Ok(None);
        }
        let mut ours = Simulation::new(&self.gpu, &scene, &State::initial(&scene), self.options.clone())?;
        let start = match state {
            FRESH => ours.snapshot()?,
            _ => {
                let (steps, folder) = (world.flocked_after, self.cache.as_deref());
                let flocked = states::flocked(ours, steps, &self.options, folder, &self.interrupt)?;
                ours = flocked.0;
                flocked.1
            }
        };
        let (start, digest) = (Arc::new(start), ours.observe()?.digest_hex());
        let mut ours = Runner::new(ours, start.clone(), self.args.steps)?;
        let mut others = Vec::new();
        let plain = self.args.baseline.as_deref() == Some(PLAIN);
        if plain {
            others.push(Contestant::Steps(Box::new(self.plain(&ours, &start)?)));
        }
        let temporary =
            self.args.against.as_deref().map(|command| self.fill_placeholders(command, &start)).transpose()?;
        others.extend(temporary.as_ref().map(|(command, _)| Contestant::Program(command.clone())));
        let mut times = contest(&mut ours, &mut others, self.args.samples, &self.interrupt)?.into_iter().peekable();
        let samples = times.next().unwrap_or_default();
        let plain = times.next_if(|_| plain);
        let program = times.next();
        let mut row = Row {
            bench: world.name.to_owned(),
            state: state.to_owned(),
            agents,
            after_steps: start.steps,
            digest,
            neighbors: ours.neighbors,
            steps_per_sample: ours.steps,
            step_ms: median(&samples),
            ns_per_agent: median(&samples) * 1e6 / f64::from(agents),
            samples_ms: samples,
            draw: if self.args.no_drawing { None } else { Some(self.draw(&ours.simulation)?) },
            predictions: match self.args.predict {
                true => predictions::predict(&ours.simulation, &start, &self.options)?,
                false => Vec::new(),
            },
            baseline: None,
            against: None,
        };
        row.baseline = match self.earlier.as_ref().map(|earlier| earlier.like(&row)) {
            Some(Some(then)) => {
                let same = then.digest == row.digest;
                Comparison::new("baseline", &row.samples_ms, &then.samples_ms, same)
            }
            Some(None) => None,
            None => plain.and_then(|plain| Comparison::new(PLAIN, &row.samples_ms, &plain, true)),
        };
        row.against = program.and_then(|program| Comparison::new("program", &row.samples_ms, &program, true));
        Ok(Some(row))
    }

    /// A runner of the common design, from the same state as `ours` and with as many steps in a sample.
    fn plain(&self, ours: &Runner, start: &Arc<Snapshot>) -> Result<Runner, Failure> {
        let plain = Simulation::new(&self.gpu, ours.simulation.scene(), &start.state(), plain(&self.options))?;
        Runner::new(plain, start.clone(), Some(ours.steps))
    }

    /// Time pictures of the current state of a simulation.
    fn draw(&self, simulation: &Simulation) -> Result<Drawing, Failure> {
        let (gpu, size) = (&self.gpu, self.args.size);
        let target = Offscreen::new(gpu, size)?;
        let mut renderer = Renderer::new(gpu, Offscreen::FORMAT, simulation.scene())?;
        let mut view = View::from_scene(simulation.scene());
        if simulation.scene().camera.follow {
            let [positions, ids] = [BufferId::Position, BufferId::Id].map(|buffer| simulation.words(buffer));
            view.follow(&positions?, &ids?, 1.0, size);
        }
        let mut samples = Vec::new();
        // The first picture also makes what all later ones use; its time is removed.
        for _ in 0..=self.args.samples {
            let start = Instant::now();
            target.draw(&mut renderer, simulation, &view);
            gpu.wait()?;
            samples.push(start.elapsed().as_secs_f64() * 1e3);
            self.interrupt.check()?;
        }
        samples.remove(0);
        Ok(Drawing { size, draw_ms: median(&samples), samples_ms: samples })
    }

    /// A command with its placeholders filled in, and the folder of the state that it may ask for.
    fn fill_placeholders(&self, command: &str, start: &Snapshot) -> Result<(String, Option<TempDir>), Failure> {
        let dimensions = if start.spatial() { "3" } else { "2" };
        let filled = command.replace("{agents}", &start.agents().to_string()).replace("{dimensions}", dimensions);
        if !filled.contains("{state}") {
            return Ok((filled, None));
        }
        let folder =
            TempDir::new_in(&self.states).map_err(|error| Failure::Other(format!("no folder for a state: {error}")))?;
        let path = folder.path().join("state.npy");
        let shape = (start.agents(), start.spatial());
        write_state(&path, false, shape, std::iter::once(Ok::<_, Failure>(start.state())))?;
        Ok((filled.replace("{state}", &path.display().to_string()), Some(folder)))
    }

    /// Is every row within the bound?
    fn judge(&self, rows: &[Row]) -> Result<(), Failure> {
        if self.earlier.is_some() && rows.iter().all(|row| row.baseline.is_none()) {
            let path = self.args.baseline.as_deref().unwrap_or_default();
            let reason = "has no row with the world, state and number of agents of any row of this run";
            return Err(Failure::data(Path::new(path), reason));
        }
        let Some(bound) = self.args.bound else { return Ok(()) };
        let ratios = || rows.iter().filter_map(|row| Some((row, row.baseline.as_ref()?.ratio)));
        if ratios().any(|(_, ratio)| ratio.low.is_none()) {
            let reason = format!("--bound needs at least {FEWEST} samples, and a row of the baseline has fewer");
            return Err(Failure::Other(reason));
        }
        let is_slower = |ratio: &Ratio| ratio.low.is_some_and(|low| low > bound);
        let slower = ratios().filter(|(_, ratio)| is_slower(ratio));
        let slower = slower.map(|(row, ratio)| format!("{}, {}, {} agents: {ratio}", row.bench, row.state, row.agents));
        match slower.collect::<Vec<_>>() {
            slower if slower.is_empty() => Ok(()),
            slower => Err(Failure::Mismatch(format!("slower than {bound} of the baseline: {}", slower.join("; ")))),
        }
    }
}
