//! What subcommands share: how a scene and a GPU are named, and how failures become exit codes.

use crate::pictures;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use steerling::files;
use steerling::gpu::shaders::Sources;
use steerling::gpu::{AdapterChoice, Gpu, GpuError, Options};
use steerling::input;
use steerling::output::{OutputError, Record, Until};
use steerling::scene::{LONGEST, Override, Scene, SceneError, shorten, shown};
use thiserror::Error;

/// The failure for a file that cannot be written. If the file exists, it mentions `--force`.
pub fn write_failure(path: &Path, error: &io::Error) -> Failure {
    let hint = if error.kind() == io::ErrorKind::AlreadyExists { "; use --force to overwrite it" } else { "" };
    Failure::file(path, format!("{error}{hint}"))
}

/// Largest JSON that is read, bytes.
const LARGEST_JSON: u64 = 1 << 26;

/// Read JSON that `steerling COMMAND --json` printed.
pub fn read_json<T: DeserializeOwned>(path: &Path, command: &str) -> Result<T, Failure> {
    let bytes = input::read(path, LARGEST_JSON).map_err(|reason| Failure::data(path, reason))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| Failure::data(path, format!("is not what `steerling {command} --json` prints: {error}")))
}

/// Write a file as a whole. If it exists already, it is replaced with `overwrite`, and an error without.
pub fn write_file(path: &Path, overwrite: bool, bytes: &[u8]) -> Result<(), Failure> {
    files::write_whole(path, overwrite, false, |file| file.write_all(bytes))
        .map_err(|error| write_failure(path, &error))
}

/// Say that a file was written, and where.
pub fn note_written(path: &Path) {
    print_note(&format!("wrote {}", std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display()));
}

/// The condition of the flag `--until`.
pub fn until(text: &str, scene: &Scene) -> Result<Until, Failure> {
    Until::parse(text, scene).map_err(|reason| Failure::Usage(format!("--until {}: {reason}", shorten(text, 200))))
}

/// Why a subcommand failed. Each kind has its exit code.
#[derive(Debug, Error)]
pub enum Failure {
    /// The scene, or a file that it names.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The GPU, a shader, or memory.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// Reading or writing a file.
    #[error("{}: {}", shown(path), shorten(reason, LONGEST))]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What happened.
        reason: String,
    },
    /// A data file whose contents are wrong.
    #[error("{}: {}", shown(path), shorten(reason, LONGEST))]
    Data {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Arguments that do not go together.
    #[error("{0}")]
    Usage(String),
    /// Verification found a mismatch; the details are printed already.
    #[error("{0}")]
    Mismatch(String),
    /// The condition of `--until` never held. The run's files are written.
    #[error("{0}")]
    Unmet(String),
    /// A signal stopped the command. Results up to then are written.
    #[error("interrupted")]
    Interrupted {
        /// 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP.
        code: u8,
    },
    /// Memory, address space or threads are short.
    #[error("{0}")]
    Memory(String),
    /// A child process that failed.
    #[error("{text}")]
    Part {
        /// Its exit code.
        code: u8,
        /// Its error message.
        text: String,
    },
    /// Anything else at run time.
    #[error("{0}")]
    Other(String),
}

impl Failure {
    /// A file or folder that cannot be read or written.
    pub fn file(path: &Path, reason: impl ToString) -> Failure {
        Failure::File { path: path.to_owned(), reason: reason.to_string() }
    }

    /// A data file whose contents are wrong.
    pub fn data(path: &Path, reason: impl ToString) -> Failure {
        Failure::Data { path: path.to_owned(), reason: reason.to_string() }
    }

    /// The exit code, as `--help` documents it.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Other(_) | Failure::File { .. } => 1,
            Failure::Usage(_) | Failure::Gpu(GpuError::NoAdapter { unknown_choice: true, .. }) => 2,
            Failure::Mismatch(_) => 3,
            Failure::Gpu(GpuError::NoAdapter { .. } | GpuError::CannotDraw { .. }) => 4,
            Failure::Gpu(GpuError::CutOff { .. }) => 1,
            Failure::Scene(error) | Failure::Gpu(GpuError::Scene(error)) if error.short_of_memory => 6,
            Failure::Memory(_) => 6,
            Failure::Scene(_) | Failure::Data { .. } => 5,
            Failure::Gpu(GpuError::Shader(_) | GpuError::Scene(_) | GpuError::State(_)) => 5,
            Failure::Gpu(_) => 6,
            Failure::Unmet(_) => 7,
            Failure::Interrupted { code } | Failure::Part { code, .. } => *code,
        }
    }
}

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        match error {
            OutputError::Write { path, reason } => Failure::File { path, reason },
            OutputError::Data { path, reason } => Failure::Data { path, reason },
            OutputError::Memory { .. } => Failure::Memory(error.to_string()),
        }
    }
}

