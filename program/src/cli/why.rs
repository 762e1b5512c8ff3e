//! `steerling why`: the acceleration that each behavior of an agent asks for in one step, and how they combine.

use super::Failure;
use super::engine::{DeviceKind, open_backend};
use super::shared::{GpuArgs, SceneArgs, print_report};
use super::start::Start;
use super::walk::walk_to;
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;
use steerling::cpu::{Fate, Term, Why};
use steerling::engine::Engine;
use steerling::gpu::GpuError;
use steerling::model::ID_BITS;
use steerling::output::Host;
use steerling::scene::Scene;
use steerling::verify::Question;

#[derive(Debug, Clone, Default, clap::Args)]
#[command(after_long_help = "\
The CPU reference takes the step from the state that the run has reached, and lists the terms that add up to its acceleration, to the
bit. Then the run takes the step too, and the last line compares the acceleration that it stored.

Examples:
  steerling why flock --agent 7 --step 300
  steerling why predator_and_prey --agent 7 --agent 4000 --step 100 --json
  steerling why --resume runs/a/checkpoints/000300.steering --agent 7")]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// Id of the agent, from 0; may be given again
    #[arg(long = "agent", value_name = "ID", required = true, allow_negative_numbers = true)]
    ids: Vec<u32>,
    /// Steps to run before the one that is asked about [default: none]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    step: Option<u64>,
    /// Start from this state, as `run --from` does
    #[arg(long, value_name = "FILE.npy")]
    from: Option<PathBuf>,
    /// Go on from a checkpoint of `run`, which holds the scene, or from the latest one in a run's folder; --step counts from step 0
    /// too
    #[arg(long, value_name = "FILE|DIR", conflicts_with_all = ["from", "scene", "agents", "seed", "overrides"])]
    resume: Option<PathBuf>,
    /// What computes the steps [default: a GPU where there is one]
    #[arg(long, value_enum)]
    device: Option<DeviceKind>,
    #[command(flatten)]
    gpu: GpuArgs,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// What the reference says of an agent, and what the step stored.
#[derive(Serialize)]
struct Answer {
    #[serde(flatten)]
    why: Why,
    /// The acceleration that the step stored, u/s².
    stored: [f32; 3],
    /// Is `stored` the acceleration in `why`, to the bit?
    equal: bool,
}

#[derive(Serialize)]
struct Report {
    scene: String,
    seed: u32,
    dt: f32,
    device: String,
    agents: Vec<Answer>,
}

pub fn run(args: Args) -> Result<(), Failure> {
    let mut start = match &args.resume {
        Some(path) => Start::of_checkpoint(path, &SceneArgs::default(), u64::MAX)?,
        None => Start::of_scene(&args.scene, args.from.as_deref())?,
    };
    let scene = start.scene.clone();
    let agents = scene.agent_count();
    if let Some(id) = args.ids.iter().copied().find(|id| *id >= agents) {
        let last = agents.saturating_sub(1);
        return Err(Failure::Usage(match agents {
            0 => format!("--agent {id}: the scene has no agents"),
            _ => format!("--agent {id}: the scene has {agents} agents, with ids from 0 to {last}"),
        }));
    }
    let begins = start.checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.snapshot.steps);
    let steps = args.step.unwrap_or(begins);
    if steps < begins {
        return Err(Failure::Usage(format!("the checkpoint is of step {begins}, and --step {steps} lies before it")));
    }
    let place = open_backend(args.device, &args.gpu)?;
    let computed = start.computed(&place)?;
    let (engine, _) = start.engine(&place, false)?;
    let agents = walk_to(engine, begins, steps, &mut ())?.ask(move |engine| ask(engine, &args.ids))?;
    let (name, seed, dt, device) = (scene.name.clone(), scene.seed, scene.dt, place.title());
    let report = Report { scene: name, seed, dt, device, agents };
    print_report(&report, args.json, |report| text(report, &scene))?;
    let differs = report.agents.iter().find(|answer| !answer.equal && computed.exact);
    differs.map_or(Ok(()), |answer| {
        let (id, device) = (answer.why.agent, &report.device);
        let reason = format!("agent {id}: the acceleration that {device} stored differs from the reference's");
        Err(Failure::Mismatch(reason))
    })
}

