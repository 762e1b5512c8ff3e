//! `steerling conform`: the laws of steering, tried on the reference and on the GPU.

use super::Failure;
use super::shared::{GpuArgs, print, print_report, verdict};
use rayon::prelude::*;
use std::fmt::Write;
use steerling::scene::{nearest, shorten};
use steerling_conform::{Backend, Case, Group, LADDER, Law, Outcome, Power, Report, SEED, conform, power, select};

#[derive(Debug, Clone, Default, clap::Args)]
#[command(after_long_help = "\
Examples:
  steerling conform
  steerling conform separation --seed 7
  steerling conform --list
  steerling conform vehicle --only cpu --json
  steerling conform --shaders my-shaders      (a mistake in them should end in FAIL)")]
pub struct Args {
    /// Try only laws whose name or group contains this
    filter: Option<String>,
    #[command(flatten)]
    gpu: GpuArgs,
    /// Try them on one backend only
    #[arg(long, value_name = "cpu|gpu", value_parser = ["cpu", "gpu"])]
    only: Option<String>,
    /// Seed of the parameters that are drawn
    #[arg(long, default_value_t = SEED, allow_negative_numbers = true)]
    seed: u64,
    /// List the laws, and try none
    #[arg(long)]
    list: bool,
    /// Print, for each number of a law's scenes, the smallest relative change that the law finds; runs on the CPU and takes minutes
    #[arg(long, conflicts_with_all = ["only", "list", "json"])]
    power: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let filter = args.filter.as_deref().unwrap_or("");
    let laws = select(filter);
    if laws.is_empty() {
        return Err(Failure::Usage(unknown(filter)));
    }
    if args.list {
        let lines = laws.iter().map(|(_, law)| format!("{:34} {}\n", law.name, law.statement));
        return print(&lines.collect::<String>());
    }
    if args.power {
        return powers(&laws, args.seed);
    }
    let mut backends = Vec::new();
    if args.only.as_deref() != Some("gpu") {
        backends.push(Backend::Cpu);
    }
    if args.only.as_deref() != Some("cpu") {
        backends.push(Backend::Gpu(Box::new(args.gpu.open()?), Box::new(args.gpu.options()?)));
    }
    let line = |text: &str| if args.json { Ok(()) } else { print(text) };
    line(&format!("{:34} {:8} {:>6} {:>12} {:>7}  verdict\n", "law", "backend", "cases", "error/bound", "s"))?;
    let mut printed = Ok(());
    let report = conform(&laws, &backends, args.seed, |outcome| {
        let result = line(&rows(outcome));
        printed = std::mem::replace(&mut printed, Ok(())).and(result);
    })?;
    printed?;
    print_report(&report, args.json, |report| failures(report) + &totals(report))?;
    if report.pass { Ok(()) } else { Err(Failure::Mismatch(summary(&report))) }
}

/// The table of `--power`, in the order of the laws.
fn powers(laws: &[(&'static Group, &'static Law)], seed: u64) -> Result<(), Failure> {
    let all = laws.par_iter().map(|(_, law)| power(law, seed)).collect::<Result<Vec<_>, _>>()?;
    print("| law | number | finds |\n| --- | --- | --- |\n")?;
    for Power { law, number, finds } in all.into_iter().flatten() {
        let share = |change: f64| format!("{} %", 100.0 * change);
        let found = finds.map_or(format!("over {}", share(LADDER[LADDER.len() - 1])), share);
        print(&format!("| `{law}` | `{number}` | {found} |\n"))?;
    }
    Ok(())
}

/// The error message for a filter that fits no law.
fn unknown(filter: &str) -> String {
    let names: Vec<&str> = select("").iter().map(|(_, law)| law.name).collect();
    let hint = nearest(filter, &names).map_or(String::new(), |name| format!("; did you mean `{name}`"));
    format!("no law has `{}` in its name{hint}; --list shows them all", shorten(filter, 100))
}

/// A line for each backend that a law was tried on.
fn rows(outcome: &Outcome) -> String {
    let mut out = String::new();
    for trial in &outcome.trials {
        let (cases, worst, seconds) = (trial.cases.len(), trial.worst, trial.seconds);
        let start = format!("{:34} {:8} {cases:>6} {worst:>12.3} {seconds:>7.2}", outcome.law, trial.backend);
        let _ = writeln!(out, "{start}  {}", verdict(trial.pass));
    }
    if outcome.differing > 0 {
        let found = format!("{} cases differ in bits between cpu and gpu", outcome.differing);
        let _ = writeln!(out, "{:34} {found}  FAIL", outcome.law);
    }
    out
}

/// The cases that failed, with their parameters; the first few of each law.
fn failures(report: &Report) -> String {
    const MOST: usize = 8;
    let mut out = String::new();
    for outcome in &report.outcomes {
        for trial in outcome.trials.iter().filter(|trial| !trial.pass) {
            let failed: Vec<&Case> = trial.cases.iter().filter(|case| !case.pass).collect();
            let counts = format!("{} of {} cases fail", failed.len(), trial.cases.len());
            let _ = writeln!(out, "\n{} on {}: {counts}\n  {}", outcome.law, trial.backend, outcome.statement);
            failed.iter().take(MOST).for_each(|case| out.push_str(&details(case)));
            if failed.len() > MOST {
                let _ = writeln!(out, "    and {} more", failed.len() - MOST);
            }
        }
    }
    out
}

fn details(case: &Case) -> String {
    let parameters: Vec<String> = case.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let Case { expected, measured, error, bound, .. } = case;
    let found = format!("expected {expected:.9e}, measured {measured:.9e}, error {error:.2e} of {bound:.2e}");
    format!("    {found}; {}\n", parameters.join(", "))
}

fn totals(report: &Report) -> String {
    let adapter = report.adapter.as_deref().map_or(String::new(), |adapter| format!("adapter  {adapter}\n"));
    let bits = if report.exact { ", CPU and GPU held to equal bits" } else { "" };
    let Report { laws, cases, failed, seed, .. } = report;
    let verdict = verdict(report.pass);
    format!("\n{adapter}{laws} laws, {cases} cases, {failed} failed, seed {seed}{bits}: {verdict}\n")
}

/// What failed, in one line.
fn summary(report: &Report) -> String {
    let failed: Vec<&str> = report.outcomes.iter().filter(|o| !o.pass).map(|o| o.law).collect();
    format!("{} of {} laws fail: {}", failed.len(), report.laws, failed.join(", "))
}
