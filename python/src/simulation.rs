//! Simulations.

use crate::devices::{self, Adapter};
use crate::failure::Failure;
use crate::scene::Scene;
use crate::values::{each, overrides, whole};
use numpy::ndarray::{Array2, Array3};
use numpy::{IntoPyArray, PyArray2, PyArray3, PyReadonlyArray2};
use parking_lot::{Mutex, MutexGuard};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMapping};
use std::time::Instant;
use steerling::engine::{Backend, Engine};
use steerling::model::{self, Change, State};
use steerling::output::{Columns, next_batch};
use steerling::render::{Offscreen, Renderer, View};
use steerling::scene::ColorBy;

/// The most ids that one call may ask for: a list of more would take gigabytes.
const MOST_IDS: usize = 1 << 24;

/// An array with a row for each vector.
type Vectors<'py> = Bound<'py, PyArray2<f32>>;

/// A scene that runs.
///
/// backend is "gpu" or "reference" (the CPU); without it, a GPU if there is one, else the reference. adapter is a part of the name of the
/// GPU, or its number in adapters(). positions and velocities, of shape (agents, 2) or (agents, 3), replace those of the scene's start.
///
/// Arrays are copies of the state, by id: row 7 is the agent 7 in every step.
#[pyclass(frozen, module = "steerling")]
pub struct Simulation(Mutex<Running>);

struct Running {
    engine: Engine,
    place: Backend,
    scene: Scene,
    /// The renderer and the target of the last picture, kept for the next one.
    studio: Option<(Renderer, Offscreen)>,
}

/// The whole state: all that a step reads of the steps before it. A simulation on any backend can go on from it.
#[pyclass(frozen, module = "steerling")]
pub struct Snapshot(model::Snapshot);

#[pymethods]
impl Snapshot {
    /// Steps since the start.
    #[getter]
    fn steps(&self) -> u64 {
        self.0.steps
    }

    /// For pickle.
    fn __reduce__<'py>(slf: &Bound<'py, Snapshot>) -> PyResult<(Bound<'py, PyAny>, Parts<'py>)> {
        let (own, py) = (&slf.get().0, slf.py());
        let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let columns = own.columns().map(|(name, words)| (name.to_string(), PyBytes::new(py, &bytes(words)))).collect();
        let unpickled = py.import("steerling._native")?.getattr("_unpickled_snapshot")?;
        Ok((unpickled, (own.steps, own.agents(), own.spatial(), columns)))
    }
}

/// Steps, agents, whether the world has three dimensions, and the columns by name, as little-endian words.
type Parts<'py> = (u64, u32, bool, Vec<(String, Bound<'py, PyBytes>)>);

/// A snapshot from its pickled parts.
#[pyfunction]
#[pyo3(name = "_unpickled_snapshot")]
pub fn unpickled(
    steps: u64,
    agents: u32,
    spatial: bool,
    columns: Vec<(String, Bound<'_, PyBytes>)>,
) -> PyResult<Snapshot> {
    let word = |word: &[u8]| u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
    let words = |bytes: &Bound<'_, PyBytes>| bytes.as_bytes().chunks_exact(4).map(word).collect();
    let columns = columns.iter().map(|(name, bytes)| (name.clone(), words(bytes)));
    let snapshot = model::Snapshot::from_columns(steps, agents, spatial, columns);
    Ok(Snapshot(snapshot.map_err(|error| Failure::Usage(error.to_string()))?))
}

impl Simulation {
    /// Lock the simulation and do `work` with it, detached from the interpreter, so that other threads may use that.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Running) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        devices::not_forked()?;
        let done = py.detach(|| {
            let mut running = self.0.lock();
            let done = work(&mut running);
            // A thread that waits for the lock gets it next, before the next batch of a call of many steps.
            MutexGuard::unlock_fair(running);
            done
        });
        Ok(done?)
    }

    fn motion<'py>(
        &self,
        py: Python<'py>,
        column: impl FnOnce(State) -> Vec<[f32; 3]> + Send,
    ) -> PyResult<Vectors<'py>> {
        let rows = self.with(py, |running| Ok(column(running.engine.motion(0..running.scene.scene.agent_count())?)))?;
        Ok(array(py, rows))
    }
}

