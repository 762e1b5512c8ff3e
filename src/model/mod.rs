//! What both backends share: the parameter blocks, the agents' state, the table of stages, and random numbers.

mod behaviors;
pub mod boundary;
mod features;
mod layout;
mod observation;
pub mod random;
pub mod scenery;
mod stages;
mod state;

pub use behaviors::*;
pub use features::{Acts, Features};
pub use layout::{ActionRule, GridChoice, Memory, Model, Species, World};
pub use observation::{Observation, WORDS as OBSERVED_WORDS, density_contrast};
pub use stages::{Comparison, Extent, OBSERVE, Output, STAGES, Stage};
pub use state::{FROZEN, State, StateError};

/// In the buffer `neighbors`: the driver cut a loop of this agent off, so its step is not valid.
pub const CUT_OFF: u32 = u32::MAX;
