//! `steerling sweep`: run one scene at many points (values of its keys), as small worlds side by side on one device, or in several
//! processes.

mod jobs;

use super::Failure;
use super::engine::{DeviceKind, open_backend};
use super::interrupt::Interrupt;
use super::plot::{self, Curve};
use super::shared::{GpuArgs, command_line, print, print_note, write_file};
use super::walk::{Shared, progress_bar};
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use steerling::engine::Backend;
use steerling::output::{Computed, Device, OutputError, Point, Recipe, ResultInputs, Sweep, Table};
use steerling::scene::{self, Experiment, Scene, SetValue, content, suggest};
use steerling::{files, input};

#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The experiment: a scene, what varies, and how long it runs (docs/experiments.md)
    experiment: PathBuf,
    /// Folder for table.csv and sweep.json. A sweep that is there already goes on where it stopped [default: out/EXPERIMENT]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Observe these at all points, in place of what the scene or the experiment asks for: names of docs/observables.md, such as
    /// "milling, groups:2.5"
    #[arg(long, value_name = "LIST")]
    observe: Option<String>,
    /// Run at most N small worlds side by side in each dispatch of a GPU; 1 for one after the other [default: as many as pay off]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    worlds: Option<u16>,
    /// Run part K of N, such as 3/16, into a folder of its own below that of --out: for array jobs of a scheduler
    #[arg(long, value_name = "K/N")]
    part: Option<Part>,
    /// Run N parts at a time on this machine, each in a process of its own, and join them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), conflicts_with_all = ["part", "join"])]
    jobs: Option<u16>,
    /// End when standard input closes; given to the processes that `--jobs` starts
    #[arg(long, hide = true)]
    attached: bool,
    /// Join the tables of all parts into the one that a single sweep would have written
    #[arg(long, conflicts_with = "part")]
    join: bool,
    /// Draw a column of the table over the first two keys but the seed, as COLUMN.svg beside it [default: polarization]
    #[arg(long, value_name = "COLUMN", num_args = 0..=1, default_missing_value = "polarization", conflicts_with = "part")]
    plot: Option<String>,
    /// Draw this curve too: a CSV with one heading line; column 1 is x, column 2 is y. The curve is labeled with the file's name
    #[arg(long, value_name = "FILE.csv", requires = "plot")]
    beside: Option<PathBuf>,
    /// Write the table as table.parquet too, when all points are there
    #[arg(long)]
    parquet: bool,
    /// What computes the steps [default: a GPU where there is one]
    #[arg(long, value_enum)]
    device: Option<DeviceKind>,
    #[command(flatten)]
    gpu: GpuArgs,
}

/// Part `number` of `of` parts of a sweep: a range of its points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    number: usize,
    of: usize,
}

impl std::str::FromStr for Part {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) && of <= 100_000 => Ok(Part { number, of }),
            _ => Err("it must be two whole numbers such as 3/16, the first from 1 to the second"),
        }
    }
}

impl Part {
    const WHOLE: Part = Part { number: 1, of: 1 };

    /// The indices of this part's points, for a sweep of so many points in all.
    fn points(self, points: usize) -> Range<usize> {
        (self.number - 1) * points / self.of..self.number * points / self.of
    }

    fn folder(self, out: &Path) -> PathBuf {
        if self == Part::WHOLE { out.to_owned() } else { out.join(format!("part-{}-of-{}", self.number, self.of)) }
    }
}

/// The contents of `sweep.json`.
#[derive(Debug, Serialize)]
struct SweepRecord<'a> {
    program: &'static str,
    version: &'static str,
    commit: Option<&'static str>,
    command: Vec<String>,
    /// BLAKE3 hash of all that decides the rows of a point, beside its values.
    hash: String,
    points: usize,
    /// The keys that vary.
    keys: Vec<&'a str>,
    columns: &'a [String],
    /// The file of the experiment; below, that of its scene.
    experiment: Source<'a>,
    scene: Source<'a>,
    device: Device,
}

#[derive(Debug, Serialize)]
struct Source<'a> {
    origin: &'a str,
    text: &'a str,
}