/// Ask the reference about these agents, take the step, and read what it stored.
fn ask(engine: &mut Engine, ids: &[u32]) -> Result<Vec<Answer>, GpuError> {
    let (said, stored) = match engine {
        Engine::Cpu(simulation) => {
            let said = simulation.as_ref().clone().why(ids)?;
            simulation.step(1);
            simulation.check()?;
            let buffers = simulation.buffers();
            let of =
                |id: u32| Some(buffers.acceleration[buffers.sorted_id.iter().position(|word| word & ID_BITS == id)?]);
            (said, ids.iter().map(|id| of(*id).unwrap_or([f32::NAN; 3])).collect::<Vec<_>>())
        }
        Engine::Gpu(simulation) => {
            let said = Question::new(simulation, ids).answer(&simulation.snapshot()?)?;
            simulation.keep_accelerations(true);
            simulation.step(1)?;
            let agents = simulation.read_agents(ids)?.wait()?;
            // A user's shaders may have lost some ids.
            let of = |id: u32| agents.iter().find(|agent| agent.id == id)?.acceleration;
            (said, ids.iter().map(|id| of(*id).unwrap_or([f32::NAN; 3])).collect())
        }
    };
    let answer = |(why, stored): (Why, [f32; 3])| {
        let equal = why.acceleration.map(f32::to_bits) == stored.map(f32::to_bits);
        Answer { why, stored, equal }
    };
    Ok(said.into_iter().zip(stored).map(answer).collect())
}

/// The report for a person.
fn text(report: &Report, scene: &Scene) -> String {
    let parts = report.agents.iter().map(|answer| about(answer, scene, &report.device));
    parts.collect::<Vec<_>>().join("\n")
}

fn about(answer: &Answer, scene: &Scene, device: &str) -> String {
    let (why, axes) = (&answer.why, scene.world.axes());
    let vector =
        |vector: [f32; 3]| format!("({})", vector[..axes].iter().map(|x| number(*x)).collect::<Vec<_>>().join(", "));
    let time = why.steps as f64 * f64::from(scene.dt);
    let mut out =
        format!("agent {} ({}) of {}, after {} steps ({time:.2} s)\n", why.agent, why.species, scene.name, why.steps);
    let mut line = |name: &str, text: String| {
        let _ = writeln!(out, "{name:14} {text}");
    };
    line("place", format!("{} u", vector(why.position)));
    line("velocity", format!("{} u/s, after the step {} u/s", vector(why.velocity), vector(why.next_velocity)));
    if let Some(choice) = &why.state {
        let begun = match (choice.rule, choice.since) {
            (Some(rule), since) => format!("by rule {rule}, since step {since}, before {}", choice.before),
            (None, 0) => "since the start".to_owned(),
            (None, since) => format!("since step {since}"),
        };
        line("state", format!("{}, {begun}", choice.state));
        choice.because.iter().for_each(|because| line("", format!("because {because}")));
    }
    if let Some(reason) = why.idle() {
        line("terms", format!("none: {reason}"));
    }
    out.push('\n');
    if !why.terms.is_empty() {
        out += &table(&why.terms, axes);
        out.push('\n');
    }
    let mut line = |name: &str, text: String| {
        let _ = writeln!(out, "{name:14} {text}");
    };
    for row in &why.priorities {
        let unit = if row.angular { "rad/s²" } else { "u/s²" };
        let (asked, taken, fate) = (vector(row.asked), vector(row.taken), row.fate.in_words());
        line(&format!("priority {}", row.priority), format!("asks for {asked} {unit}, gets {taken}: {fate}"));
    }
    line("together", format!("{} u/s²", vector(why.combined)));
    if why.smoothed != why.combined {
        line(if why.holds { "held" } else { "smoothed" }, format!("{} u/s²", vector(why.smoothed)));
    }
    if why.walls != [0.0; 3] {
        line("walls", format!("{} u/s²", vector(why.walls)));
    }
    let sum = if why.adds_up() { "the terms add up to it, to the bit" } else { "the terms do NOT add up to it" };
    line("acceleration", format!("{} u/s²: {sum}", vector(why.acceleration)));
    let [asked, left] = [why.acceleration, why.limited].map(length);
    let leaves = match left < asked {
        true => format!("{} u/s², {:.0} % of it", vector(why.limited), 100.0 * left / asked),
        false => "all of it".to_owned(),
    };
    line("force limit", format!("leaves {leaves} (at most {} u/s²)", number(why.max_acceleration)));
    if why.terms.iter().any(|term| term.angular) {
        line("turning", format!("{} rad/s²", vector3(why.turning)));
    }
    for term in &why.terms {
        for aim in &term.aims {
            let ahead = aim.predicted.map_or_else(String::new, |place| format!(", expected at {} u", vector(place)));
            line("aim", format!("{}.{}: {} u{ahead}", term.behavior, aim.key, vector(aim.place)));
        }
    }
    let ids: Vec<String> = why.neighbors.iter().map(|near| near.id.to_string()).collect();
    line("neighbors", format!("{}{}{}", ids.len(), if ids.is_empty() { "" } else { ": " }, ids.join(" ")));
    let equal = match answer.equal {
        true => "stored the same acceleration, to the bit".to_owned(),
        false => format!("stored {} u/s², which DIFFERS", vector(answer.stored)),
    };
    line("the step", format!("{device} {equal}"));
    out
}

