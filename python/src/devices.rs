//! Where simulations run.

use crate::failure::Failure;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Mutex, OnceLock, PoisonError};
use steerling::engine::Backend;
use steerling::gpu::{self, AdapterChoice, Gpu, GpuError};
use steerling::scene::suggest;

/// A GPU: its number in adapters(), or a part of its name.
#[derive(FromPyObject)]
pub enum Adapter {
    Index(i64),
    Name(String),
}

impl Adapter {
    /// The text by which the program's option `--adapter` would name it.
    fn text(&self) -> String {
        match self {
            Adapter::Index(index) => index.to_string(),
            Adapter::Name(name) => name.clone(),
        }
    }
}

/// An error in a forked child process. A fork does not copy threads, so there a call would wait forever for those of a device or of
/// the reference.
pub fn not_forked() -> Result<(), Failure> {
    static HOME: OnceLock<u32> = OnceLock::new();
    let (here, home) = (std::process::id(), *HOME.get_or_init(std::process::id));
    if here == home {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "steerling was used in process {home} before that forked, and cannot be used in its child {here}; start processes by \"spawn\": \
         multiprocessing.get_context(\"spawn\")"
    )))
}

/// Name, interface and driver of each GPU that can be used, in the order of `adapter=0`, `adapter=1`, ...
#[pyfunction]
pub fn adapters(py: Python<'_>) -> PyResult<Vec<String>> {
    not_forked()?;
    Ok(py.detach(|| gpu::adapters(&Gpu::instance()).iter().map(gpu::AdapterReport::title).collect()))
}

/// The backend of this name: `gpu` or `reference`. Without a name it is a GPU, or the reference, with a warning, if there is none.
pub fn open(py: Python<'_>, backend: Option<&str>, adapter: Option<&Adapter>) -> Result<Backend, Failure> {
    not_forked()?;
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
                let error = error.to_string();
                let reason = error.trim_end();
                let text = format!("{reason}; running on the CPU reference; with backend=\"gpu\" this is an error");
                let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
                PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)?;
                Ok(Backend::Cpu)
            }
        },
        Some(other) => {
            let known = suggest(other, &["gpu", "reference"]);
            Err(Failure::Usage(format!("backend {other:?}: there is no such backend; {known}")))
        }
    }
}

/// Open a GPU. Its device stays open for later calls, because opening one takes longer than running many a small simulation.
pub fn open_gpu(adapter: Option<&Adapter>) -> Result<Gpu, GpuError> {
    static OPEN: Mutex<Option<HashMap<String, Gpu>>> = Mutex::new(None);
    let variable = std::env::var("WGPU_ADAPTER_NAME").ok().filter(|name| !name.is_empty());
    let name = adapter.map(Adapter::text).or(variable);
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let open = open.get_or_insert_default();
    let key = name.clone().unwrap_or_default();
    if let Some(gpu) = open.get(&key).filter(|gpu| gpu.check().is_ok()) {
        return Ok(gpu.clone());
    }
    let gpu = Gpu::open(&name.as_deref().map_or(AdapterChoice::Best, AdapterChoice::from))?;
    open.insert(key, gpu.clone());
    Ok(gpu)
}
