//! The timing of our simulation, another one and a program, in turn.

use crate::cli::Failure;
use crate::cli::interrupt::Interrupt;
use serde_json::Value;
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;
use steerling::gpu::Simulation;
use steerling::measure::turns;
use steerling::model::Snapshot;

/// Steps before the timed ones. The first one sorts the agents, which lie in the order of ids after a restore.
const WARMUP: u32 = 2;
/// A sample takes about this long, s.
const SAMPLE: f64 = 0.02;
/// Most steps of a sample, so that a state called fresh stays fresh.
const MOST_STEPS: u32 = 16;

/// Most output of a program, bytes: messages about its work and, at the end, the time.
const MOST_PRINTED: u64 = 1 << 20;

/// What is timed beside ours.
#[derive(Debug)]
pub enum Contestant {
    /// Steps of another simulation from the same state.
    Steps(Box<Runner>),
    /// A command that prints milliseconds.
    Program(String),
}

/// A simulation that starts each sample from the same state.
#[derive(Debug)]
pub struct Runner {
    /// The simulation that is timed.
    pub simulation: Simulation,
    start: Arc<Snapshot>,
    /// Steps of a sample.
    pub steps: u32,
    /// Mean number of neighbors when a sample begins.
    pub neighbors: f64,
}

impl Runner {
    /// A runner that starts from this state. A sample has `steps` steps, or by default as many as take about `SAMPLE` seconds.
    pub fn new(simulation: Simulation, start: Arc<Snapshot>, steps: Option<u32>) -> Result<Runner, Failure> {
        let mut runner = Runner { simulation, start, steps: 1, neighbors: 0.0 };
        runner.rewind()?;
        runner.neighbors = runner.simulation.observe()?.mean_neighbors;
        let one = runner.sample()? / 1e3;
        runner.steps = steps.unwrap_or_else(|| (SAMPLE / one.max(1e-9)).ceil().clamp(1.0, MOST_STEPS.into()) as u32);
        Ok(runner)
    }

    fn rewind(&mut self) -> Result<(), Failure> {
        self.simulation.restore(&self.start)?;
        self.simulation.step(WARMUP)?;
        Ok(self.simulation.gpu().wait()?)
    }

    /// The time of a step, ms.
    fn sample(&mut self) -> Result<f64, Failure> {
        self.rewind()?;
        let start = Instant::now();
        self.simulation.step(self.steps)?;
        self.simulation.gpu().wait()?;
        Ok(start.elapsed().as_secs_f64() * 1e3 / f64::from(self.steps))
    }
}

impl Contestant {
    /// Take a sample: the time of a step, ms.
    fn sample(&mut self) -> Result<f64, Failure> {
        match self {
            Contestant::Steps(runner) => runner.sample(),
            Contestant::Program(command) => program(command),
        }
    }
}

/// Take samples of all contestants in turn. Returns their times, ms for a step: first those of ours, then those of each other.
pub fn contest(
    ours: &mut Runner,
    others: &mut [Contestant],
    samples: u32,
    interrupt: &Interrupt,
) -> Result<Vec<Vec<f64>>, Failure> {
    let mut times = vec![Vec::new(); 1 + others.len()];
    for round in 0..samples as usize {
        for turn in turns(times.len(), round) {
            times[turn].push(if turn == 0 { ours.sample()? } else { others[turn - 1].sample()? });
            interrupt.check()?;
        }
    }
    Ok(times)
}

/// Run a command, and read the milliseconds that it prints. It writes to the same stderr as this program.
fn program(line: &str) -> Result<f64, Failure> {
    let fault = |reason: String| Failure::Other(format!("`{line}` failed: {reason}"));
    let failed = |error: std::io::Error| fault(error.to_string());
    let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut command = Command::new(shell);
    command.args([flag, line]).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let mut printed = Vec::new();
    let read = child.stdout.take().map(|pipe| pipe.take(MOST_PRINTED + 1).read_to_end(&mut printed));
    if printed.len() as u64 > MOST_PRINTED {
        // It may print for ever; its pipe is closed by now.
        child.kill().and_then(|()| child.wait()).map_err(failed)?;
        return Err(fault(format!("it prints more than {} MiB", MOST_PRINTED >> 20)));
    }
    let status = child.wait().map_err(failed)?;
    read.transpose().map_err(failed)?;
    match status.success() {
        true => milliseconds(&String::from_utf8_lossy(&printed)).map_err(fault),
        false => Err(fault(status.to_string())),
    }
}

/// Parse the text, or else its last line, as JSON: the milliseconds as a number, or as `median_ms` of an object.
fn milliseconds(text: &str) -> Result<f64, String> {
    let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    let value = serde_json::from_str::<Value>(text).or_else(|_| serde_json::from_str::<Value>(last));
    let value =
        value.map_err(|_| "its last line is not JSON; it must be a number or {\"median_ms\": 1.5}".to_owned())?;
    let number = value.as_f64().or_else(|| value.get("median_ms")?.as_f64());
    let number = number.ok_or("its JSON is neither a number nor an object with the number `median_ms`")?;
    if number.is_finite() && number > 0.0 {
        Ok(number)
    } else {
        Err(format!("{number} ms is not a valid time of a step"))
    }
}
