//! Errors of the library as exceptions, which are classes of `steerling._errors`.

use pyo3::{PyErr, import_exception};
use std::fmt;
use steerling::gpu::GpuError;
use steerling::model::StateError;
use steerling::scene;

import_exception!(steerling._errors, SceneError);
import_exception!(steerling._errors, UsageError);
import_exception!(steerling._errors, ShaderError);
import_exception!(steerling._errors, DeviceError);

/// Why a call failed. The kinds are those that the program tells apart by its exit codes, and exceptions of Python.
#[derive(Debug)]
pub enum Failure {
    Scene(scene::SceneError),
    Usage(String),
    Shader(String),
    Device(String),
    /// An exception of Python, such as `KeyboardInterrupt`.
    Python(PyErr),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Scene(error) => error.fmt(f),
            Failure::Usage(text) | Failure::Shader(text) | Failure::Device(text) => text.fmt(f),
            Failure::Python(error) => error.fmt(f),
        }
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        match failure {
            Failure::Scene(error) => {
                let text = error.to_string();
                let (line, column) = error.place.map(|place| (place.line, place.column)).unzip();
                let value = error.value.map(String::from);
                SceneError::new_err((text, error.origin, line, column, error.key, value, error.hint))
            }
            Failure::Usage(text) => UsageError::new_err(text),
            Failure::Shader(text) => ShaderError::new_err(text),
            Failure::Device(text) => DeviceError::new_err(text),
            Failure::Python(error) => error,
        }
    }
}

impl From<scene::SceneError> for Failure {
    fn from(error: scene::SceneError) -> Failure {
        // The scene is valid, but the machine has too little memory for it.
        if error.short_of_memory { Failure::Device(error.to_string()) } else { Failure::Scene(error) }
    }
}

impl From<StateError> for Failure {
    fn from(error: StateError) -> Failure {
        Failure::Usage(error.to_string())
    }
}

impl From<GpuError> for Failure {
    fn from(error: GpuError) -> Failure {
        match error {
            GpuError::Scene(error) => error.into(),
            GpuError::State(error) => error.into(),
            GpuError::Shader(error) => Failure::Shader(error.to_string()),
            GpuError::NoAgent { .. } | GpuError::NoAdapter { unknown_choice: true, .. } => {
                Failure::Usage(error.to_string())
            }
            _ => Failure::Device(error.to_string()),
        }
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Failure {
        Failure::Python(error)
    }
}
