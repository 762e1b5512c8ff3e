//! Sweeps, by the same points as `steerling sweep`.

use crate::devices;
use crate::failure::Failure;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use std::sync::{Mutex, PoisonError};
use steerling::engine::{Backend, Engine, EngineError};
use steerling::output::{self, Host, SweepHost, lines};
use steerling::scene::Experiment;

/// The points of an experiment, in any order. Private: steerling.sweep makes a table of it.
#[pyclass(frozen, module = "steerling._native")]
pub struct Sweep {
    points: Mutex<Points>,
    backend: Option<String>,
    adapter: Option<String>,
}

struct Points {
    sweep: output::Sweep,
    /// Opened for the first point.
    place: Option<Backend>,
}

#[pymethods]
impl Sweep {
    #[new]
    fn new(
        py: Python<'_>,
        path: &str,
        text: Option<&str>,
        observe: Option<&str>,
        backend: Option<String>,
        adapter: Option<String>,
    ) -> PyResult<Sweep> {
        let open = || -> Result<output::Sweep, Failure> {
            let mut experiment = match text {
                Some(text) => Experiment::parse(text, path)?,
                None => Experiment::open(path)?,
            };
            observe.iter().for_each(|list| experiment.observe(list));
            Ok(output::Sweep::new(experiment)?)
        };
        let points = Mutex::new(Points { sweep: py.detach(open)?, place: None });
        Ok(Sweep { points, backend, adapter })
    }

    /// How many there are.
    fn __len__(&self, py: Python<'_>) -> usize {
        self.points.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).sweep.experiment.points()
    }

    /// The first line of the table.
    fn header(&self, py: Python<'_>) -> String {
        lines(&[self.points.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).sweep.columns()])
    }

    /// Run a point: its lines of the table. Ctrl-C ends it between two batches of steps.
    fn lines(&self, py: Python<'_>, point: usize) -> PyResult<String> {
        let mut points = self.points.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        if points.place.is_none() {
            points.place = Some(devices::open(py, self.backend.as_deref(), self.adapter.as_deref())?);
        }
        let Points { sweep, place: Some(place) } = &mut *points else { unreachable!("it was opened above") };
        let all = sweep.experiment.points();
        if point >= all {
            return Err(Failure::Usage(format!("there is no point {point}; the experiment has {all}")).into());
        }
        let found = py.detach(|| sweep.point(point, place, |engine| Attended(Mutex::new(engine))))?;
        Ok(lines(&found.rows))
    }
}

/// A simulation that Ctrl-C stops.
struct Attended(Mutex<Engine>);

impl Host for Attended {
    type Error = Failure;
    type Stop = PyErr;

    fn ask<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&mut Engine) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Failure> {
        Ok(ask(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))?)
    }

    fn stop(&self) -> Option<PyErr> {
        Python::attach(|py| py.check_signals()).err()
    }

    fn did(&self, _: u64) {}
}

impl SweepHost for Attended {
    fn into_engine(self) -> Option<Engine> {
        Some(self.0.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn is_stop(error: &Failure) -> bool {
        matches!(error, Failure::Python(_))
    }
}
