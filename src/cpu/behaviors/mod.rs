//! Twins of `shaders/behaviors`: one file per behavior, pure functions.

pub mod alignment;
pub mod cohesion;
pub mod flow_field;
pub mod separation;
