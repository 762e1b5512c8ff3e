//! The GPU against the CPU reference: stage by stage from the same state, then a free run that shares only the start.
//!
//! Where shaders are loaded so that floats are computed as written (`Gpu::exact`), the bar is zero differing bits.
//! Elsewhere it is the tolerance of [`Tolerance`], and every outlier must be a threshold case: a pair of agents so near
//! to a radius or angle that rounding decides. Both could be wrong alike about which neighbors an agent perceives; for
//! a sample of agents the brute-force oracle checks that.

mod compare;
mod known;
mod oracle;
mod question;
mod witness;

pub use compare::{Mismatch, Row, TOLERANCE, Tolerance, Verdict, ulps};
pub use known::{DRIVERS, KNOWN, Known, known_digest};
pub use oracle::{Missed, OracleSample};
pub use question::{Question, ulps_off};
pub use witness::Witness;

use crate::cpu::{self, Buffers, Execution};
use crate::gpu::{Gpu, GpuError, Options, Simulation};
use crate::model::{BufferId, STAGES, Stage, StageId, State};
use crate::scene::Scene;
use serde::Serialize;

/// How much to verify.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Steps compared stage by stage, each from the reference's state.
    pub steps: u32,
    /// Steps of the free run after that.
    pub free_steps: u32,
}

/// What a verification found.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Name, backend and driver of the adapter.
    pub adapter: String,
    /// True where equal bits were demanded, false where tolerances were.
    pub exact: bool,
    /// The scene's name.
    pub scene: String,
    /// Number of agents.
    pub agents: u32,
    /// Seed of the run.
    pub seed: u32,
    /// Steps compared stage by stage.
    pub steps: u32,
    /// One row per buffer of each stage, over all steps.
    pub rows: Vec<Row>,
    /// The neighbors that agents perceive, checked by the brute-force oracle for a sample of them.
    pub oracle: OracleSample,
    /// The run that shared only the initial state.
    pub free_run: FreeRun,
    /// Did everything pass?
    pub pass: bool,
}

/// The outcome of the free run.
#[derive(Debug, Clone, Serialize)]
pub struct FreeRun {
    /// Steps run by both sides.
    pub steps: u32,
    /// Digest of the GPU's final state.
    pub gpu_digest: String,
    /// Digest of the reference's final state.
    pub cpu_digest: String,
    /// The digest that is known of this scene, these agents and steps: see [`known_digest`].
    pub known_digest: Option<&'static str>,
    /// Agents whose state is not finite at the end, on the GPU.
    pub bad_agents: u32,
    /// Polarization on the GPU.
    pub gpu_polarization: f64,
    /// Polarization of the reference.
    pub cpu_polarization: f64,
    /// Equal digests, or in tolerance mode polarizations within 0.01.
    pub pass: bool,
}

/// Verify a scene. `progress` is called with the number of steps done.
///
/// # Errors
/// A device that fails, or a scene that it cannot run. A mismatch is no error: see [`Report::pass`].
pub fn verify(
    gpu: &Gpu,
    scene: &Scene,
    initial: &State,
    options: &Options,
    plan: Plan,
    progress: impl FnMut(u32),
) -> Result<Report, GpuError> {
    let reports = verify_each(std::slice::from_ref(gpu), scene, initial, options, plan, progress)?;
    Ok(reports.into_iter().next().expect("a report for the GPU"))
}

