//! A sweep as several processes side by side: each runs a part, as `--part` does, and their tables are joined.
//!
//! One process keeps few cores or none of a GPU busy where worlds are small. On llvmpipe each computes on its own thread alone: threads
//! that wake each other for a dispatch of microseconds cost more than they gain (docs/performance.md).

use super::{Args, Part, parts_in};
use crate::cli::Failure;
use crate::cli::interrupt::Interrupt;
use crate::cli::shared::tell;
use indicatif::ProgressBar;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// How often somebody looks how far they are.
const LOOK: Duration = Duration::from_millis(100);
/// What is read of the end of a table to see how far it is, bytes.
const TAIL: u64 = 1 << 14;

/// One of the processes, which ends with this one: in order because its input ends, and at once where it is dropped.
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

/// Run all points by so many processes, each into the folder of its part below `out`. Parts of an earlier call go on.
pub fn run(args: &Args, jobs: usize, points: usize, steps: u64, out: &Path, bar: &ProgressBar) -> Result<(), Failure> {
    let fault = |error: std::io::Error| Failure::Other(format!("--jobs: {error}"));
    let found = parts_in(out).first().map(|part| part.of);
    let of = found.unwrap_or(jobs.min(points));
    if of != jobs.min(points) {
        tell(&format!("note: {} has {of} parts of an earlier call, and they go on", steerling::scene::shown(out)));
    }
    let interrupt = Interrupt::listen()?;
    let program = std::env::current_exe().map_err(fault)?;
    let begin = |number: usize| {
        let (part, said) = (Part { number, of }, tempfile::tempfile()?);
        let mut command = Command::new(&program);
        command.args(words(args, part, out)).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(said.try_clone()?);
        let cores = thread::available_parallelism().map_or(1, usize::from);
        for (name, value) in [("LP_NUM_THREADS", 0), ("RAYON_NUM_THREADS", cores.div_ceil(of))] {
            if std::env::var_os(name).is_none() {
                command.env(name, value.to_string());
            }
        }
        Ok(Job { part, child: command.spawn()?, said })
    };
    let mut running = (1..=of).map(begin).collect::<std::io::Result<Vec<Job>>>().map_err(fault)?;
    loop {
        interrupt.check()?;
        let done: Vec<usize> =
            running.iter().map(|job| done(&job.part.folder(out), job.part.points(points).start)).collect();
        bar.set_position(done.iter().sum::<usize>() as u64 * steps);
        let ended: Vec<_> =
            running.iter_mut().map(|job| job.child.try_wait()).collect::<Result<_, _>>().map_err(fault)?;
        if ended.iter().all(Option::is_some) {
            // Where all points are there, some failed, and the join says so. What else went wrong is in the words of the part.
            let is_bad = |(index, job): &(usize, &mut Job)| {
                !ended[*index].is_some_and(|status| status.success()) && done[*index] < job.part.points(points).len()
            };
            return running.iter_mut().enumerate().find(is_bad).map_or(Ok(()), |(_, job)| Err(job.failure()));
        }
        thread::sleep(LOOK);
    }
}

impl Job {
    /// What it said last.
    fn failure(&mut self) -> Failure {
        let mut text = String::new();
        let _ = self.said.seek(SeekFrom::Start(0)).and_then(|_| self.said.read_to_string(&mut text));
        let said = text.rsplit_once("error: ").map_or("it was ended from outside", |(_, said)| said.trim_end());
        let Part { number, of } = self.part;
        Failure::Other(format!("part {number} of {of}: {said}"))
    }
}

/// The command line of a part.
fn words(args: &Args, part: Part, out: &Path) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["sweep".into(), "--attached".into(), "--part".into()];
    words.push(format!("{}/{}", part.number, part.of).into());
    let device =
        args.device.map(|device| clap::ValueEnum::to_possible_value(&device).unwrap_or_default().get_name().into());
    let named: [(&str, Option<OsString>); 6] = [
        ("--out", Some(out.into())),
        ("--observe", args.observe.clone().map(Into::into)),
        ("--device", device),
        ("--adapter", args.gpu.adapter.clone().map(Into::into)),
        ("--shaders", args.gpu.shaders.clone().map(Into::into)),
        ("--workgroup-size", args.gpu.workgroup_size.clone().map(Into::into)),
    ];
    for (name, value) in named {
        // In one word, because a value may begin with a dash.
        words.extend(value.map(|value| [OsString::from(name), "=".into(), value].into_iter().collect::<OsString>()));
    }
    words.extend(args.gpu.unordered.then(|| "--unordered".into()));
    words.extend(["--".into(), args.experiment.clone().into()]);
    words
}

/// How many points of a part are in its table, from the number of the last one.
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

/// End with the process that started this one, whose end closes the input. A table that is torn is mended by the next call.
pub fn attach() {
    thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(130);
    });
}
