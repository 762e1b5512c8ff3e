//! `steerling sweep`: one scene at many points, one after the other on one device.

use super::Failure;
use super::engine::{DeviceKind, open_backend, record};
use super::interrupt::Interrupt;
use super::shared::{GpuArgs, print, tell, until};
use super::walk::{End, Walk, Witness, progress_bar};
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use steerling::engine::{Backend, Engine};
use steerling::files;
use steerling::model::{Observation, State};
use steerling::output::{Columns, Computed, Decides, Device, Recipe, Table};
use steerling::scene::{Experiment, Scene};

/// Arguments of `steerling sweep`.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The experiment: a scene, what varies, and how long it runs (docs/experiments.md)
    experiment: PathBuf,
    /// Folder for table.csv and sweep.json. A sweep that is there already goes on where it stopped [default: out/EXPERIMENT]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// What computes the steps [default: a GPU where there is one]
    #[arg(long, value_enum)]
    device: Option<DeviceKind>,
    #[command(flatten)]
    gpu: GpuArgs,
}

/// What `sweep.json` says.
#[derive(Debug, Serialize)]
struct SweepRecord<'a> {
    program: &'static str,
    version: &'static str,
    commit: Option<&'static str>,
    command: Vec<String>,
    /// BLAKE3 hash of all that decides the table.
    hash: String,
    points: usize,
    /// The keys that vary.
    keys: Vec<&'a str>,
    columns: &'a [String],
    /// The file of the experiment, and of its scene.
    experiment: Source<'a>,
    scene: Source<'a>,
    device: Device,
}

#[derive(Debug, Serialize)]
struct Source<'a> {
    origin: &'a str,
    text: &'a str,
}

/// What of it is read again.
#[derive(Debug, Deserialize)]
struct Known {
    hash: String,
}

/// Run `steerling sweep`.
pub fn run(args: Args) -> Result<(), Failure> {
    let path = args.experiment.to_string_lossy().into_owned();
    let experiment = Experiment::open(&path)?;
    let first = first_scene(&experiment)?;
    if !experiment.until.is_empty() {
        until(&experiment.until, &first)?;
    }
    let columns = columns(&experiment, &Columns::of(&first));
    let place = open_backend(args.device, &args.gpu)?;
    let stem = args.experiment.file_stem().unwrap_or_default();
    let out = args.out.unwrap_or_else(|| Path::new("out").join(stem));
    files::create_folders(&out).map_err(|error| Failure::File { path: out.clone(), reason: error.to_string() })?;
    keep_record(&out, &experiment, &first, &columns, &place)?;
    let table = Table::open(&out.join("table.csv"), &columns)?;
    let interrupt = Interrupt::listen()?;
    let bar = progress_bar(experiment.points() as u64 * u64::from(experiment.steps));
    let mut sweep = Sweep { experiment, first: Columns::of(&first), place, engine: None, table };
    let result = sweep.go(&interrupt, &bar);
    bar.finish_and_clear();
    let (table, points) = (&sweep.table, sweep.experiment.points());
    let shown = out.join("table.csv");
    if result.is_err() && table.points < points {
        let done = table.points;
        tell(&format!("note: {done} of {points} points are in {}; the same command goes on", shown.display()));
    }
    result?;
    print(&format!("{}: {points} points, {} rows\n", shown.display(), table.rows))?;
    match table.failed {
        0 => Ok(()),
        failed => {
            let text =
                format!("{failed} of {points} points failed; the column `error` of {} says why", shown.display());
            Err(Failure::Other(text))
        }
    }
}

/// The scene of the first point that has one. A mistake in the file makes all of them fail, and then it is told.
fn first_scene(experiment: &Experiment) -> Result<Scene, Failure> {
    let mut first = None;
    for point in 0..experiment.points() {
        match experiment.scene(point) {
            Ok(scene) => return Ok(scene),
            Err(error) => first.get_or_insert(error),
        };
    }
    Err(first.map_or_else(|| Failure::Usage("the experiment has no points".to_owned()), Failure::Scene))
}

fn columns(experiment: &Experiment, observed: &Columns) -> Vec<String> {
    let keys = experiment.vary.0.iter().map(|(key, _)| key.clone());
    let begin = std::iter::once("point".to_owned()).chain(keys);
    begin.chain(observed.names().to_vec()).chain(["ended", "error"].map(str::to_owned)).collect()
}

