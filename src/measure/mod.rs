//! What a step costs and why: what its search works through ([`Load`]), what its shader computes ([`SearchLoop`]), what the adapter
//! can do at most ([`Ceilings`]), what follows ([`Facts::advice`]), how long it would take elsewhere ([`KnownGpu::predict`]), and
//! statistics of times.

mod advice;
mod ceilings;
mod instructions;
mod load;
mod milling;
mod prediction;
mod statistics;

pub use advice::{About, Advice, Facts};
pub use ceilings::Ceilings;
pub use instructions::{Instructions, SearchLoop};
pub use load::{LANES, LaneLoad, Load, Occupancy, Spread};
pub use milling::milling;
pub use prediction::{KnownGpu, Prediction, Published, Work, gpus, published};
pub use statistics::{FEWEST, Ratio, median, turns};