/// The fields of `sweep.json` that a later call reads.
#[derive(Debug, Deserialize)]
struct Known {
    hash: String,
    keys: Vec<String>,
    experiment: KnownSource,
    scene: KnownSource,
}

#[derive(Debug, Deserialize)]
struct KnownSource {
    origin: String,
    text: String,
}

impl Known {
    /// Read a `sweep.json`. Returns its bytes, too.
    fn read(path: &Path) -> Result<(Vec<u8>, Known), Failure> {
        let bytes = input::read(path, LARGEST_RECORD).map_err(|reason| Failure::data(path, reason))?;
        let known = serde_json::from_slice(&bytes);
        Ok((bytes, known.map_err(|error| Failure::data(path, format!("is damaged: {error}")))?))
    }
}

pub fn run(args: Args) -> Result<(), Failure> {
    let path = args.experiment.to_str();
    let path = path.ok_or_else(|| Failure::Usage(format!("{}: this path is not UTF-8", args.experiment.display())))?;
    let mut experiment = Experiment::open(path)?;
    args.observe.iter().try_for_each(|list| experiment.observe(list))?;
    let sweep = Sweep::new(experiment)?;
    let experiment = &sweep.experiment;
    let stem = args.experiment.file_stem().unwrap_or_default();
    let out = args.out.clone().unwrap_or_else(|| Path::new("out").join(stem));
    plottable(&args, &sweep)?;
    // Read the curve now, so that its errors come before anything runs.
    curve(&args)?;
    if args.attached {
        jobs::attach()?;
    }
    let (points, has_parts) = (experiment.points(), args.jobs.is_some() && number_of_parts(&out)?.is_some());
    let jobs = args.jobs.map(usize::from).filter(|jobs| *jobs.min(&points) > 1 || has_parts);
    // A sweep that a single process began continues in a single process.
    let begun = jobs.is_some() && out.join("sweep.json").exists();
    let jobs = jobs.filter(|_| !begun);
    if begun {
        print_note("note: --jobs does nothing for a sweep that was begun without it, or is complete");
    }
    if let Some(jobs) = jobs {
        files::create_folders(&out).map_err(|error| Failure::file(&out, error))?;
        if !has_parts {
            check_empty(&out)?;
        }
        let bar = progress_bar(points as u64 * u64::from(experiment.steps));
        let result = jobs::run(&args, jobs, &sweep, &out, &bar);
        bar.finish_and_clear();
        result?;
    }
    if args.join || jobs.is_some() {
        let (failed, rows) = join(&sweep, &out)?;
        show(&args, &sweep, &out, (points, rows))?;
        return all_held(failed, points, &out);
    }
    let place = open_backend(args.device, &args.gpu)?;
    let part = args.part.unwrap_or(Part::WHOLE);
    let home = part.folder(&out);
    files::create_folders(&home).map_err(|error| Failure::file(&home, error))?;
    let asked = part.points(experiment.points());
    let table = begin(&home, &sweep, asked.clone(), &place)?;
    let interrupt = Interrupt::listen()?;
    let bar = progress_bar(asked.len() as u64 * u64::from(experiment.steps));
    let mut running = Running { sweep, place, table, most: args.worlds.map(usize::from) };
    let result = running.go(asked.clone(), &interrupt, &bar);
    bar.finish_and_clear();
    let (table, points, shown) = (&running.table, asked.len(), home.join("table.csv"));
    if result.is_err() && table.points() < points {
        let (done, table) = (table.points(), scene::shown(&shown));
        print_note(&format!("note: {done} of {points} points are in {table}; the same command continues the sweep"));
    }
    result?;
    show(&args, &running.sweep, &home, (points, table.rows))?;
    all_held(table.failed, points, &home)
}

/// An error if any points failed.
fn all_held(failed: usize, points: usize, home: &Path) -> Result<(), Failure> {
    let table = home.join("table.csv");
    let text =
        || format!("{failed} of {points} points failed; the column `error` of {} says why", scene::shown(&table));
    if failed == 0 { Ok(()) } else { Err(Failure::Other(text())) }
}