/// As [`verify`], on several GPUs: a report for each. The reference is computed once.
///
/// # Errors
/// As [`verify`], for the first that fails.
pub fn verify_each(
    gpus: &[Gpu],
    scene: &Scene,
    initial: &State,
    options: &Options,
    plan: Plan,
    mut progress: impl FnMut(u32),
) -> Result<Vec<Report>, GpuError> {
    let reference = cpu::Simulation::with_grid(scene, initial, Execution::Parallel, options.grid);
    let mut reference = reference?;
    // Only steps in a row run fused passes, and to compile them takes longer than all the rest.
    let options = Options { stride: options.stride && plan.free_steps > 0, ..options.clone() };
    let side = |gpu| Side::new(gpu, scene, initial, &options);
    let mut sides = gpus.iter().map(side).collect::<Result<Vec<_>, _>>()?;
    let exact = sides.iter().all(|side| side.exact);
    let mut oracle = OracleSample::default();
    for step in 0..plan.steps {
        sides.iter_mut().for_each(|side| side.row = 0);
        for stage in STAGES {
            // Only the tolerance mode looks back, to explain outliers.
            let before = if exact { Buffers::default() } else { reference.buffers().clone() };
            reference.run_stage(stage.id);
            if stage.id == StageId::Steer {
                oracle.add(scene, &reference, step, plan.steps);
            }
            for side in &mut sides {
                side.simulation.run_stage(stage.id)?;
                side.compare(
                    stage,
                    compare::Context { step, scene, reference: &reference, before: &before, exact: side.exact },
                )?;
            }
        }
        progress(step + 1);
    }

    reference.set_state(initial)?;
    sides.iter_mut().try_for_each(|side| side.simulation.set_state(initial))?;
    for step in 0..plan.free_steps {
        reference.step(1);
        sides.iter_mut().try_for_each(|side| side.simulation.step(1))?;
        progress(plan.steps + step + 1);
    }
    let report = |side: Side| {
        let Side { gpu, exact, rows, mut simulation, .. } = side;
        let rows: Vec<Row> = rows.into_iter().map(|row| row.judge(exact, scene.agent_count())).collect();
        let free_run = free_run(scene, &mut reference, &mut simulation, plan, exact)?;
        reference.check()?;
        let pass = free_run.pass && oracle.pass() && rows.iter().all(|row| row.verdict == Verdict::Pass);
        Ok(Report {
            adapter: gpu.title(),
            exact,
            scene: scene.name.clone(),
            agents: scene.agent_count(),
            seed: scene.seed,
            steps: plan.steps,
            rows,
            oracle: oracle.clone(),
            free_run,
            pass,
        })
    };
    sides.into_iter().map(report).collect()
}

/// A GPU that is compared with the reference.
struct Side<'a> {
    gpu: &'a Gpu,
    exact: bool,
    simulation: Simulation,
    rows: Vec<Row>,
    /// Index of the row that comes next in this step.
    row: usize,
}

impl<'a> Side<'a> {
    fn new(gpu: &'a Gpu, scene: &Scene, initial: &State, options: &Options) -> Result<Self, GpuError> {
        let simulation = Simulation::new(gpu, scene, initial, options.clone())?;
        simulation.pipelines().make_all()?;
        let exact = gpu.exact && options.exact;
        let rows = compare::rows(&simulation, exact);
        Ok(Side { gpu, exact, simulation, rows, row: 0 })
    }

    /// Compare what a stage has written.
    fn compare(&mut self, stage: &'static Stage, context: compare::Context<'_>) -> Result<(), GpuError> {
        let outputs: Vec<_> = compare::outputs(stage, &self.simulation).collect();
        for output in outputs {
            let buffer = output.0.id;
            let expected = context.reference.contents(buffer).unwrap_or_default();
            if !compare::is_compared(output.1, self.exact) {
                // Otherwise small differences would grow from step to step.
                self.simulation.write_words(buffer, &expected);
                continue;
            }
            let found = self.simulation.words(buffer)?;
            if !self.rows[self.row].add(output, &expected, &found, &context) {
                // The next stage is judged on its own work, from the reference's values.
                self.simulation.write_words(buffer, &expected);
                if buffer == BufferId::Cell {
                    // Ranks are positions within these cells.
                    self.simulation.write_words(BufferId::Rank, &context.reference.buffers().rank);
                }
            }
            self.row += 1;
        }
        Ok(())
    }
}

fn free_run(
    scene: &Scene,
    reference: &mut cpu::Simulation,
    simulation: &mut Simulation,
    plan: Plan,
    exact: bool,
) -> Result<FreeRun, GpuError> {
    let (gpu, cpu) = (simulation.observe()?, reference.observe());
    let pass = if exact { gpu.digest == cpu.digest } else { (gpu.polarization - cpu.polarization).abs() <= 0.01 };
    Ok(FreeRun {
        steps: plan.free_steps,
        gpu_digest: gpu.digest_hex(),
        cpu_digest: cpu.digest_hex(),
        known_digest: known_digest(scene, plan.free_steps),
        bad_agents: gpu.bad_agents,
        gpu_polarization: gpu.polarization,
        cpu_polarization: cpu.polarization,
        pass,
    })
}
