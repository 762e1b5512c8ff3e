//! Scenes.

use crate::failure::Failure;
use crate::values::{Whole, overrides};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyRange};
use std::path::PathBuf;
use steerling::output::Columns;
use steerling::scene::{self, Override, PRESETS};

/// A world, its agents and their behaviors, as a scene file describes them. It is always valid, and never changes.
///
/// Scene("flock", seed=3) is a preset, Scene("mine.toml") a file. Keys of the scene are given as keyword arguments or, with dots, in a
/// dict: Scene("flock", {"species.0.max_speed": 12}, agents=1000). The world is scaled to `agents` after keys are given other values.
///
/// Raises SceneError, with the text of the program's error.
#[pyclass(frozen, eq, skip_from_py_object, module = "steerling")]
#[derive(Clone, PartialEq)]
pub struct Scene {
    pub scene: scene::Scene,
    /// The number of agents that the world was scaled to, if one was given.
    scaled_to: Option<u32>,
}

impl Scene {
    fn scaled(scene: scene::Scene, agents: Option<u32>) -> Result<Scene, Failure> {
        let scene = agents.map_or_else(|| Ok(scene.clone()), |agents| scene.with_agents(agents))?;
        Ok(Scene { scene, scaled_to: agents })
    }

    /// Open a file by its absolute path, so that a later edit finds the files that the scene names, even if the process has another
    /// working directory by then.
    fn opened(source: &str, overrides: &[Override], agents: Option<u32>) -> Result<Scene, Failure> {
        let open = |source: &str| Scene::scaled(scene::Scene::open(source, overrides)?, agents);
        match std::path::absolute(source) {
            Ok(path) if PRESETS.iter().all(|preset| preset.name != source) => {
                // On failure open it again by the path as given, so that the error names that path.
                open(&path.to_string_lossy()).or_else(|_| open(source))
            }
            _ => open(source),
        }
    }

    /// The same scene with more overrides. Without `agents` its world stays scaled to the number that it was scaled to, so a count or a
    /// size of the world among the overrides is an error.
    pub fn edited(&self, more: Vec<Override>, agents: Option<u32>) -> Result<Scene, Failure> {
        let source = &self.scene.source;
        let is_scaled = |change: &&Override| {
            let parts: Vec<&str> = change.key.split('.').collect();
            matches!(parts[..], ["world", "size", ..] | ["species", _, "count"])
        };
        if let (Some(scaled), None, Some(change)) = (self.scaled_to, agents, more.iter().find(is_scaled)) {
            let message =
                format!("follows from agents={scaled}, with which the scene was made; edit(agents=N) changes it");
            return Err(scene::SceneError::whole(change.to_string(), message).into());
        }
        let all = [source.overrides.clone(), more].concat();
        Scene::scaled(scene::Scene::parse(&source.text, &source.origin, &all)?, agents.or(self.scaled_to))
    }
}