/// Check that the sweep will have what `--plot` and `--beside` ask for.
fn plottable(args: &Args, sweep: &Sweep) -> Result<(), Failure> {
    let Some(column) = args.plot.as_deref() else { return Ok(()) };
    let known: Vec<&str> = plot::OF_THE_END.into_iter().chain(sweep.observables()).collect();
    let vary = &sweep.experiment.vary;
    if !known.contains(&column) {
        return Err(Failure::Usage(format!("--plot {column}: there is no such column; {}", suggest(column, &known))));
    }
    if sweep.experiment.keys().all(|key| key == "seed") {
        return Err(Failure::Usage("--plot: nothing varies but the seed".to_owned()));
    }
    let numbers = |values: &[SetValue]| values.iter().all(|value| value.shown.parse::<f64>().is_ok());
    let mut axes = vary.keys.iter().filter(|(key, _)| key != "seed").map(|(_, values)| values);
    let along = axes.next().is_some_and(|values| numbers(values));
    let few = axes.next().is_none_or(|values| values.len() <= plot::MOST_LINES || !numbers(values));
    match args.beside.is_none() || vary.drawn.is_empty() && along && few {
        true => Ok(()),
        false => Err(Failure::Usage("--beside: the plot has no lines that a curve can be compared with".to_owned())),
    }
}

/// Write the table as Parquet and the plot, where asked for, and print the paths of all files.
fn show(args: &Args, sweep: &Sweep, home: &Path, (points, rows): (usize, usize)) -> Result<(), Failure> {
    let table = home.join("table.csv");
    let parquet = args.parquet.then(|| super::parquet::write_beside(&table));
    let plot = args.plot.as_deref().map(|column| draw(column, curve(args)?, sweep, home));
    // After both, because printing may fail. A file that was written is named even if the other one failed.
    print(&format!("{}: {points} points, {rows} rows\n", table.display()))?;
    [parquet, plot].into_iter().flatten().try_for_each(|path| print(&format!("{}\n", path?.display())))
}

/// Read the curve of `--beside`, if given.
fn curve(args: &Args) -> Result<Option<Curve>, Failure> {
    let Some(path) = &args.beside else { return Ok(None) };
    let fault = |reason: String| Failure::data(path, reason);
    input::open(path, LARGEST_RECORD).map_err(fault)?;
    plot::curve(path).map(Some).map_err(fault)
}

/// Draw the plot, from the table.
fn draw(column: &str, beside: Option<Curve>, sweep: &Sweep, home: &Path) -> Result<PathBuf, Failure> {
    let (experiment, cumulative) = (&sweep.experiment, sweep.is_cumulative(column));
    let keys: Vec<&str> = experiment.keys().collect();
    let table = home.join("table.csv");
    let svg = plot::plot(&table, &keys, !experiment.vary.drawn.is_empty(), (column, cumulative), beside)
        .map_err(|reason| Failure::data(&table, reason))?;
    // A column may contain the name of a species, which may look like a path.
    let name: String = column.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect();
    let path = home.join(format!("{name}.svg"));
    write_file(&path, true, svg.as_bytes())?;
    Ok(path)
}

/// The number N of parts, from the folders `part-K-of-N` below this one; `None` if there are none.
fn number_of_parts(out: &Path) -> Result<Option<usize>, Failure> {
    let names = std::fs::read_dir(out).into_iter().flatten().filter_map(Result::ok);
    let named = |name: String| name.strip_prefix("part-")?.replace("-of-", "/").parse::<Part>().ok();
    let mut numbers = names.filter_map(|entry| Some(named(entry.file_name().into_string().ok()?)?.of));
    let first = numbers.next();
    if numbers.any(|of| Some(of) != first) {
        return Err(Failure::data(out, "has parts of different sweeps: their numbers of parts differ"));
    }
    Ok(first)
}