/// Set by `--quiet`: print nothing but errors.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Print a note or a warning to stderr, unless `--quiet` is given.
pub fn print_note(text: &str) {
    if !QUIET.load(Ordering::Relaxed) {
        print_stderr(text);
    }
}

/// Print to stderr, even with `--quiet`. A failed write is ignored: stderr may be full or closed. Messages may quote any input, so
/// each line is shortened, and its control characters, which could write anywhere on a terminal, become spaces.
pub fn print_stderr(text: &str) {
    let lines: Vec<String> = text.lines().map(|line| shorten(line, LONGEST)).collect();
    let _ = writeln!(std::io::stderr(), "{}", lines.join("\n"));
}

/// Print to stdout. A reader that has seen enough, such as `head`, is no failure.
pub fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// As [`print`].
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    stdout_result(out.write_all(bytes).and_then(|()| out.flush()))
}

/// Print something as JSON.
pub fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(value).map_err(|error| Failure::Other(error.to_string()))?;
    print(&(json + "\n"))
}

/// A list of names, each with a text, which stand in a column of their own.
pub fn listing<'a>(rows: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> String {
    let width = rows.clone().map(|(name, _)| name.len()).max().unwrap_or(0);
    rows.map(|(name, text)| format!("{name:width$}  {text}\n")).collect()
}

/// A verdict, for tables.
pub fn verdict(pass: bool) -> &'static str {
    if pass { "pass" } else { "FAIL" }
}

/// Print a report: as JSON, or as the text that `text` makes of it.
pub fn print_report<T: Serialize>(report: &T, json: bool, text: impl FnOnce(&T) -> String) -> Result<(), Failure> {
    if json { print_json(report) } else { print(&text(report)) }
}

/// The result of writing to stdout: a closed pipe counts as success, as in [`print`].
pub fn stdout_result(result: std::io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Other(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Which scene, and what to change in it.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct SceneArgs {
    /// Name of a preset (see `steerling scenes`), path of a TOML file, or of a picture of its run (PNG) [default: murmuration]
    pub scene: Option<String>,
    /// Number of agents; the world grows or shrinks so that their density stays, after all changes by --set
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub agents: Option<u32>,
    /// Seed of all random numbers
    #[arg(long, allow_negative_numbers = true)]
    pub seed: Option<u32>,
    /// Change a key of the scene, such as species.0.behaviors.cohesion.weight=2, or species.hawks.count=9 by name; may be given again
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
}

/// How the picture looks.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct LookArgs {
    /// Look of the picture in place of the scene's: night, dusk, day, ink or deep, as `--set look.name=NAME`
    #[arg(long, value_name = "NAME")]
    pub look: Option<String>,
    /// What the color of all agents tells, in place of what their species say: heading, speed, species, state, winner, neighbors,
    /// density, force, depth or error, as `--set look.color=WORD`
    #[arg(long, value_name = "WORD")]
    pub color: Option<String>,
}

/// The scene that is shown where none is named.
pub const DEFAULT_SCENE: &str = "murmuration";

impl SceneArgs {
    /// The name or path of the scene.
    pub fn name(&self) -> &str {
        self.scene.as_deref().unwrap_or(DEFAULT_SCENE)
    }

    /// These arguments with the overrides that `--look` and `--color` stand for.
    pub fn looking(mut self, args: &LookArgs) -> SceneArgs {
        self.overrides.extend(args.look.iter().map(|name| format!("look.name={name}")));
        self.overrides.extend(args.color.iter().map(|word| format!("look.color={word}")));
        self
    }

    /// The scene with its changes.
    pub fn open(&self) -> Result<Scene, Failure> {
        self.open_of(self.picture()?.as_ref())
    }

    /// The record in the picture, if one is named in place of a scene.
    pub fn picture(&self) -> Result<Option<Record>, Failure> {
        let name = Path::new(self.name());
        Ok(pictures::is_picture(name).then(|| pictures::read(name)).transpose()?)
    }

    /// As [`SceneArgs::open`], with what a picture says.
    pub fn open_of(&self, picture: Option<&Record>) -> Result<Scene, Failure> {
        let mut overrides = self.overrides.iter().map(|text| text.parse()).collect::<Result<Vec<Override>, _>>()?;
        if let Some(seed) = self.seed {
            overrides.push(format!("seed={seed}").parse()?);
        }
        if Path::new(self.name()).file_name().is_some_and(|name| name == "run.json") && Path::new(self.name()).is_file()
        {
            let path = self.name();
            let reason = format!(
                "is the record of a run, not a scene; `steerling rerun {path}` runs it again, with --check to compare"
            );
            return Err(Failure::data(Path::new(path), reason));
        }
        let scene = match picture {
            // The overrides come after those of the record, so that they win.
            Some(record) => record.clone().with(&overrides).scene()?,
            None => Scene::open(self.name(), &overrides)?,
        };
        let scene = match self.agents {
            Some(agents) => scene.with_agents(agents)?,
            None => scene,
        };
        scene.lint().iter().for_each(|lint| print_note(&format!("warning: {lint}")));
        Ok(scene)
    }
}

/// Which GPU, and which shaders.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct GpuArgs {
    /// Index or part of the name of the adapter (see `steerling adapters`)
    #[arg(long, value_name = "INDEX|NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub adapter: Option<String>,
    /// Folder with shader files to use in place of the built-in ones of the same path, in behaviors, common and sim; those of other
    /// folders are not replaced
    #[arg(long, value_name = "DIR")]
    pub shaders: Option<PathBuf>,
    /// Invocations per workgroup; the results do not depend on it
    #[arg(long, value_name = "N", value_parser = ["64", "128", "256"])]
    pub workgroup_size: Option<String>,
    /// Leave the agents of a cell in the order of threads: a little faster, and different in every run
    #[arg(long)]
    pub unordered: bool,
}