/// A NumPy array that takes over these rows without a copy.
fn array(py: Python<'_>, rows: Vec<[f32; 3]>) -> Vectors<'_> {
    let shape = (rows.len(), 3);
    Array2::from_shape_vec(shape, rows.into_flattened()).expect("three numbers each").into_pyarray(py)
}

/// Positions or velocities from Python: two or three numbers for each agent. Without a third one, z is 0.
fn column(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<[f32; 3]>> {
    let wanted = format!("{name} must be numbers of the shape (agents, 2) or (agents, 3), not");
    // NumPy refuses lists of different lengths.
    let array = given.py().import("numpy")?.call_method1("asarray", (given,));
    let py = given.py();
    let array = array.map_err(|error| match error {
        // Any other exception, such as KeyboardInterrupt, comes from the object itself, and is passed on.
        error if error.is_instance_of::<PyValueError>(py) || error.is_instance_of::<PyTypeError>(py) => {
            Failure::Usage(format!("{wanted} this: {error}"))
        }
        error => Failure::Python(error),
    })?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let shape = array.getattr("shape")?;
    if !"biuf".contains(&kind) || !matches!(shape.extract::<(usize, usize)>(), Ok((_, 2 | 3))) {
        let text = format!("{wanted} {} of the shape {shape}", array.getattr("dtype")?);
        return Err(Failure::Usage(text).into());
    }
    let array: PyReadonlyArray2<'_, f32> = array.call_method1("astype", ("float32",))?.extract()?;
    let rows = array.as_array();
    Ok(rows.outer_iter().map(|row| [row[0], row[1], row.get(2).copied().unwrap_or(0.0)]).collect())
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (scene, backend = None, *, adapter = None, positions = None, velocities = None))]
    fn new(
        py: Python<'_>,
        scene: &Scene,
        backend: Option<&str>,
        adapter: Option<Adapter>,
        positions: Option<&Bound<'_, PyAny>>,
        velocities: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Simulation> {
        let positions = positions.map(|given| column("positions", given)).transpose()?;
        let velocities = velocities.map(|given| column("velocities", given)).transpose()?;
        let place = devices::open(py, backend, adapter.as_ref())?;
        let start = || -> Result<Simulation, Failure> {
            let own = &scene.scene;
            place.check(own)?;
            let mut state = State::initial(own);
            state.positions = positions.unwrap_or(state.positions);
            state.velocities = velocities.unwrap_or(state.velocities);
            state.check(own)?;
            let numbers = state.positions.iter().zip(&state.velocities);
            let is_finite = |of: &[f32; 3]| of.iter().all(|number| number.is_finite());
            if let Some(bad) = numbers.clone().position(|(at, velocity)| !is_finite(at) || !is_finite(velocity)) {
                return Err(Failure::Usage(format!("agent {bad} starts with a number that is not finite")));
            }
            state.settle(own);
            let engine = place.start(own, &state)?;
            let mut running = Running { engine, place: place.clone(), scene: scene.clone(), studio: None };
            running.keep_what_shows();
            Ok(Simulation(Mutex::new(running)))
        };
        Ok(py.detach(start)?)
    }

    /// Run this many steps, and wait for them. Ctrl-C stops between two batches of steps; the steps so far are kept.
    #[pyo3(signature = (steps = 1, /))]
    fn step(&self, py: Python<'_>, #[pyo3(from_py_with = whole)] steps: u64) -> PyResult<()> {
        let (mut left, mut batch) = (steps, 1);
        while left > 0 {
            let (now, start) = (left.min(batch), Instant::now());
            self.with(py, move |running| Ok(running.engine.step(now as u32)?))?;
            py.check_signals()?;
            left -= now;
            batch = next_batch(batch, now, start.elapsed());
        }
        Ok(())
    }

    /// The scene, as of the start or the latest change.
    #[getter]
    fn scene(&self, py: Python<'_>) -> PyResult<Scene> {
        self.with(py, |running| Ok(running.scene.clone()))
    }

    /// Name of the device that computes the steps, for people to read.
    #[getter]
    fn device(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |running| Ok(running.place.title()))
    }

    /// Steps since the start.
    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |running| Ok(running.engine.steps()))
    }

    /// Positions by id, u: float32 of shape (agents, 3); z is 0 in a plane.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Vectors<'py>> {
        self.motion(py, |state| state.positions)
    }

    /// Velocities by id, u/s: float32 of shape (agents, 3); z is 0 in a plane.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Vectors<'py>> {
        self.motion(py, |state| state.velocities)
    }

    /// Positions and velocities of the agents with these ids, in their order: two arrays of shape (ids, 3), u and u/s.
    fn agents<'py>(&self, py: Python<'py>, ids: &Bound<'py, PyAny>) -> PyResult<(Vectors<'py>, Vectors<'py>)> {
        let ids: Vec<u32> = each(ids, MOST_IDS, |id| whole(&id))?;
        let state = self.with(py, |running| Ok(running.engine.agents(&ids)?))?;
        Ok((array(py, state.positions), array(py, state.velocities)))
    }

    /// Digest of the state, 32 hexadecimal digits: equal for two states if every bit of all ids, positions and velocities is equal.
    #[getter]
    fn digest(&self, py: Python<'_>) -> PyResult<String> {
        // On a GPU this leaves out what else the scene observes, which may take long.
        self.with(py, |running| {
            let seen = match &running.engine {
                Engine::Cpu(simulation) => simulation.observe(),
                Engine::Gpu(simulation) => simulation.observe()?,
            };
            Ok(seen.digest_hex())
        })
    }

    /// The row of metrics.csv for this moment, as a dict by column; None for a value that could not be observed. `observables` replaces
    /// the scene's list of observables, such as "milling, groups:2.5" (docs/observables.md).
    #[pyo3(signature = (observables = None))]
    fn observe<'py>(&self, py: Python<'py>, observables: Option<&str>) -> PyResult<Bound<'py, PyDict>> {
        let (columns, row) = self.with(py, |running| {
            let mut scene = running.scene.scene.clone();
            if let Some(list) = observables {
                scene = scene.with(|draft| draft.observe = list.to_owned())?;
            }
            let columns = Columns::of(&scene);
            let row = columns.row(running.engine.steps(), scene.dt, &running.engine.observe_as(&scene)?);
            Ok((columns, row))
        })?;
        let found = PyDict::new(py);
        for (name, text) in columns.names().iter().zip(row) {
            match name.as_str() {
                "digest" => found.set_item(name, text)?,
                "step" | "bad_agents" => found.set_item(name, text.parse::<u64>().ok())?,
                _ => found.set_item(name, text.parse::<f64>().ok())?,
            }
        }
        Ok(found)
    }

    /// The whole state: all that a step reads of the steps before it.
    fn snapshot(&self, py: Python<'_>) -> PyResult<Snapshot> {
        self.with(py, |running| Ok(Snapshot(running.engine.snapshot()?)))
    }

    /// Go on from a snapshot of this scene, which may be of another backend.
    fn restore(&self, py: Python<'_>, snapshot: &Snapshot) -> PyResult<()> {
        self.with(py, |running| Ok(running.engine.restore(&snapshot.0)?))
    }

    /// Go on with another scene, or with other values of some keys: change({"species.0.max_speed": 12}). Returns what had to be replaced:
    /// "numbers", "pipelines", "state" (adapted to the new scene) or "restart" (other agents: a new start). If it raises, nothing changes.
    #[pyo3(signature = (to, /))]
    fn change(&self, py: Python<'_>, to: &Bound<'_, PyAny>) -> PyResult<&'static str> {
        let given = to.cast::<Scene>().map(|scene| scene.get().clone()).ok();
        let keys = if given.is_some() { Vec::new() } else { overrides(Some(to.cast::<PyMapping>()?), None)? };
        self.with(py, |running| {
            let scene = given.map_or_else(|| running.scene.edited(keys, None), Ok)?;
            let change = running.engine.change(&scene.scene)?;
            (running.scene, running.studio) = (scene, None);
            running.keep_what_shows();
            Ok(match change {
                Change::Numbers => "numbers",
                Change::Pipelines => "pipelines",
                Change::State => "state",
                Change::Restart => "restart",
            })
        })
    }

    /// A picture of the state, in the scene's look: uint8 of shape (height, width, 4), red, green, blue and opacity in sRGB. Only a GPU
    /// draws.
    #[pyo3(signature = (width = 1280, height = 720))]
    fn picture<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole)] width: u32,
        #[pyo3(from_py_with = whole)] height: u32,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let pixels = self.with(py, |running| running.picture((width, height)))?;
        let shape = (height as usize, width as usize, 4);
        Ok(Array3::from_shape_vec(shape, pixels).expect("four bytes each").into_pyarray(py))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |running| {
            let (name, steps, device) = (&running.scene.scene.name, running.engine.steps(), running.place.title());
            Ok(format!("<steerling.Simulation {name}, step {steps}, on {device}>"))
        })
    }
}

