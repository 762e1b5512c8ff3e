//! What a step costs and why: statistics of times.

mod statistics;

pub use statistics::{Ratio, median, turns};
