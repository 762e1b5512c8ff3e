//! What both backends share: the parameter blocks, the agents' state, the table of stages, and random numbers.

pub mod boundary;
mod layout;
mod observation;
pub mod random;
mod stages;
mod state;

pub use layout::{Alignment, Cohesion, FlowField, GridChoice, Model, Separation, Species, Vision, World};
pub use observation::{Observation, WORDS as OBSERVED_WORDS, density_contrast};
pub use stages::{Comparison, Extent, OBSERVE, Output, STAGES, Stage};
pub use state::{FROZEN, State, StateError};

/// In the buffer `neighbors`: the driver cut a loop of this agent off, so its step is not valid.
pub const CUT_OFF: u32 = u32::MAX;