/// Write what the sweep is, or see that the one in the folder is the same.
fn keep_record(
    out: &Path,
    experiment: &Experiment,
    first: &Scene,
    columns: &[String],
    place: &Backend,
) -> Result<(), Failure> {
    let path = out.join("sweep.json");
    let scaled_to = Some(experiment.agents).filter(|agents| *agents > 0);
    let (recipe, computed) = (Recipe::new(first, scaled_to, None)?, Computed::on(place));
    let sources = &experiment.sources;
    let decides = Decides::new(&recipe, &computed, Some(&sources.experiment.text)).hash();
    if let Ok(text) = std::fs::read(&path) {
        let known = serde_json::from_slice::<Known>(&text).map(|known| known.hash);
        return match known.is_ok_and(|hash| hash == decides) {
            true => Ok(()),
            false => {
                let reason = "is of another experiment: its file, its scene, a file that this names, the shaders or the kind of device \
                              were others; give another folder with --out";
                Err(Failure::Data { path, reason: reason.to_owned() })
            }
        };
    }
    if std::fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some()) {
        let reason = "this folder is not empty, and has no sweep.json; give another with --out".to_owned();
        return Err(Failure::File { path: out.to_owned(), reason });
    }
    let record = SweepRecord {
        program: "steerling",
        version: env!("CARGO_PKG_VERSION"),
        commit: super::COMMIT,
        command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
        hash: decides,
        points: experiment.points(),
        keys: experiment.vary.0.iter().map(|(key, _)| key.as_str()).collect(),
        columns,
        experiment: Source { origin: &sources.experiment.origin, text: &sources.experiment.text },
        scene: Source { origin: &sources.scene.origin, text: &sources.scene.text },
        device: record(place),
    };
    let written = files::write_whole(&path, false, true, |file| {
        serde_json::to_writer_pretty(&mut *file, &record)?;
        file.write_all(b"\n")
    });
    written.map_err(|error| Failure::File { path, reason: error.to_string() })
}

/// A sweep under way.
struct Sweep {
    experiment: Experiment,
    /// What each point must have.
    first: Columns,
    place: Backend,
    /// The simulation of the point before: the next one takes its buffers and pipelines, as far as they fit.
    engine: Option<Engine>,
    table: Table,
}

/// The rows of a point.
struct Rows {
    columns: Columns,
    dt: f32,
    rows: Vec<Vec<String>>,
}

impl Witness for Rows {
    fn row(&mut self, step: u64, seen: &Observation) -> Result<(), Failure> {
        self.rows.push(self.columns.row(step, self.dt, seen));
        Ok(())
    }
}

impl Sweep {
    /// Run the points that are not in the table.
    fn go(&mut self, interrupt: &Interrupt, bar: &ProgressBar) -> Result<(), Failure> {
        let (points, steps) = (self.experiment.points(), u64::from(self.experiment.steps));
        for point in self.table.points..points {
            bar.set_position(point as u64 * steps);
            bar.set_message(format!(", point {} of {points}", point + 1));
            let (mut rows, ended, error) = match self.point(point, interrupt, bar) {
                Ok((rows, ended)) => (rows, ended, String::new()),
                Err(failure) if !self.goes_on(&failure) => return Err(failure),
                Err(failure) => {
                    let none = vec![String::new(); self.first.names().len()];
                    (vec![none], "error", failure.to_string().lines().next().unwrap_or_default().to_owned())
                }
            };
            let values: Vec<String> = self.experiment.values(point).iter().map(|given| given.shown.clone()).collect();
            let last = rows.len() - 1;
            for (index, row) in rows.iter_mut().enumerate() {
                row.splice(0..0, std::iter::once(point.to_string()).chain(values.iter().cloned()));
                row.extend(if index == last { [ended.to_owned(), error.clone()] } else { Default::default() });
            }
            self.table.add(&rows, ended == "error")?;
        }
        Ok(())
    }

    /// Does a point that failed so leave the others as they are?
    fn goes_on(&self, failure: &Failure) -> bool {
        let lost = matches!(&self.place, Backend::Gpu(gpu, _) if gpu.check().is_err());
        !lost && !matches!(failure, Failure::Interrupted { .. })
    }

    /// The rows of a point, and what ended it.
    fn point(
        &mut self,
        point: usize,
        interrupt: &Interrupt,
        bar: &ProgressBar,
    ) -> Result<(Vec<Vec<String>>, &'static str), Failure> {
        let (scene, told) = (self.experiment.scene(point)?, &self.experiment);
        let columns = Columns::of(&scene);
        if columns != self.first {
            return Err(Failure::Other("has other species than the first point".to_owned()));
        }
        self.place.check(&scene)?;
        let engine = match self.engine.take() {
            Some(mut engine) => {
                engine.restart(&scene)?;
                engine
            }
            None => self.place.start(&scene, &State::initial(&scene))?,
        };
        let steps = u64::from(told.steps);
        let every = if told.metrics_every > 0 { u64::from(told.metrics_every) } else { steps.div_ceil(100) };
        let mut walk = Walk::new(engine, interrupt, 0, steps, every);
        walk.burn_in = u64::from(told.burn_in);
        walk.until = if told.until.is_empty() { None } else { Some(until(&told.until, &scene)?) };
        let mut rows = Rows { columns, dt: scene.dt, rows: Vec::new() };
        let end = walk.go(&mut rows, bar)?;
        self.engine = walk.into_engine();
        match end {
            End::Steps => Ok((rows.rows, "steps")),
            End::Until => Ok((rows.rows, "until")),
            End::Signal(signal) => Err(Failure::Interrupted { code: signal.code }),
        }
    }
}
