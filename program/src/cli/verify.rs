//! `steerling verify`: the GPU against the CPU reference.

use super::Failure;
use super::shared::{GpuArgs, SceneArgs, print, print_json};
use super::walk::progress_bar;
use std::fmt::Write;
use steerling::engine::check_both;
use steerling::gpu::Simulation;
use steerling::model::State;
use steerling::verify::{DRIVERS, KNOWN, Known, Plan, Report, Verdict, verify};

/// Arguments of `steerling verify`.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(after_long_help = "\
Examples:
  steerling verify flock
  steerling verify murmuration --agents 65536 --steps 50 --free-steps 200
  steerling verify my-scene.toml --json")]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    #[command(flatten)]
    gpu: GpuArgs,
    /// Steps to compare stage by stage
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    steps: u32,
    /// Steps to run freely from the same start
    #[arg(long, default_value_t = 20)]
    free_steps: u32,
    /// Judge by tolerance, with shaders as the driver likes to compile them, even where equal bits could be had
    #[arg(long)]
    tolerance: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let scene = args.scene.open()?;
    let gpu = args.gpu.open()?;
    let mut options = args.gpu.options()?;
    options.exact = !args.tolerance;
    // Check this before the state of all agents is made.
    Simulation::check(&gpu, &scene, &options)?;
    check_both(&gpu, &scene)?;
    let plan = Plan { steps: args.steps, free_steps: args.free_steps };
    let bar = progress_bar(u64::from(plan.steps) + u64::from(plan.free_steps));
    let report = verify(&gpu, &scene, &State::initial(&scene), &options, plan, |done| bar.set_position(done.into()))?;
    bar.finish_and_clear();
    if args.json {
        print_json(&report)?;
    } else {
        print(&table(&report))?;
    }
    if report.pass { Ok(()) } else { Err(Failure::Mismatch(summary(&report))) }
}

/// The report as a table.
fn table(report: &Report) -> String {
    let mut out = String::new();
    let bar = if report.exact { "zero differing bits" } else { "tolerance" };
    let _ = writeln!(out, "adapter  {}", report.adapter);
    let _ = writeln!(out, "scene    {}, {} agents, seed {}", report.scene, report.agents, report.seed);
    let _ = writeln!(out, "bar      {bar}, {} steps stage by stage\n", report.steps);
    let _ = writeln!(
        out,
        "{:10} {:16} {:>12} {:>10} {:>10} {:>11}  verdict",
        "stage", "buffer", "compared", "differing", "worst ulp", "worst agent"
    );
    for row in &report.rows {
        let agent = row.worst_agent.map_or("-".to_owned(), |id| id.to_string());
        let verdict = if row.verdict == Verdict::Pass { "pass" } else { "FAIL" };
        let _ = writeln!(
            out,
            "{:10} {:16} {:>12} {:>10} {:>10} {:>11}  {verdict}",
            row.stage, row.buffer, row.compared, row.differing, row.worst_ulp, agent
        );
        if row.explained > 0 {
            let _ = writeln!(out, "{:27} {} outliers explained as threshold cases", "", row.explained);
        }
    }
    let oracle = &report.oracle;
    if oracle.compared > 0 {
        let verdict = if oracle.pass() { "pass" } else { "FAIL" };
        let (agents, neighbors) = (oracle.compared, oracle.neighbors);
        let _ = writeln!(out, "\noracle, {neighbors} neighbors of {agents} sampled agents: {verdict}");
    }
    let free = &report.free_run;
    let verdict = if free.pass { "pass" } else { "FAIL" };
    let _ = writeln!(out, "\nfree run of {} steps: {verdict}", free.steps);
    if free.bad_agents > 0 {
        let _ = writeln!(out, "  {} agents have no finite state at its end, and are frozen", free.bad_agents);
    }
    let _ = writeln!(out, "  GPU {}  polarization {:.6}", free.gpu_digest, free.gpu_polarization);
    let _ = writeln!(out, "  CPU {}  polarization {:.6}", free.cpu_digest, free.cpu_polarization);
    let _ = writeln!(out, "{}", about_digest(report));
    out
}

/// One line that says whether the digest of the free run is the known one.
fn about_digest(report: &Report) -> String {
    let free = &report.free_run;
    match free.known_digest {
        Some(known) if known == free.gpu_digest => {
            format!("digest known: {} agree on it (docs/verified.md)", DRIVERS.join(" and "))
        }
        Some(known) => format!(
            "digest OTHER than the known one, {known}, on which {} agree: these shaders, this build or this driver compute \
             something else",
            DRIVERS.join(" and ")
        ),
        None => match Known::rows(KNOWN).find(|row| row.preset == report.scene) {
            Some(Known { agents, steps, seed, .. }) => format!(
                "digest not known for these numbers; the known one is of the preset with {agents} agents and seed {seed}, unchanged, after {steps} steps"
            ),
            None => "digest not known: only those of presets are (docs/verified.md)".to_owned(),
        },
    }
}

/// The first difference between GPU and reference, in one line.
fn summary(report: &Report) -> String {
    let failed = report.rows.iter().filter(|r| r.verdict == Verdict::Fail);
    let first = failed.filter_map(|row| Some((row, row.first.as_ref()?))).min_by_key(|(_, m)| m.step);
    match first {
        Some((row, m)) => format!(
            "mismatch at step {}, stage {}, buffer {}, {}: GPU {}, CPU {}",
            m.step,
            row.stage,
            row.buffer,
            m.agent.map_or(format!("index {}", m.index), |id| format!("agent {id}")),
            m.gpu,
            m.cpu
        ),
        None if let Some(missed) = &report.oracle.first => format!(
            "at step {} agent {} perceives {} others and should perceive {}, by the brute-force oracle{}",
            missed.step,
            missed.agent,
            missed.found,
            missed.oracle,
            missed.other.map_or(String::new(), |other| format!("; they differ in agent {other}"))
        ),
        None if report.rows.iter().any(|r| r.verdict == Verdict::Fail) => "a stage compared no values".to_owned(),
        None => "the free runs diverge".to_owned(),
    }
}
