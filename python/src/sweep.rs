//! Sweeps, which run the same points as `steerling sweep`.

use crate::devices::{self, Adapter};
use crate::failure::Failure;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use steerling::engine::{Backend, Engine};
use steerling::gpu::GpuError;
use steerling::output::{self, Host, SweepHost, lines};
use steerling::scene::Experiment;
use toml_edit::{DocumentMut, Item, Value};

/// Runs the points of an experiment, in any order. Private: steerling.sweep makes a table of them.
#[pyclass(frozen, module = "steerling._native")]
pub struct Sweep {
    points: Mutex<Points>,
    backend: Option<String>,
    adapter: Option<Adapter>,
}

struct Points {
    sweep: output::Sweep,
    /// The backend, which is opened for the first point.
    place: Option<Backend>,
}

impl Sweep {
    fn locked(&self, py: Python<'_>) -> MutexGuard<'_, Points> {
        self.points.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
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
        adapter: Option<Adapter>,
    ) -> PyResult<Sweep> {
        let open = || -> Result<output::Sweep, Failure> {
            let mut experiment = match text {
                Some(text) => Experiment::parse(text, path)?,
                None => Experiment::open(path)?,
            };
            observe.map_or(Ok(()), |list| experiment.observe(list))?;
            Ok(output::Sweep::new(experiment)?)
        };
        let points = Mutex::new(Points { sweep: py.detach(open)?, place: None });
        Ok(Sweep { points, backend, adapter })
    }

    /// Number of points.
    fn __len__(&self, py: Python<'_>) -> usize {
        self.locked(py).sweep.experiment.points()
    }

    /// The text that the experiment was read from.
    #[getter]
    fn text(&self, py: Python<'_>) -> String {
        self.locked(py).sweep.experiment.sources.experiment.text.clone()
    }

    /// The keys that vary and whose values are texts; some of these texts may look like numbers.
    #[getter]
    fn texts(&self, py: Python<'_>) -> Vec<String> {
        let points = self.locked(py);
        let experiment = &points.sweep.experiment;
        let document: DocumentMut = experiment.sources.experiment.text.parse().unwrap_or_default();
        let is_text = |key: &&str| {
            let vary = document.get("vary");
            let values = vary.and_then(|vary| key.split('.').try_fold(vary, |table, name| table.get(name)));
            values.and_then(Item::as_array).is_some_and(|values| values.iter().any(Value::is_str))
        };
        experiment.keys().filter(is_text).map(str::to_owned).collect()
    }

    /// The first line of the table.
    fn header(&self, py: Python<'_>) -> String {
        lines(&[self.locked(py).sweep.columns()])
    }

    /// Run the point `first`, or as many of the points from `first` to `end` as run side by side. Gives their number, and their lines of
    /// the table. Ctrl-C stops between two batches of steps.
    fn lines(&self, py: Python<'_>, first: usize, end: usize) -> PyResult<(usize, String)> {
        devices::not_forked()?;
        let mut points = self.locked(py);
        if points.place.is_none() {
            points.place = Some(devices::open(py, self.backend.as_deref(), self.adapter.as_ref())?);
        }
        let Points { sweep, place: Some(place) } = &mut *points else { unreachable!("it was opened above") };
        let all = sweep.experiment.points();
        if first >= end || end > all {
            let what = format!("there are no points from {first} to {end}; the experiment has {all}");
            return Err(Failure::Usage(what).into());
        }
        let stopped = Mutex::new(None);
        let alone = |engine| Attended { simulation: Mutex::new(engine), stopped: &stopped };
        let side_by_side = |worlds| Attended { simulation: Mutex::new(worlds), stopped: &stopped };
        let found = py.detach(|| sweep.points(first..end, None, place, alone, side_by_side));
        match stopped.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(stop) => Err(stop),
            None => {
                let found = found?;
                Ok((found.len(), found.iter().map(|point| lines(&point.rows)).collect()))
            }
        }
    }
}

/// A simulation, or several worlds, that Ctrl-C stops.
struct Attended<'a, S = Engine> {
    simulation: Mutex<S>,
    /// The exception of a Ctrl-C, kept because Python reports it only once. It ends the sweep even if the last row fails too.
    stopped: &'a Mutex<Option<PyErr>>,
}

impl<S: Send> Host<S> for Attended<'_, S> {
    type Error = Failure;
    type Stop = PyErr;

    fn ask<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&mut S) -> Result<T, GpuError> + Send + 'static,
    ) -> Result<T, Failure> {
        Ok(ask(&mut self.simulation.lock().unwrap_or_else(PoisonError::into_inner))?)
    }

    fn stop(&self) -> Option<PyErr> {
        Python::attach(|py| {
            let stop = py.check_signals().err()?;
            *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = Some(stop.clone_ref(py));
            Some(stop)
        })
    }

    fn progressed(&self, _: u64) {}
}

impl SweepHost for Attended<'_> {
    fn into_engine(self) -> Option<Engine> {
        Some(self.simulation.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn is_stop(error: &Failure) -> bool {
        matches!(error, Failure::Python(_))
    }
}
