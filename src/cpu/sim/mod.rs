//! Twins of `shaders/sim`: one file per stage. A stage is a function of the [`Buffers`](super::Buffers).

pub mod advance;
pub mod bin;
pub mod census;
pub mod collide;
pub mod crowd;
pub mod gather;
pub mod ground;
pub mod integrate;
pub mod measure;
pub mod notice;
pub mod observe;
pub mod scan;
pub mod scatter;
pub mod schedule;
pub mod search;
pub mod steer;
pub mod tally;
pub mod trail;
