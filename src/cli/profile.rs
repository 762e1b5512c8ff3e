//! `steerling profile`: the time of every stage on the GPU.

use super::Failure;
use super::shared::{GpuArgs, SceneArgs, print, tell};
use crate::files::{self, Part};
use crate::gpu::{Options, Simulation, StepTimer, Times, quantile};
use crate::model::{STAGES, State};
use crate::scene::Scene;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Arguments of `steerling profile`.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(after_long_help = "\
Examples:
  steerling profile flock --agents 1000000
  steerling profile flock --agents 1000000 --baseline plain
  steerling profile assets/benchmarks/far_hawks.toml --baseline flock
  steerling profile murmuration --warmup 2000 --json")]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    #[command(flatten)]
    gpu: GpuArgs,
    /// Steps to time
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    steps: u32,
    /// Steps to run before
    #[arg(long, default_value_t = 3)]
    warmup: u32,
    /// Also run something else, step by step in turn, and print the ratio of medians: `plain` is the common design (cells
    /// as wide as the perception radius, whole rows, the order of threads within a cell) with the same scene; anything
    /// else is another scene, without the changes of --set
    #[arg(long, value_name = "plain|SCENE")]
    baseline: Option<String>,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
    /// Write the timed steps as a trace that chrome://tracing and Perfetto open
    #[arg(long, value_name = "FILE")]
    chrome_trace: Option<PathBuf>,
    /// Overwrite the trace file if it exists
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
struct StageFigures {
    stage: &'static str,
    dispatches: usize,
    median_ms: f64,
    p95_ms: f64,
    share: f64,
    bytes: u64,
    gb_per_s: f64,
}

#[derive(Serialize)]
struct Figures {
    adapter: String,
    exact: bool,
    scene: String,
    agents: u32,
    cells: u32,
    steps: u32,
    warmup: u32,
    timestamps: bool,
    dropped_timestamps: u32,
    step_median_ms: f64,
    step_p95_ms: f64,
    agents_per_s: f64,
    dispatches: usize,
    memory_bytes: u64,
    stages: Vec<StageFigures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<BaselineFigures>,
}

#[derive(Serialize)]
struct BaselineFigures {
    name: String,
    step_median_ms: f64,
    /// Median of ours over median of the baseline's: below 1 is faster.
    ratio: f64,
}

pub fn run(args: Args) -> Result<(), Failure> {
    if let Some(path) = &args.chrome_trace {
        files::check(path, args.force).map_err(|error| trace_error(path, &error))?;
    }
    let scene = args.scene.open()?;
    let gpu = args.gpu.open()?;
    let options = args.gpu.options()?;
    Simulation::check(&gpu, &scene, &options)?;
    let state = State::initial(&scene);
    let mut ours = Simulation::new(&gpu, &scene, &state, options.clone())?;
    let mut other = args.baseline.as_deref().map(|name| baseline(name, &args, &ours, &scene, &state)).transpose()?;
    drop(state);
    ours.step(args.warmup)?;
    ours.observe()?;
    if let Some(other) = &mut other {
        if args.baseline.as_deref() == Some(PLAIN) {
            // Both designs are timed on the same flock.
            other.set_state(&ours.state()?)?;
            other.step(1)?;
        } else {
            other.step(args.warmup)?;
        }
    }
    let timer = StepTimer::new(&ours);
    let other_timer = other.as_ref().map(StepTimer::new);
    let (mut times, mut other_times) = (Times::default(), Times::default());
    for step in 0..args.steps {
        // In turn, and each first in every other pair.
        if step % 2 == 0 {
            timer.step(&mut ours, &mut times)?;
        }
        if let (Some(other), Some(timer)) = (&mut other, &other_timer) {
            timer.step(other, &mut other_times)?;
        }
        if step % 2 == 1 {
            timer.step(&mut ours, &mut times)?;
        }
    }
    ours.observe()?;
    if let Some(other) = &other {
        other.observe()?;
    }
    let mut figures = figures(&args, &scene.name, &ours, &timer, &times);
    if let Some(name) = &args.baseline {
        let median = quantile(&other_times.steps, 0.5) * 1e3;
        let ratio = figures.step_median_ms / median;
        figures.baseline = Some(BaselineFigures { name: name.clone(), step_median_ms: median, ratio });
    }
    if args.json {
        print(
            &(serde_json::to_string_pretty(&figures).map_err(|e| Failure::Other(e.to_string()))?
                + "
"),
        )?;
    } else {
        print(&table(&figures))?;
    }
    if let Some(path) = &args.chrome_trace {
        let write = |file: &mut std::io::BufWriter<Part>| file.write_all(trace(&ours, &times).as_bytes());
        files::write_whole(path, args.force, false, write).map_err(|error| trace_error(path, &error))?;
        tell(&format!("wrote {}", std::path::absolute(path).unwrap_or_else(|_| path.clone()).display()));
    }
    Ok(())
}

fn trace_error(path: &Path, error: &io::Error) -> Failure {
    let hint = if error.kind() == io::ErrorKind::AlreadyExists { "; use --force to overwrite it" } else { "" };
    Failure::File { path: path.to_owned(), reason: format!("{error}{hint}") }
}

/// The baseline that is no scene.
const PLAIN: &str = "plain";

/// What is compared with: the plain design of the same scene, or another scene.
fn baseline(name: &str, args: &Args, ours: &Simulation, scene: &Scene, state: &State) -> Result<Simulation, Failure> {
    let options = args.gpu.options()?;
    if name == PLAIN {
        let plain = Options { shaders: options.shaders, workgroup_size: options.workgroup_size, ..Options::plain() };
        return Ok(Simulation::new(ours.gpu(), scene, state, plain)?);
    }
    let other = SceneArgs { scene: Some(name.to_owned()), overrides: Vec::new(), ..args.scene.clone() }.open()?;
    Simulation::check(ours.gpu(), &other, &options)?;
    Ok(Simulation::new(ours.gpu(), &other, &State::initial(&other), options)?)
}

fn figures(args: &Args, scene: &str, simulation: &Simulation, timer: &StepTimer, times: &Times) -> Figures {
    let stage_times = times.stages(simulation);
    let total: f64 = stage_times.iter().map(|t| quantile(t, 0.5)).sum();
    let passes = &simulation.pipelines().passes;
    let stage = |(index, stage): (usize, &crate::model::Stage)| {
        let median = quantile(&stage_times[index], 0.5);
        let own = || passes.iter().filter(|p| p.stage == index);
        let bytes = own().map(|p| simulation.least_traffic(p)).sum();
        StageFigures {
            stage: stage.name,
            dispatches: own().count(),
            median_ms: median * 1e3,
            p95_ms: quantile(&stage_times[index], 0.95) * 1e3,
            share: if total > 0.0 { median / total } else { 0.0 },
            bytes,
            gb_per_s: if median > 0.0 { bytes as f64 / median / 1e9 } else { 0.0 },
        }
    };
    let median = quantile(&times.steps, 0.5);
    let world = &simulation.model().world;
    Figures {
        adapter: simulation.gpu().title(),
        exact: simulation.gpu().exact,
        scene: scene.to_owned(),
        agents: world.agent_count,
        cells: world.cell_count,
        steps: args.steps,
        warmup: args.warmup,
        timestamps: timer.has_timestamps(),
        dropped_timestamps: times.dropped,
        step_median_ms: median * 1e3,
        step_p95_ms: quantile(&times.steps, 0.95) * 1e3,
        agents_per_s: if median > 0.0 { f64::from(world.agent_count) / median } else { 0.0 },
        dispatches: passes.len(),
        memory_bytes: simulation.memory(),
        stages: STAGES.iter().enumerate().filter(|(_, s)| (s.used)(simulation.model())).map(stage).collect(),
        baseline: None,
    }
}

/// The figures as a table.
fn table(f: &Figures) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "adapter  {}", f.adapter);
    let _ = writeln!(out, "scene    {}, {} agents, {} cells, after {} steps", f.scene, f.agents, f.cells, f.warmup);
    if !f.timestamps {
        let _ = writeln!(out, "note     this adapter has no timestamps: whole submissions are timed, stages are not");
    }
    if f.dropped_timestamps > 0 {
        let _ = writeln!(
            out,
            "note     {} timestamps ran backward or past the step's time and were dropped",
            f.dropped_timestamps
        );
    }
    if f.timestamps {
        let _ = writeln!(
            out,
            "\n{:10} {:>10} {:>11} {:>10} {:>7} {:>10} {:>9}",
            "stage", "dispatches", "median ms", "p95 ms", "share", "MB moved", "GB/s"
        );
        for s in &f.stages {
            let _ = writeln!(
                out,
                "{:10} {:>10} {:>11.3} {:>10.3} {:>6.1}% {:>10.2} {:>9.2}",
                s.stage,
                s.dispatches,
                s.median_ms,
                s.p95_ms,
                s.share * 100.0,
                s.bytes as f64 / 1e6,
                s.gb_per_s
            );
        }
    }
    let _ = writeln!(
        out,
        "\nstep     median {:.3} ms, p95 {:.3} ms over {} steps; {:.3e} agents/s; {} dispatches; {:.1} MB of buffers",
        f.step_median_ms,
        f.step_p95_ms,
        f.steps,
        f.agents_per_s,
        f.dispatches,
        f.memory_bytes as f64 / 1e6
    );
    if let Some(b) = &f.baseline {
        let _ = writeln!(
            out,
            "{:8} median {:.3} ms; ratio of medians (ours / {}) {:.3}",
            b.name, b.step_median_ms, b.name, b.ratio
        );
    }
    out
}

/// The timed steps one after another in the trace event format, microseconds.
fn trace(simulation: &Simulation, times: &Times) -> String {
    let mut events = Vec::new();
    let mut now = 0.0;
    for step in 0..times.steps.len() {
        for (pass, spans) in simulation.pipelines().passes.iter().zip(&times.passes) {
            let Some(span) = spans.get(step) else { continue };
            let (stage, duration) = (STAGES[pass.stage].name, span * 1e6);
            events.push(serde_json::json!({
                "name": pass.name, "cat": stage, "ph": "X", "ts": now, "dur": duration, "pid": 0, "tid": 0,
                "args": { "step": step }
            }));
            now += duration;
        }
        if times.passes.is_empty() {
            let duration = times.steps[step] * 1e6;
            events
                .push(serde_json::json!({ "name": "step", "ph": "X", "ts": now, "dur": duration, "pid": 0, "tid": 0 }));
            now += duration;
        }
    }
    serde_json::json!({ "traceEvents": events, "displayTimeUnit": "ms" }).to_string()
}
