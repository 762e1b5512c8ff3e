//! What a step costs and why: the work of its search ([`Load`]), the instructions of its shader ([`SearchLoop`]), the most that the
//! adapter can do ([`Ceilings`]), the advice that follows ([`Facts::advice`]), the time on another GPU ([`KnownGpu::predict`]), and
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
