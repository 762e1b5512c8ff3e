//! The command line: one file per subcommand.

mod adapters;
mod behaviors;
mod bench;
mod capture;
mod conform;
mod engine;
mod interrupt;
mod observables;
mod parquet;
mod plot;
mod profile;
mod render;
mod rerun;
mod run;
mod scenes;
mod shaders;
mod shared;
mod start;
mod sweep;
mod verify;
mod view;
mod walk;
mod why;

pub use shared::Failure;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Steers a million agents on any GPU, and proves that it does so correctly.
///
/// Without a subcommand it opens the viewer on the scene `murmuration`.
#[derive(Debug, Parser)]
#[command(name = "steerling", version, max_term_width = 100, after_long_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Log more: -v for what happens, -vv for details. RUST_LOG goes further.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    /// Print errors only: no notes, no warnings, no log.
    #[arg(short, long, global = true)]
    quiet: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Open a window on a scene.
    View(view::Args),
    /// Run a scene without a window, and write its states and metrics.
    Run(run::Args),
    /// Repeat the run that a run.json or a picture records, and say whether the digest is the same.
    Rerun(rerun::Args),
    /// Run a scene at many points, and write one table.
    Sweep(sweep::Args),
    /// Draw a scene without a window: a picture, numbered frames, a GIF or a film.
    Render(render::Args),
    /// Compare the GPU with the CPU reference, stage by stage.
    Verify(verify::Args),
    /// Show the acceleration that each behavior of an agent asks for in a step, and how they combine.
    Why(why::Args),
    /// Try the laws of steering, with parameters drawn over their ranges, on the CPU and on the GPU.
    Conform(conform::Args),
    /// Time every stage of a step on the GPU.
    Profile(profile::Args),
    /// Time whole steps of benchmark worlds, fresh and flocked, and compare them with earlier figures or another program.
    Bench(bench::Args),
    /// List the GPUs, their drivers and how many agents fit.
    Adapters(adapters::Args),
    /// List the preset scenes, or print one.
    Scenes(scenes::Args),
    /// List the behaviors, or print what one does, its laws and the scenes that show it.
    Behaviors(behaviors::Args),
    /// List the observables that a scene may ask for beside the columns that all metrics have, or print their page.
    Observables(observables::Args),
    /// Print what runs on a GPU for a scene.
    Shaders(shaders::Args),
    /// Print the JSON Schema of scene files, for editors, or a table of all keys.
    Schema {
        /// Print every key with its unit, range and default as Markdown
        #[arg(long)]
        markdown: bool,
    },
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

const EXIT_CODES: &str = "\
Exit codes:
  0 ok                              4 no usable GPU
  1 run-time failure                5 error in a scene, data file or shader
  2 usage                           6 device lost, or out of memory
  3 verification, a law or a bound  7 --until was not met
                                    130 interrupted, 143 terminated, 129 hung up";

/// The Git commit, if `STEERLING_COMMIT` was set when the program was built, as for a release.
const COMMIT: Option<&str> = option_env!("STEERLING_COMMIT");

/// Run the command line of this process.
pub fn main() -> ExitCode {
    end(match Cli::try_parse() {
        Ok(cli) => run(cli),
        // The message quotes the arguments, which may hold anything, so it is printed as `print_stderr` does.
        Err(error) if error.use_stderr() => {
            shared::print_stderr(error.to_string().trim_end());
            return ExitCode::from(error.exit_code() as u8);
        }
        // Help and version are output like any other.
        Err(help) => shared::stdout_result(help.print()),
    })
}

fn run(cli: Cli) -> Result<(), Failure> {
    start_threads()?;
    shared::start_log(cli.verbose, cli.quiet);
    match cli.command {
        None => view::run(shared::arguments("view")),
        Some(Command::View(args)) => view::run(args),
        Some(Command::Run(args)) => run::run(args),
        Some(Command::Rerun(args)) => rerun::run(args),
        Some(Command::Sweep(args)) => sweep::run(args),
        Some(Command::Render(args)) => render::run(args),
        Some(Command::Verify(args)) => verify::run(args),
        Some(Command::Why(args)) => why::run(args),
        Some(Command::Conform(args)) => conform::run(args),
        Some(Command::Profile(args)) => profile::run(args),
        Some(Command::Bench(args)) => bench::run(args),
        Some(Command::Adapters(args)) => adapters::run(args),
        Some(Command::Scenes(args)) => scenes::run(args),
        Some(Command::Behaviors(args)) => behaviors::run(args),
        Some(Command::Observables(args)) => observables::run(&args),
        Some(Command::Shaders(args)) => shaders::run(args),
        Some(Command::Schema { markdown }) => scenes::schema(markdown),
        Some(Command::Completions { shell }) => completions(shell),
    }
}

/// Start rayon's threads now, so that too many of them, or too large a stack, is an error with a message and no later panic.
fn start_threads() -> Result<(), Failure> {
    for (name, range) in [("RUST_MIN_STACK", 1 << 18..=1 << 30), ("RAYON_NUM_THREADS", 0..=1024)] {
        let number = std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
        if let Some(number) = number.filter(|number| !range.contains(number)) {
            let (least, most) = (range.start(), range.end());
            return Err(Failure::Usage(format!("the variable {name} is {number}; it must be {least} to {most}")));
        }
    }
    steerling::engine::Backend::check_room().map_err(Failure::Memory)?;
    let threads = rayon::ThreadPoolBuilder::new().build_global();
    threads.map_err(|error| Failure::Memory(format!("the threads that share work cannot be started: {error}")))
}

fn end(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            shared::print_stderr(&format!("error: {failure}"));
            if let Failure::Interrupted { code } = failure {
                // An abandoned step may still run on another thread. This exit runs no cleanup, which could take something from under it.
                signal_hook::low_level::exit(code.into());
            }
            ExitCode::from(failure.code())
        }
    }
}

fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut command = <Cli as clap::CommandFactory>::command();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "steerling", &mut script);
    shared::print(&String::from_utf8_lossy(&script))
}
