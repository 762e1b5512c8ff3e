//! The simulation on the GPU: adapters, shaders, buffers, steps, readback and timing.

mod adapters;
mod buffers;
mod compiled;
mod context;
mod crowding;
mod dump;
mod error;
mod find;
mod limits;
mod of_many;
mod options;
pub(crate) mod passes;
mod pipelines;
mod precise;
mod probe;
mod prune;
mod readback;
pub mod reflect;
pub(crate) mod resources;
mod rounding;
mod simulation;
mod timing;
pub mod traffic;
mod walls;
mod ways;
mod worlds;

pub use crate::shaders;
pub use adapters::{AdapterChoice, AdapterReport, adapters, check_usable, driver};
pub use context::Gpu;
pub use dump::{Language, PassText, dump};
pub use error::GpuError;
pub use find::{Agent, Sight};
pub(crate) use limits::check_map_of_reference;
pub use limits::software;
#[cfg(feature = "render")]
pub(crate) use limits::{dispatch, largest_binding};
pub use options::Options;
pub use pipelines::{Pass, Pipelines};
pub use readback::Pending;
pub use simulation::Simulation;
pub use simulation::change::{Preparation, PreparedChange};
pub use timing::{Span, StepTimer, Times, quantile};
pub use worlds::Worlds;
