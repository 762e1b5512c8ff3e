//! Verifies every preset and tries every law on each adapter that is there, and writes `assets/digests.csv` and the
//! table of `docs/verified.md`.
//!
//! `scripts/verified` runs it. Both software drivers have to be there, and nothing is written unless all agree.
//! With `--digests` it tries no laws and leaves the page.

use std::error::Error;
use steerling::gpu::{AdapterChoice, Gpu, Options};
use steerling::model::State;
use steerling::scene::{PRESETS, Scene};
use steerling::verify::{DRIVERS, Known, Plan, verify_each};
use steerling_conform::{Backend, SEED, conform, select};

/// Agents of every preset: more than one block of a prefix sum, and few enough that all of this takes minutes.
const AGENTS: u32 = 1500;
/// What `steerling verify` does by itself.
const PLAN: Plan = Plan { steps: 10, free_steps: 20 };

/// Where the table of docs/verified.md begins and ends.
const BEGIN: &str = "<!-- scripts/verified writes from here -->\n";
const END: &str = "<!-- to here -->\n";

/// What was found on an adapter.
struct Row {
    gpu: Gpu,
    passed: usize,
    equal: usize,
    laws: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let usable = Gpu::adapters().iter().filter(|report| report.refusals.is_empty()).count();
    let gpus = (0..usable).map(|index| Gpu::open(&AdapterChoice::Index(index))).collect::<Result<Vec<_>, _>>()?;
    for driver in DRIVERS {
        if !gpus.iter().any(|gpu| gpu.info.name.contains(driver)) {
            return Err(format!("{driver} is missing; ./scripts/setup --test brings it").into());
        }
    }
    let mut rows: Vec<Row> = gpus.iter().map(|gpu| Row { gpu: gpu.clone(), passed: 0, equal: 0, laws: 0 }).collect();
    let mut table = Known::HEAD.to_owned() + "\n";
    for preset in PRESETS {
        let scene = Scene::open(preset.name, &[])?.with_agents(AGENTS)?;
        let reports = verify_each(&gpus, &scene, &State::initial(&scene), &Options::default(), PLAN, |_| ())?;
        let digest = &reports[0].free_run.cpu_digest;
        for (row, report) in rows.iter_mut().zip(&reports) {
            row.passed += usize::from(report.pass);
            row.equal += usize::from(report.free_run.gpu_digest == *digest);
        }
        let known = Known { preset: preset.name, agents: AGENTS, steps: PLAN.free_steps, seed: scene.seed, digest };
        println!("{known}");
        table += &format!("{known}\n");
    }
    let disagrees = |row: &Row| row.passed < PRESETS.len() || (row.gpu.exact && row.equal < PRESETS.len());
    if let Some(row) = rows.iter().find(|row| disagrees(row)) {
        return Err(format!("{} does not pass every preset; nothing is written", row.gpu.title()).into());
    }
    std::fs::write("assets/digests.csv", table)?;
    if std::env::args().any(|argument| argument == "--digests") {
        return Ok(());
    }
    let laws = select("");
    let on = |gpu: &Gpu| Backend::Gpu(Box::new(gpu.clone()), Box::default());
    let backends: Vec<Backend> = std::iter::once(Backend::Cpu).chain(gpus.iter().map(on)).collect();
    let report = conform(&laws, &backends, SEED, |outcome| println!("{}", outcome.law))?;
    for outcome in &report.outcomes {
        let [reference, trials @ ..] = &outcome.trials[..] else { continue };
        for (row, trial) in rows.iter_mut().zip(trials) {
            let pairs = reference.cases.iter().zip(&trial.cases);
            let same = !row.gpu.exact || pairs.into_iter().all(|(a, b)| a.measured.to_bits() == b.measured.to_bits());
            row.laws += usize::from(reference.pass && trial.pass && same);
        }
    }
    let found = found(&rows, laws.len());
    print!("{found}");
    if let Some(row) = rows.iter().find(|row| row.laws < laws.len()) {
        return Err(format!("not all laws hold on {}; the page stays as it is", row.gpu.title()).into());
    }
    let page = std::fs::read_to_string("docs/verified.md")?;
    let (before, rest) = page.split_once(BEGIN).ok_or("docs/verified.md has no table")?;
    let (_, after) = rest.split_once(END).ok_or("the table of docs/verified.md has no end")?;
    std::fs::write("docs/verified.md", format!("{before}{BEGIN}{found}{END}{after}"))?;
    Ok(())
}

/// The table.
fn found(rows: &[Row], laws: usize) -> String {
    let presets = PRESETS.len();
    let row = |Row { gpu, passed, equal, laws: held }: &Row| {
        let driver = format!("{} {}", gpu.info.driver, gpu.info.driver_info);
        let (name, backend, driver) = (&gpu.info.name, gpu.info.backend, driver.trim());
        let bar = if gpu.exact { "zero differing bits" } else { "tolerance" };
        format!(
            "| {name} | {backend}, {driver} | {bar} | {passed} of {presets} | {held} of {laws} | {equal} of {presets} |\n"
        )
    };
    "| adapter | driver | bar | presets | laws | digests equal |\n| --- | --- | --- | --- | --- | --- |\n".to_owned()
        + &rows.iter().map(row).collect::<String>()
}
