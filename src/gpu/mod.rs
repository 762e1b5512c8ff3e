//! The simulation on the GPU: adapters, shaders, buffers, steps, readback and timing.

mod adapters;
mod buffers;
mod compiled;
mod context;
mod dump;
mod error;
mod find;
mod limits;
mod options;
mod passes;
mod pipelines;
mod precise;
mod prune;
mod readback;
pub mod reflect;
mod simulation;
mod timing;
pub mod traffic;
mod walls;
mod ways;
mod worlds;

pub use crate::shaders;
pub use adapters::{AdapterChoice, AdapterReport, adapters, check_usable};
pub use context::Gpu;
pub use dump::{Language, PassText, dump};
pub use error::GpuError;
pub use find::{Agent, Sight};
pub(crate) use limits::check_map_of_reference;
pub use limits::software;
pub use options::Options;
pub use pipelines::{Pass, Pipelines};
pub use readback::Pending;
pub use simulation::Simulation;
pub use simulation::change::{Preparation, PreparedChange};
pub use timing::{Span, StepTimer, Times, quantile};
pub use worlds::Worlds;
