//! The simulation on the GPU: adapters, shaders, buffers, steps, readback and timing.

mod adapters;
mod buffers;
mod context;
mod dump;
mod error;
mod find;
mod pipelines;
mod precise;
mod prune;
mod readback;
pub mod reflect;
mod simulation;
mod timing;
pub mod traffic;

pub use crate::shaders;
pub use adapters::{AdapterChoice, AdapterReport, adapters, check_usable, software};
pub use context::Gpu;
pub use dump::{Language, PassText, dump};
pub use error::GpuError;
pub use find::{Agent, Sight};
pub use pipelines::{Pass, Pipelines};
pub use readback::Pending;
pub use simulation::{Options, Preparation, PreparedChange, Simulation};
pub use timing::{Span, StepTimer, Times, quantile};