impl GpuArgs {
    /// The adapter that was asked for.
    pub fn choice(&self) -> AdapterChoice {
        let variable = std::env::var("WGPU_ADAPTER_NAME").ok().filter(|name| !name.is_empty());
        self.adapter.as_deref().or(variable.as_deref()).map_or(AdapterChoice::Best, AdapterChoice::from)
    }

    /// Open the adapter, and say so where it is a software one.
    pub fn open(&self) -> Result<Gpu, Failure> {
        let gpu = Gpu::open(&self.choice())?;
        if gpu.info.backend == wgpu::Backend::Gl {
            print_note(
                "note: this runs on OpenGL, not on Vulkan, Metal or Direct3D 12: results are not comparable to the \
                 bit, and pictures cannot be drawn",
            );
        }
        if gpu.software() {
            print_note(&format!("note: {} computes on the CPU; a GPU is much faster", gpu.title()));
        }
        Ok(gpu)
    }

    /// The options to build simulations with.
    pub fn options(&self) -> Result<Options, Failure> {
        let shaders = match &self.shaders {
            Some(folder) => Sources::from_folder(folder).map_err(GpuError::from)?,
            None => Sources::default(),
        };
        let default = Options::default();
        let asked = self.workgroup_size.as_ref().and_then(|size| size.parse().ok());
        let workgroup_size = asked.unwrap_or(default.workgroup_size);
        Ok(Options { shaders, workgroup_size, id_order: !self.unordered, ..default })
    }
}

/// The arguments of a subcommand, parsed from a command line of it alone, such as "view flock": for its defaults.
pub fn arguments<A: clap::Args>(line: &str) -> A {
    #[derive(clap::Parser)]
    struct Alone<A: clap::Args> {
        #[command(flatten)]
        args: A,
    }
    <Alone<A> as clap::Parser>::parse_from(line.split(' ')).args
}

/// The words of the command that runs, for records.
pub fn command_line() -> Vec<String> {
    std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Value of `--baseline` and `--against` for the common design.
pub const PLAIN: &str = "plain";

/// The common design ([`Options::plain`]) with the shaders and the size of workgroups of these options.
pub fn plain(options: &Options) -> Options {
    Options { shaders: options.shaders.clone(), workgroup_size: options.workgroup_size, ..Options::plain() }
}

/// Log to stderr, at the level that the flags or `RUST_LOG` ask for. With `quiet`, [`print_note`] prints nothing either.
pub fn start_log(verbose: u8, quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
    let level = match (quiet, verbose) {
        // naga's log of a refused shader is off: the error that the program prints says the same, with the place.
        (true, _) => "error,naga=off",
        (_, 0) => "warn,steerling=info,wgpu_hal=error,naga=off",
        (_, 1) => "info,steerling=debug,wgpu_core=warn,wgpu_hal=warn,naga=off",
        _ => "debug,wgpu_core=info,wgpu_hal=info,naga=info",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_default_env();
    let filter = filter.unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(level));
    let colored = std::io::IsTerminal::is_terminal(&std::io::stderr()) && std::env::var_os("NO_COLOR").is_none();
    // A second call, in tests, changes nothing.
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(colored);
    // A failure to write the log to stderr cannot be reported there either.
    let _ = log.log_internal_errors(false).try_init();
}
