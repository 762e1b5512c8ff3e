//! Twins of `shaders/common`: same names, same operations in the same order.
//!
//! The twins of `random.wgsl`, `layout.wgsl`, `scenery.wgsl` and most of `boundary.wgsl` are in [`crate::model`], because
//! the host needs them too.

pub mod actions;
pub mod agent;
pub mod angle;
pub mod away;
pub mod boundary;
pub mod census;
pub mod clearance;
pub mod combination;
pub mod cover;
pub mod events;
pub mod field;
pub mod fixed_point;
pub mod goals;
pub mod grid;
pub mod ground;
pub mod hash;
mod mesh;
pub mod obstacles;
pub mod paths;
pub mod prediction;
pub mod schedule;
pub mod sight;
mod structs;
pub mod surface;
pub mod target;
pub mod vector;
pub mod vehicle;
pub mod vision;
pub mod walk;
pub mod walls;
pub mod ways;