#[pymethods]
impl Scene {
    #[new]
    #[pyo3(signature = (source, keys = None, /, *, agents = None, **more))]
    fn new(
        py: Python<'_>,
        source: PathBuf,
        keys: Option<&Bound<'_, PyMapping>>,
        agents: Option<Whole<u32>>,
        more: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Scene> {
        let (overrides, source) = (overrides(keys, more)?, source.to_string_lossy().into_owned());
        let opened = py.detach(|| Scene::opened(&source, &overrides, agents.map(|Whole(agents)| agents)));
        Ok(opened?)
    }

    /// A scene from the text of a scene file. `origin` names the text in errors, and paths in the text are relative to its folder.
    #[staticmethod]
    #[pyo3(signature = (text, keys = None, /, *, origin = "scene", agents = None, **more))]
    fn parse(
        py: Python<'_>,
        text: &str,
        keys: Option<&Bound<'_, PyMapping>>,
        origin: &str,
        agents: Option<Whole<u32>>,
        more: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Scene> {
        let overrides = overrides(keys, more)?;
        Ok(py.detach(|| {
            Scene::scaled(scene::Scene::parse(text, origin, &overrides)?, agents.map(|Whole(agents)| agents))
        })?)
    }

    /// The same scene with other values of some keys.
    #[pyo3(signature = (keys = None, /, *, agents = None, **more))]
    fn edit(
        &self,
        py: Python<'_>,
        keys: Option<&Bound<'_, PyMapping>>,
        agents: Option<Whole<u32>>,
        more: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Scene> {
        let overrides = overrides(keys, more)?;
        Ok(py.detach(|| self.edited(overrides, agents.map(|Whole(agents)| agents)))?)
    }

    /// Short name.
    #[getter]
    fn name(&self) -> &str {
        &self.scene.name
    }

    /// Number of agents.
    #[getter]
    fn agents(&self) -> u32 {
        self.scene.agent_count()
    }

    /// Seed of all random numbers.
    #[getter]
    fn seed(&self) -> u32 {
        self.scene.seed
    }

    /// Time step, s.
    #[getter]
    fn dt(&self) -> f32 {
        self.scene.dt
    }

    /// Edges of the world along x, y and z, u; it is centered on the origin, and z is 0 in a plane.
    #[getter]
    fn size(&self) -> (f32, f32, f32) {
        let [x, y, z] = self.scene.world.size.to_array();
        (x, y, if self.scene.world.spatial { z } else { 0.0 })
    }

    /// The ids of the agents of each species, by its name.
    #[getter]
    fn species<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = PyDict::new(py);
        for (index, species) in self.scene.species.iter().enumerate() {
            let ids = self.scene.species_ids(index).unwrap_or_default();
            found.set_item(&species.name, PyRange::new(py, ids.start as isize, ids.end as isize)?)?;
        }
        Ok(found)
    }

    /// Names of the columns that Simulation.observe gives.
    #[getter]
    fn columns(&self) -> Vec<String> {
        Columns::of(&self.scene).names().to_vec()
    }

    /// The text of the scene file as it was read, before keys were given other values.
    #[getter]
    fn text(&self) -> &str {
        &self.scene.source.text
    }

    /// Warnings: what is allowed in this scene, but will hardly do what its author wants.
    fn lint(&self) -> Vec<String> {
        self.scene.lint().iter().map(ToString::to_string).collect()
    }

    /// For pickle: unpickling reads the scene again from its text, and from the files that the text names.
    fn __reduce__<'py>(slf: &Bound<'py, Scene>) -> PyResult<(Bound<'py, PyAny>, Parts)> {
        let (own, module) = (slf.get(), slf.py().import("steerling._native")?);
        let source = &own.scene.source;
        let overrides = source.overrides.iter().map(|change| (change.key.clone(), change.value.clone())).collect();
        Ok((module.getattr("_unpickled")?, (source.text.clone(), source.origin.clone(), overrides, own.scaled_to)))
    }

    fn __repr__(&self) -> String {
        format!("<steerling.Scene {}, {} agents, seed {}>", self.scene.name, self.agents(), self.scene.seed)
    }
}

/// Text, origin, overrides, and the number of agents that the world was scaled to.
type Parts = (String, String, Vec<(String, String)>, Option<u32>);

/// A scene from its pickled parts.
#[pyfunction]
#[pyo3(name = "_unpickled")]
pub fn unpickled(text: &str, origin: &str, overrides: Vec<(String, String)>, agents: Option<u32>) -> PyResult<Scene> {
    let overrides: Vec<_> = overrides.into_iter().map(|(key, value)| Override { key, value }).collect();
    let scene = scene::Scene::parse(text, origin, &overrides).map_err(Failure::from)?;
    Ok(Scene::scaled(scene, agents)?)
}

/// Names of the preset scenes.
#[pyfunction]
pub fn presets() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}