/// Join the tables of all parts. Returns how many points failed, and the number of rows.
fn join(sweep: &Sweep, out: &Path) -> Result<(usize, usize), Failure> {
    let (points, own) = (sweep.experiment.points(), content(&sweep.experiment.sources.experiment.text));
    let of = number_of_parts(out)?
        .ok_or_else(|| Failure::data(out, "has no parts: folders part-1-of-N and so on, as --part makes them"))?;
    let (mut tables, mut record_text, mut hash, mut rows, mut failed) = (Vec::new(), Vec::new(), None, 0, 0);
    for number in 1..=of {
        let part = Part { number, of };
        let (home, points) = (part.folder(out), part.points(points));
        let (record, path) = (home.join("sweep.json"), home.join("table.csv"));
        let (text, known) = Known::read(&record)?;
        if number == 1 {
            record_text = text;
        }
        let first = hash.get_or_insert_with(|| known.hash.clone());
        if *first != known.hash || content(&known.experiment.text) != own {
            let reason = "is of another experiment than the other parts, or the file has changed";
            return Err(Failure::data(&record, reason));
        }
        let table = open(&path, sweep, points.clone())?;
        if table.points() != points.len() {
            let (found, wanted) = (table.points(), points.len());
            let reason = format!("has {found} of {wanted} points; sweep --part {number}/{of} continues it");
            return Err(Failure::data(&path, reason));
        }
        tables.push(path);
        rows += table.rows;
        failed += table.failed;
    }
    // `sweep.json` is written last. So a table with these columns but without it was left by a call that was killed, and is replaced.
    let head = |path: &Path| BufReader::new(File::open(path).ok()?).lines().next()?.ok();
    let again = !out.join("sweep.json").exists() && head(&out.join("table.csv")) == head(&tables[0]);
    let write = |name: &str, contents: &dyn Fn(&mut dyn Write) -> io::Result<()>| {
        let path = out.join(name);
        let written = files::write_whole(&path, again, true, |file| contents(file));
        written.map_err(|error| Failure::file(&path, error))
    };
    write("table.csv", &|file| {
        tables.iter().enumerate().try_for_each(|(index, path)| {
            let mut part = BufReader::new(File::open(path)?);
            if index > 0 {
                part.skip_until(b'\n')?;
            }
            io::copy(&mut part, file).map(drop)
        })
    })?;
    write("sweep.json", &|file| file.write_all(&record_text))?;
    Ok((failed, rows))
}

/// Why the record of a sweep cannot be repeated as a run, and how one of its points is run.
pub fn not_a_run(record: &Path) -> Result<String, Failure> {
    let (_, Known { keys, experiment, scene, .. }) = Known::read(record)?;
    let flag = |key: &String| if key == "agents" { " --agents VALUE".into() } else { format!(" --set {key}=VALUE") };
    let keys: String = keys.iter().map(flag).collect();
    Ok(format!(
        "is the record of a sweep, not of a run; `steerling sweep {}` makes its table. One of its points is run by \
         `steerling run {}{keys} --steps N`, with the values of its row of table.csv, those of [set] and the steps of \
         the experiment",
        experiment.origin, scene.origin
    ))
}

/// Largest `sweep.json` that is read, bytes.
const LARGEST_RECORD: u64 = 1 << 26;

/// Open a table of a sweep, of these points. A row belongs to the point that has its values.
fn open(path: &Path, sweep: &Sweep, asked: Range<usize>) -> Result<Table, OutputError> {
    let (experiment, keys) = (&sweep.experiment, sweep.experiment.keys().count());
    Table::open(path, &sweep.columns(), asked, |row| {
        let values: Vec<&str> = row.iter().skip(1).take(keys).collect();
        experiment.point_of(&values, row[0].parse().unwrap_or(0))
    })
}

