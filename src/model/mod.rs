//! What both backends share: the parameter blocks, the agents' state, the table of stages, and random numbers.

pub mod away;
mod blocks;
pub mod boundary;
mod buffers;
mod cell_lists;
mod cells;
pub(crate) mod events;
mod features;
mod ground;
mod layout;
mod map_memory;
pub(crate) mod measured;
mod memory;
mod names;
pub(crate) mod observation;
pub mod obstacle_cells;
mod pose;
pub mod random;
mod recast;
pub mod scenery;
mod snapshot;
mod species;
mod stages;
mod state;
mod surface_mesh;
pub mod texels;
pub mod trajectories;
pub mod turn;
mod updated;
mod vehicle;
pub mod walls;
pub mod ways;

pub use crate::constants::CUT_OFF;
pub use blocks::*;
pub use buffers::{BUFFERS, Buffer, BufferId, Comparison, Element, Life, Per, Scale, Usage};
pub use cells::GridChoice;
pub use events::{Event, Events, MOST_EVENTS, What};
pub use features::{Features, Vehicles};
pub use layout::CompiledScene;
pub(crate) use layout::{CELL_BITS, IDS_ASIDE};
pub use map_memory::MapMemory;
pub use measured::Measures;
pub use memory::Remembered;
pub use observation::{
    AGENTS_PER_LONG_SHARE, AGENTS_PER_SHARE, Means, Observation, density, density_contrast, layers_of,
};
pub use pose::{POSE_WORDS, WORLD_UP, starting_poses};
pub use recast::Recast;
pub(crate) use snapshot::vector_words;
pub use snapshot::{Change, Snapshot};
pub use stages::{Dispatch, DispatchDomain, PassId, STAGES, Stage, StageId};
pub use state::{AWAY, FROZEN, ID_BITS, State, StateError};
pub use surface_mesh::SurfaceMesh;
