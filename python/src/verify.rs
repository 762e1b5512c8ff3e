//! The GPU against the reference.

use crate::devices::{Adapter, not_forked, open_gpu};
use crate::failure::Failure;
use crate::scene::Scene;
use crate::values::whole;
use pyo3::prelude::*;
use std::time::Duration;
use steerling::engine::check_both;
use steerling::gpu::Options;
use steerling::model::State;
use steerling::verify::{Plan, verify as compare};

/// Time between two checks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(20);

/// Compare the GPU with the CPU reference: some steps stage by stage, then a free run. Returns the report of `steerling verify --json` as
/// a dict; report["pass"] says whether the two agree. Ctrl-C ends the waiting.
#[pyfunction]
#[pyo3(signature = (scene, *, steps = 10, free_steps = 20, adapter = None))]
pub fn verify<'py>(
    py: Python<'py>,
    scene: &Scene,
    #[pyo3(from_py_with = whole)] steps: u32,
    #[pyo3(from_py_with = whole)] free_steps: u32,
    adapter: Option<Adapter>,
) -> PyResult<Bound<'py, PyAny>> {
    not_forked()?;
    if steps == 0 {
        return Err(Failure::Usage("steps = 0: must be at least 1".to_owned()).into());
    }
    let scene = scene.scene.clone();
    let work = move || -> Result<_, Failure> {
        let gpu = open_gpu(adapter.as_ref())?;
        check_both(&gpu, &scene)?;
        let plan = Plan { steps, free_steps };
        Ok(compare(&gpu, &scene, &State::initial(&scene), &Options::default(), plan, |_| ())?)
    };
    let thread = std::thread::spawn(work);
    while !thread.is_finished() {
        py.detach(|| std::thread::sleep(LOOK));
        py.check_signals()?;
    }
    let report = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    let text = serde_json::to_string(&report).expect("numbers, texts and lists of them");
    py.import("json")?.call_method1("loads", (text,))
}
