//! `steerling verify`: the GPU against the CPU reference.

use super::Failure;
use super::shared::{GpuArgs, SceneArgs, print_report, verdict};
use super::walk::progress_bar;
use std::fmt::Write;
use steerling::engine::check_both;
use steerling::gpu::Simulation;
use steerling::model::State;
use steerling::verify::{DRIVERS, KNOWN, Known, Mismatch, Missed, Plan, Report, Row, Verdict, verify};

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
    print_report(&report, args.json, table)?;
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
        let verdict = verdict(row.verdict == Verdict::Pass);
        let Row { stage, buffer, compared, differing, worst_ulp, explained, .. } = row;
        let _ = write!(out, "{stage:10} {buffer:16} {compared:>12} {differing:>10} {worst_ulp:>10}");
        let _ = writeln!(out, " {agent:>11}  {verdict}");
        if *explained > 0 {
            let _ = writeln!(out, "{:27} {explained} outliers explained as threshold cases", "");
        }
    }
    let oracle = &report.oracle;
    if oracle.compared > 0 {
        let (agents, neighbors, verdict) = (oracle.compared, oracle.neighbors, verdict(oracle.pass()));
        let _ = writeln!(out, "\noracle, {neighbors} neighbors of {agents} sampled agents: {verdict}");
    }
    let free = &report.free_run;
    let _ = writeln!(out, "\nfree run of {} steps: {}", free.steps, verdict(free.pass));
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
    let (free, drivers) = (&report.free_run, DRIVERS.join(" and "));
    match free.known_digest {
        Some(known) if known == free.gpu_digest => format!("digest known: {drivers} agree on it (docs/verified.md)"),
        Some(known) => format!(
            "digest OTHER than the known one, {known}, on which {drivers} agree: these shaders, this build or this driver \
             compute something else"
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
        Some((row, Mismatch { step, index, agent, gpu, cpu, .. })) => {
            let place = agent.map_or(format!("index {index}"), |id| format!("agent {id}"));
            let (stage, buffer) = (row.stage, row.buffer);
            format!("mismatch at step {step}, stage {stage}, buffer {buffer}, {place}: GPU {gpu}, CPU {cpu}")
        }
        None if let Some(Missed { step, agent, found, oracle, other, .. }) = &report.oracle.first => {
            let other = other.map_or(String::new(), |other| format!("; they differ in agent {other}"));
            let seen = format!("perceives {found} others and should perceive {oracle}");
            format!("at step {step} agent {agent} {seen}, by the brute-force oracle{other}")
        }
        None if report.rows.iter().any(|r| r.verdict == Verdict::Fail) => "a stage compared no values".to_owned(),
        None => "the free runs diverge".to_owned(),
    }
}