/// A row for each behavior.
fn table(terms: &[Term], axes: usize) -> String {
    let names = ["x", "y", "z"];
    let head = ["behavior", "weight"].map(str::to_owned).into_iter();
    let head = head.chain(names[..axes].iter().map(|axis| format!("says {axis}")));
    let head = head.chain(names[..axes].iter().map(|axis| format!("adds {axis}")));
    let head: Vec<String> =
        head.chain(["length", "share", "neighbors", "what becomes of it"].map(str::to_owned)).collect();
    let row = |term: &Term| {
        let vector = |vector: [f32; 3]| vector.map(number).into_iter().take(axes);
        let sees = if term.neighbors.is_empty() { "-".to_owned() } else { term.neighbors.len().to_string() };
        let name = if term.angular { format!("{} (turns)", term.behavior) } else { term.behavior.to_owned() };
        let fate = match term.fate {
            Fate::Cut => format!("cut to {:.0} %", 100.0 * term.left),
            fate => fate.in_words().to_owned(),
        };
        let first = [name, number(term.weight)].into_iter().chain(vector(term.wish)).chain(vector(term.part));
        first.chain([number(length(term.part)), format!("{:.0} %", 100.0 * term.share), sees, fate]).collect()
    };
    let rows: Vec<Vec<String>> = [head].into_iter().chain(terms.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let mut out = String::new();
    for row in &rows {
        let last = row.len() - 1;
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| match column {
            0 => format!("{cell:width$}"),
            _ if column == last => cell.clone(),
            _ => format!("{cell:>width$}"),
        });
        out += &(cells.collect::<Vec<_>>().join("  ") + "\n");
    }
    out
}

fn length(vector: [f32; 3]) -> f32 {
    steerling::glam::Vec3::from(vector).length()
}

fn vector3(vector: [f32; 3]) -> String {
    format!("({})", vector.map(number).join(", "))
}

/// A number with three decimals, or in scientific notation if it is very small or large.
fn number(x: f32) -> String {
    match x.abs() {
        0.0 => "0".to_owned(),
        size if (1e-3..1e5).contains(&size) => format!("{x:.3}"),
        _ => format!("{x:.2e}"),
    }
}
