//! Where simulations run.

use crate::failure::Failure;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Mutex, PoisonError};
use steerling::engine::Backend;
use steerling::gpu::{self, AdapterChoice, Gpu, GpuError};
use steerling::scene::suggest;

/// Name, interface and driver of each GPU that can be used, in the order of `adapter=0`, `adapter=1`, ...
#[pyfunction]
pub fn adapters(py: Python<'_>) -> Vec<String> {
    py.detach(|| gpu::adapters(&Gpu::instance()).iter().map(gpu::AdapterReport::title).collect())
}

/// The backend of this name: `gpu`, `reference`, or without a name a GPU where there is one.
pub fn open(py: Python<'_>, backend: Option<&str>, adapter: Option<&str>) -> Result<Backend, Failure> {
    match backend {
        Some("reference") => match adapter {
            Some(_) => {
                Err(Failure::Usage("adapter is for the GPU and does not go with backend=\"reference\"".to_owned()))
            }
            None => Ok(Backend::Cpu),
        },
        None | Some("gpu") => match py.detach(|| open_gpu(adapter)) {
            Ok(gpu) => Ok(Backend::Gpu(Box::new(gpu), Box::default())),
            Err(error) if backend.is_some() || adapter.is_some() => Err(error.into()),
            Err(error) => {
                let text = format!("{error}; running on the CPU reference; backend=\"gpu\" would insist on a GPU");
                let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
                PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 2)?;
                Ok(Backend::Cpu)
            }
        },
        Some(other) => {
            let known = suggest(other, &["gpu", "reference"]);
            Err(Failure::Usage(format!("backend {other:?}: there is no such backend; {known}")))
        }
    }
}

/// A device stays open: to open one takes longer than many a small simulation.
pub fn open_gpu(adapter: Option<&str>) -> Result<Gpu, GpuError> {
    static OPEN: Mutex<Option<HashMap<String, Gpu>>> = Mutex::new(None);
    let variable = std::env::var("WGPU_ADAPTER_NAME").ok().filter(|name| !name.is_empty());
    let name = adapter.or(variable.as_deref());
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let open = open.get_or_insert_default();
    let key = name.map(str::to_owned).unwrap_or_default();
    if let Some(gpu) = open.get(&key).filter(|gpu| gpu.check().is_ok()) {
        return Ok(gpu.clone());
    }
    let gpu = Gpu::open(&name.map_or(AdapterChoice::Best, AdapterChoice::from))?;
    open.insert(key, gpu.clone());
    Ok(gpu)
}
