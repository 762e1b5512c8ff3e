//! Steerling steers a million agents on any GPU, and proves that it does so correctly.
//!
//! A [`scene::Scene`] describes a world. [`gpu::Simulation`] runs it on a GPU, [`cpu::Simulation`] on the CPU reference;
//! both walk the same table of stages, [`model::STAGES`], and [`verify`] compares them stage by stage.

#[cfg(feature = "cli")]
pub mod cli;
pub mod cpu;
pub mod embedded;
pub mod engine;
pub mod gpu;
pub mod model;
#[cfg(feature = "output")]
pub mod output;
#[cfg(feature = "render")]
pub mod render;
pub mod scene;
pub mod verify;
#[cfg(feature = "viewer")]
pub mod viewer;

/// The libraries whose types are part of this one's interface, so that a user need not match their versions.
pub use {glam, wgpu};
