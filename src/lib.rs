//! x

pub mod scene;
