//! The constants that shaders and Rust share: the build script writes them from `shaders/common` and `shaders/sim`.
#![allow(dead_code, reason = "some are for shaders alone")]
#![allow(clippy::excessive_precision, clippy::approx_constant, reason = "the literals of the shaders, to the digit")]

include!(concat!(env!("OUT_DIR"), "/constants.rs"));