impl Running {
    /// Have steps keep accelerations if the scene's picture shows these as colors.
    fn keep_what_shows(&mut self) {
        if let Engine::Gpu(simulation) = &mut self.engine {
            simulation.keep_accelerations(self.scene.scene.look.color == ColorBy::Force);
        }
    }

    fn picture(&mut self, size: (u32, u32)) -> Result<Vec<u8>, Failure> {
        let (Engine::Gpu(simulation), Backend::Gpu(gpu, _)) = (&self.engine, &self.place) else {
            return Err(Failure::Usage("only a GPU draws, and this simulation runs on the CPU reference".to_owned()));
        };
        let scene = &self.scene.scene;
        if scene.look.color == ColorBy::Error {
            return Err(Failure::Usage(
                "the color `error` needs the CPU reference, which runs only in `steerling render` and the window"
                    .to_owned(),
            ));
        }
        if self.studio.as_ref().is_none_or(|(_, target)| target.size() != size) {
            let target = Offscreen::new(gpu, size)?;
            self.studio = Some((Renderer::new(gpu, Offscreen::FORMAT, scene)?, target));
        }
        let (renderer, target) = self.studio.as_mut().expect("made above");
        // If the steps so far are not valid, this is an error, and no picture is drawn of them.
        simulation.observe()?;
        target.draw(renderer, simulation, &View::from_scene(scene));
        Ok(target.image()?.into_raw())
    }
}