/// Begin a sweep in a folder: write `sweep.json`, or check that the one in the folder is of the same sweep, and open the table. The record
/// follows an experiment that has got more values, or other comments.
fn begin(out: &Path, sweep: &Sweep, asked: Range<usize>, place: &Backend) -> Result<Table, Failure> {
    let (experiment, first, columns) = (&sweep.experiment, &sweep.first, &sweep.columns());
    let (path, table) = (out.join("sweep.json"), out.join("table.csv"));
    let (files, computed) = (Recipe::files_of(first)?, Computed::on(place));
    let (text, origin, overrides) = (experiment.content(), String::new(), Vec::new());
    let mut recipe = Recipe { text, origin, overrides, scaled_to: None, rows: None, files, from: None };
    let names = |scene: &Scene| scene.files().into_iter().map(|(_, path)| path.to_owned()).collect::<BTreeSet<_>>();
    let mut known = names(first);
    for point in experiment.points_with_files() {
        // Skip a point whose scene is refused, which its row will say, and one that names no file beyond those known.
        let Some(scene) = experiment.scene(point).ok().filter(|scene| !names(scene).is_subset(&known)) else {
            continue;
        };
        let files = Recipe::files_of(&scene)?;
        recipe.files.extend(files.into_iter().filter(|file| !recipe.files.contains(file)).collect::<Vec<_>>());
        known.extend(names(&scene));
    }
    let sources = &experiment.sources;
    let inputs_hash = ResultInputs::new(&recipe, &computed, None).hash();
    let mut begun = None;
    if path.symlink_metadata().is_ok() {
        let (_, known) = Known::read(&path)?;
        if known.hash != inputs_hash {
            let reason = "is of another experiment: its file (apart from the values under [vary]), its scene, a file \
                that the scene names, the shaders or the kind of device differ; give another folder with --out";
            return Err(Failure::data(&path, reason));
        }
        let table = open(&table, sweep, asked.clone())?;
        if known.experiment.text == sources.experiment.text && known.scene.text == sources.scene.text {
            return Ok(table);
        }
        begun = Some(table);
    } else {
        check_empty(out)?;
    }
    let record = SweepRecord {
        program: "steerling",
        version: env!("CARGO_PKG_VERSION"),
        commit: super::COMMIT,
        command: command_line(),
        hash: inputs_hash,
        points: experiment.points(),
        keys: experiment.keys().collect(),
        columns,
        experiment: Source { origin: &sources.experiment.origin, text: &sources.experiment.text },
        scene: Source { origin: &sources.scene.origin, text: &sources.scene.text },
        device: Device::of(place),
    };
    let written = files::write_whole(&path, begun.is_some(), true, |file| {
        serde_json::to_writer_pretty(&mut *file, &record)?;
        file.write_all(b"\n")
    });
    written.map_err(|error| Failure::file(&path, error))?;
    begun.map_or_else(|| Ok(open(&table, sweep, asked)?), Ok)
}

/// An error if the folder in which a sweep is to begin has anything in it.
fn check_empty(out: &Path) -> Result<(), Failure> {
    // A program that was killed while it wrote `sweep.json` has left a temporary file, which does not count.
    let is_begun = |entry: &std::fs::DirEntry| entry.file_name().to_string_lossy().starts_with(".steerling-");
    if std::fs::read_dir(out).is_ok_and(|entries| entries.flatten().any(|entry| !is_begun(&entry))) {
        let reason = match number_of_parts(out)? {
            Some(of) => format!("has {of} parts of a sweep, which --jobs, or --part K/{of} and --join, complete"),
            None => "this folder is not empty, and has no sweep.json; give another with --out".to_owned(),
        };
        return Err(Failure::file(out, reason));
    }
    Ok(())
}

/// A sweep under way.
struct Running {
    sweep: Sweep,
    place: Backend,
    table: Table,
    /// Most worlds that run side by side; `None` for the default.
    most: Option<usize>,
}

impl Running {
    /// Run the points that are not in the table.
    fn go(&mut self, asked: Range<usize>, interrupt: &Interrupt, bar: &ProgressBar) -> Result<(), Failure> {
        let (points, steps) = (self.sweep.experiment.points(), u64::from(self.sweep.experiment.steps));
        let mut todo = self.table.missing(asked.start);
        while !todo.is_empty() {
            let next = todo.start;
            bar.set_position(self.table.points() as u64 * steps);
            bar.set_message(format!(", point {} of {points}", next + 1));
            let alone = |engine| Shared::new(engine, interrupt, bar);
            let side_by_side = |worlds| Shared::new(worlds, interrupt, bar);
            let found = self.sweep.points(todo, self.most, &self.place, alone, side_by_side)?;
            for (point, Point { rows, failed }) in (next..).zip(found) {
                self.table.add(point, &rows, failed)?;
            }
            todo = self.table.missing(next);
        }
        Ok(())
    }
}
