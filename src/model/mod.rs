//! What both backends share: the parameter blocks, the agents' state, the table of stages, and random numbers.

mod blocks;
pub mod boundary;
mod buffers;
mod features;
mod ground;
mod layout;
mod memory;
mod observation;
pub mod obstacle_cells;
mod pose;
pub mod random;
pub mod scenery;
mod snapshot;
mod stages;
mod state;
pub mod trajectories;
mod vehicle;

pub use blocks::*;
pub use buffers::{BUFFERS, Buffer, Comparison, Element, Life, Per, Scale, Usage, buffer};
pub use features::{Features, Vehicles};
pub(crate) use layout::{CELL_BITS, IDS_ASIDE};
pub use layout::{CompiledScene, GridChoice};
pub use memory::Remembered;
pub use observation::{
    AGENTS_PER_LONG_SHARE, AGENTS_PER_SHARE, Observation, WORDS as OBSERVED_WORDS, density_contrast,
};
pub use pose::{POSE_WORDS, WORLD_UP, starting_poses};
pub use snapshot::{Change, Snapshot};
pub use stages::{ARRANGE, Dispatch, DispatchDomain, OBSERVE, STAGES, STRIDE, Stage};
pub(crate) use stages::{GATHER_COLUMNS, OBSERVE_TEXELS};
pub use state::{FROZEN, State, StateError};

/// In the buffer `neighbors`: the driver cut a loop of this agent off, so its step is not valid.
pub const CUT_OFF: u32 = u32::MAX;
