//! How long the rows of a benchmark would take on known GPUs, and how far such predictions are off.

use super::report::Row;
use super::suite::World;
use crate::cli::Failure;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use steerling::gpu::{GpuError, Options, Simulation, traffic};
use steerling::measure::{Load, Prediction, SearchLoop, Work, gpus, published};
use steerling::model::{CompiledScene, Snapshot};

/// A published time, and what the model predicts for it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Check {
    /// The program.
    pub program: String,
    /// The GPU.
    pub gpu: String,
    /// Published, ms.
    pub published_ms: f64,
    /// Predicted, ms.
    pub predicted_ms: f64,
    /// Predicted over published.
    pub ratio: f64,
    /// Where it was published.
    pub source: String,
}

/// Predict the time of a step from this state on every known GPU.
pub fn predict(simulation: &Simulation, start: &Snapshot, options: &Options) -> Result<Vec<Prediction>, Failure> {
    let load = Load::count(simulation.scene(), start).map_err(GpuError::from)?;
    let search = SearchLoop::count(simulation.model(), options)?.unwrap_or_default();
    Ok(on_gpus(simulation.model(), &load, search, options)?)
}

/// Predict the time of a step of a model on every known GPU, from what was counted.
pub fn on_gpus(
    model: &CompiledScene,
    load: &Load,
    search: SearchLoop,
    options: &Options,
) -> Result<Vec<Prediction>, GpuError> {
    let (bytes, dispatches) = traffic::on_gpus(model, options)?;
    let work = |lanes| Work::counted(load, lanes, model.world.agent_count, bytes, dispatches, search);
    Ok(gpus().iter().map(|gpu| gpu.predict(&work(gpu.lanes_in_step))).collect())
}

/// Compare the model with each published time.
pub fn checks(options: &Options) -> Result<Vec<Check>, Failure> {
    let check = |row: &steerling::measure::Published| {
        let scene = World::select(std::slice::from_ref(&row.world))?[0].scene(4096, 1)?;
        let model = CompiledScene::new(&scene, options.grid)?;
        let instructions = SearchLoop::count(&model, options)?.unwrap_or_default();
        let gpu = gpus().iter().find(|gpu| gpu.name == row.gpu);
        let unknown = || Failure::Other(format!("assets/gpus.toml has no GPU `{}`", row.gpu));
        let predicted_ms = gpu.ok_or_else(unknown)?.predict(&Work { instructions, ..row.work }).step_ms;
        Ok(Check {
            program: row.program.clone(),
            gpu: row.gpu.clone(),
            published_ms: row.ms,
            predicted_ms,
            ratio: predicted_ms / row.ms,
            source: row.source.clone(),
        })
    };
    published().iter().map(check).collect()
}

/// The predictions and the checks, as tables.
pub fn table(rows: &[Row], checks: &[Check]) -> String {
    let mut out = String::from("\npredicted time of a step, ms (nothing of it measured)\n");
    let _ = write!(out, "{:12} {:8} {:>9}", "world", "state", "agents");
    for gpu in gpus() {
        let _ = write!(out, " {:>14}", gpu.name);
    }
    for row in rows {
        let _ = write!(out, "\n{:12} {:8} {:>9}", row.bench, row.state, row.agents);
        for prediction in &row.predictions {
            let _ = write!(out, " {:>14.3}", prediction.step_ms);
        }
    }
    let _ = writeln!(
        out,
        "\n\n{:26} {:16} {:>12} {:>12} {:>7}",
        "published by others", "gpu", "published ms", "predicted ms", "ratio"
    );
    for check in checks {
        let Check { program, gpu, published_ms, predicted_ms, ratio, .. } = check;
        let _ = writeln!(out, "{program:26} {gpu:16} {published_ms:>12.3} {predicted_ms:>12.3} {ratio:>7.3}");
    }
    out.push_str(
        "A ratio below 1 tells how close that program comes to the least time that its work can take. The model is \
         right as far as the\nratios of one program are the same on all GPUs.\n",
    );
    out
}
