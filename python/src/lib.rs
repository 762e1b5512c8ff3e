//! The package `steerling` for Python: the library's scenes, simulations and sweeps, with NumPy arrays.
//!
//! Classes are frozen and hold their simulation behind a lock, so any thread may use one. No thread waits for such a lock while it is
//! attached to the interpreter, which would stop the others, and whatever takes long is done detached from it.

mod devices;
mod failure;
mod scene;
mod simulation;
mod sweep;
mod values;
mod verify;

/// The native part of the package `steerling`.
#[pyo3::pymodule]
mod _native {
    use pyo3::prelude::*;

    /// Load NumPy with the module. If the first array loaded it, an exception meanwhile, such as that of Ctrl-C, would be a panic.
    #[pymodule_init]
    fn load_numpy(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.py().import("numpy")?;
        drop(numpy::PyArray1::<f32>::zeros(module.py(), 0, false));
        Ok(())
    }

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    use crate::devices::adapters;
    #[pymodule_export]
    use crate::scene::{Scene, presets, unpickled};
    #[pymodule_export]
    use crate::simulation::{Simulation, Snapshot, unpickled as unpickled_snapshot};
    #[pymodule_export]
    use crate::sweep::Sweep;
    #[pymodule_export]
    use crate::values::toml;
    #[pymodule_export]
    use crate::verify::verify;
}
