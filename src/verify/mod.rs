//! The GPU against the CPU reference: stage by stage from the same state, then a free run that shares only the start.
//!
//! Where shaders are loaded so that floats are computed as written (`Gpu::exact`), the bar is zero differing bits.
//! Elsewhere it is the tolerance of [`Tolerance`], and every outlier must be a threshold case: a pair of agents so near
//! to a radius or angle that rounding decides. Both could be wrong alike about which neighbors an agent perceives; for
//! a sample of agents the brute-force oracle checks that.

mod compare;
pub mod conform;
mod oracle;
mod witness;

pub use compare::{Mismatch, Row, TOLERANCE, Tolerance, Verdict, ulps};
pub use oracle::{Missed, OracleSample};
pub use witness::Witness;

use crate::cpu::{self, Buffers, Execution};
use crate::gpu::{Gpu, GpuError, Options, Simulation};
use crate::model::{STAGES, State};
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
    mut progress: impl FnMut(u32),
) -> Result<Report, GpuError> {
    let reference = cpu::Simulation::with_grid(scene, initial, Execution::Parallel, options.grid);
    let mut reference = reference.map_err(refused)?;
    let mut simulation = Simulation::new(gpu, scene, initial, options.clone())?;
    let exact = gpu.exact && options.exact;
    let mut rows = compare::rows(&simulation, exact);
    let mut oracle = OracleSample::default();
    for step in 0..plan.steps {
        let mut row = 0;
        for (index, stage) in STAGES.iter().enumerate() {
            // Only the tolerance mode looks back, to explain outliers.
            let before = if exact { Buffers::default() } else { reference.buffers().clone() };
            reference.run_stage(stage);
            simulation.run_stage(index)?;
            if stage.name == "steer" {
                oracle.add(scene, &reference, step, plan.steps);
            }
            let outputs: Vec<_> = compare::compared(stage, &simulation, exact).collect();
            for output in outputs {
                let name = output.0.name;
                let expected = reference.contents(name).unwrap_or_default();
                let found = simulation.words(name)?;
                let context = compare::Context { step, scene, reference: &reference, before: &before, exact };
                if !rows[row].add(output, &expected, &found, &context) {
                    // The next stage is judged on its own work, from the reference's values.
                    simulation.write_words(name, &expected);
                    if name == "cell" {
                        // Ranks are positions within these cells.
                        simulation.write_words("rank", &reference.buffers().rank);
                    }
                }
                row += 1;
            }
        }
        progress(step + 1);
    }
    let rows: Vec<Row> = rows.into_iter().map(|row| row.judge(exact, scene.agent_count())).collect();

    reference.set_state(initial).map_err(refused)?;
    simulation.set_state(initial)?;
    let free_run = free_run(&mut reference, &mut simulation, plan, exact, &mut progress)?;
    reference.check().map_err(refused)?;
    let pass = free_run.pass && oracle.pass() && rows.iter().all(|row| row.verdict == Verdict::Pass);
    Ok(Report {
        adapter: gpu.title(),
        exact,
        scene: scene.name.clone(),
        agents: scene.agent_count(),
        seed: scene.seed,
        steps: plan.steps,
        rows,
        oracle,
        free_run,
        pass,
    })
}

/// What the reference refuses, a GPU refuses too.
fn refused(error: cpu::CpuError) -> GpuError {
    match error {
        cpu::CpuError::Scene(error) => GpuError::Scene(error),
        cpu::CpuError::State(error) => GpuError::State(error),
        cpu::CpuError::Shader(error) => GpuError::Shader(error),
    }
}

fn free_run(
    reference: &mut cpu::Simulation,
    simulation: &mut Simulation,
    plan: Plan,
    exact: bool,
    progress: &mut impl FnMut(u32),
) -> Result<FreeRun, GpuError> {
    for step in 0..plan.free_steps {
        reference.step(1);
        simulation.step(1)?;
        progress(plan.steps + step + 1);
    }
    let (gpu, cpu) = (simulation.observe()?, reference.observe());
    let pass = if exact { gpu.digest == cpu.digest } else { (gpu.polarization - cpu.polarization).abs() <= 0.01 };
    Ok(FreeRun {
        steps: plan.free_steps,
        gpu_digest: gpu.digest_hex(),
        cpu_digest: cpu.digest_hex(),
        bad_agents: gpu.bad_agents,
        gpu_polarization: gpu.polarization,
        cpu_polarization: cpu.polarization,
        pass,
    })
}
