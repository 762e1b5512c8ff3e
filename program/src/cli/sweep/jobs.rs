//! A sweep as several processes side by side: each runs a part, as `--part` does, and their tables are joined.
//!
//! If worlds are small, one process keeps few cores, or little of a GPU, busy. On llvmpipe each process computes on a single thread:
//! threads that wake each other for a dispatch of microseconds cost more than they gain (docs/performance.md).

use super::{Args, Part, number_of_parts};
use crate::cli::Failure;
use crate::cli::interrupt::Interrupt;
use crate::cli::shared::print_note;
use indicatif::ProgressBar;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;
use steerling::output::Sweep;

/// Interval at which the processes and their progress are polled.
const LOOK: Duration = Duration::from_millis(100);
/// Bytes at the end of a table that are read to see its progress.
const TAIL: u64 = 1 << 14;

/// A process that runs a part. It ends with this one, because its standard input closes; dropping it kills it.
struct Job {
    part: Part,
    child: Child,
    said: File,
}

impl Drop for Job {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Run all points with `jobs` processes at a time, each part into its folder below `out`. Parts of an earlier call go on.
pub fn run(args: &Args, jobs: usize, sweep: &Sweep, out: &Path, bar: &ProgressBar) -> Result<(), Failure> {
    let fault = |error: std::io::Error| Failure::Other(format!("--jobs: {error}"));
    let (points, steps) = (sweep.experiment.points(), u64::from(sweep.experiment.steps));
    let of = number_of_parts(out)?.unwrap_or(jobs.min(points));
    if of != jobs.min(points) {
        let out = steerling::scene::shown(out);
        print_note(&format!("note: {out} has {of} parts of an earlier call, and they go on"));
    }
    let interrupt = Interrupt::listen()?;
    let program = std::env::current_exe().map_err(fault)?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let begin = |part: Part| {
        let said = tempfile::tempfile()?;
        let mut command = Command::new(&program);
        command.args(arguments(args, part, out)).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(said.try_clone()?);
        for (name, value) in [("LP_NUM_THREADS", 0), ("RAYON_NUM_THREADS", cores.div_ceil(jobs.min(of)))] {
            if std::env::var_os(name).is_none() {
                command.env(name, value.to_string());
            }
        }
        Ok(Job { part, child: command.spawn()?, said })
    };
    let (mut waiting, mut running, mut failed, mut finished_points) = (1..of + 1, Vec::new(), None, 0);
    loop {
        interrupt.check()?;
        // After a failure no more parts are started: what is wrong with one is likely to be wrong with all.
        let room = if failed.is_none() { jobs - running.len() } else { 0 };
        for number in waiting.by_ref().take(room) {
            running.push(begin(Part { number, of }).map_err(fault)?);
        }
        let seen = |job: &Job| done(&job.part.folder(out), job.part.points(points).start);
        bar.set_position((finished_points + running.iter().map(seen).sum::<usize>()) as u64 * steps);
        for mut job in std::mem::take(&mut running) {
            let Some(status) = job.child.try_wait().map_err(fault)? else {
                running.push(job);
                continue;
            };
            let (asked, path) = (job.part.points(points), job.part.folder(out).join("table.csv"));
            let all_there =
                || super::open(&path, sweep, asked.clone()).is_ok_and(|table| table.points() == asked.len());
            // Exit code 1 with a full table means that some points failed, which the join will report.
            match status.success() || status.code() == Some(1) && all_there() {
                true => finished_points += asked.len(),
                false => failed = failed.or(Some(job.failure(status))),
            }
            if job.part.number == 1 {
                job.said().lines().filter(|line| line.starts_with("note: ")).for_each(print_note);
            }
        }
        if running.is_empty() && (failed.is_some() || waiting.is_empty()) {
            return failed.map_or(Ok(()), Err);
        }
        thread::sleep(LOOK);
    }
}

impl Job {
    /// What the process has written to stderr.
    fn said(&mut self) -> String {
        let mut bytes = Vec::new();
        let _ = self.said.seek(SeekFrom::Start(0)).and_then(|_| self.said.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The failure of a process that ended without all of its points.
    fn failure(&mut self, status: ExitStatus) -> Failure {
        let (said, Part { number, of }) = (self.said(), self.part);
        let error = said.split_once("error: ").map_or(said.lines().last().unwrap_or_default(), |(_, error)| error);
        let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
        Failure::Part { code, text: format!("part {number} of {of}: {}", error.trim_end()) }
    }
}

/// The arguments of the process that runs a part.
fn arguments(args: &Args, part: Part, out: &Path) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["sweep".into(), "--attached".into(), "--part".into()];
    arguments.push(format!("{}/{}", part.number, part.of).into());
    let device =
        args.device.map(|device| clap::ValueEnum::to_possible_value(&device).unwrap_or_default().get_name().into());
    let named: [(&str, Option<OsString>); 7] = [
        ("--out", Some(out.into())),
        ("--observe", args.observe.clone().map(Into::into)),
        ("--worlds", args.worlds.map(|worlds| worlds.to_string().into())),
        ("--device", device),
        ("--adapter", args.gpu.adapter.clone().map(Into::into)),
        ("--shaders", args.gpu.shaders.clone().map(Into::into)),
        ("--workgroup-size", args.gpu.workgroup_size.clone().map(Into::into)),
    ];
    for (name, value) in named {
        // As one word `--name=value`, because a value may begin with a dash.
        arguments
            .extend(value.map(|value| [OsString::from(name), "=".into(), value].into_iter().collect::<OsString>()));
    }
    arguments.extend(args.gpu.unordered.then(|| "--unordered".into()));
    arguments.extend(["--".into(), args.experiment.clone().into()]);
    arguments
}

/// How many points of a part are in its table, from the number of the last point there.
fn done(home: &Path, first: usize) -> usize {
    let last = || -> Option<usize> {
        let mut file = File::open(home.join("table.csv")).ok()?;
        let length = file.metadata().ok()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).ok()?;
        let mut tail = Vec::new();
        file.read_to_end(&mut tail).ok()?;
        let point = String::from_utf8_lossy(&tail).lines().last()?.split(',').next()?.parse::<usize>().ok()?;
        (point + 1).checked_sub(first)
    };
    last().unwrap_or(0)
}

/// End when the process that started this one ends, which closes standard input. The next call repairs a table that is torn.
pub fn attach() -> Result<(), Failure> {
    let watch = || {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        // Exit at once, without waiting for a driver.
        signal_hook::low_level::exit(130);
    };
    let watching = thread::Builder::new().name("input".to_owned()).spawn(watch);
    watching.map(drop).map_err(|error| Failure::Other(format!("cannot watch the input: {error}")))
}
